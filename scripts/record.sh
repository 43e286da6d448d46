#!/usr/bin/env bash
# record.sh records the model's replies to configs/NAME.yaml again, in
# configs/recordings/NAME:
#
#	scripts/record.sh NAME [--set path=value ...]
#
# The servers and folders that the run file's models name must exist:
# configs/models says how to start them, scripts/real.sh sets them up, and --set
# or BENCH_ variables say where they are. Calls in results/recording/NAME from an
# earlier, interrupted recording are not repeated.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${1:-} in
'' | -*)
	sed -n '2,10s/^# \{0,1\}//p' scripts/record.sh
	exit 2
	;;
esac
name=$1
shift
config=configs/$name.yaml
out=configs/recordings/$name
scratch=results/recording/$name

go build -o "$scratch/bench" ./cmd/bench
rm -rf "$scratch/run" "$scratch/replayed"
"$scratch/bench" run "$config" --calls reuse --store "$scratch/calls" --out "$scratch/run" "$@"
mkdir -p "$out"
# In parts of less than 1 MiB, by the times of the calls.
"$scratch/bench" calls export "$scratch/all.db" --store "$scratch/calls" --run "$scratch/run"
parts=$(($(stat -c %s "$scratch/all.db") / 900000 + 1))
mapfile -t times < <("$scratch/bench" calls list --store "$scratch/calls" --limit 0 --json | sed 's/.*"time":"\([^"]*\)".*/\1/' | sort)
for ((n = 1; n <= parts; n++)); do
	bounds=()
	if ((n > 1)); then bounds+=(--since "${times[${#times[@]} * (n - 1) / parts]}"); fi
	if ((n < parts)); then bounds+=(--older-than "${times[${#times[@]} * n / parts]}"); fi
	"$scratch/bench" calls export "$out/$n.new" --store "$scratch/calls" --run "$scratch/run" "${bounds[@]}"
done
rm -f "$out"/*.db
for ((n = 1; n <= parts; n++)); do
	mv "$out/$n.new" "$out/$n.db"
done
find "$out" -size +1024k -printf '%p is larger than 1 MiB\n'
"$scratch/bench" run "$config" --out "$scratch/replayed"
rm -rf "$scratch"

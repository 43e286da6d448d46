#!/usr/bin/env bash
# record.sh records the model's replies to configs/NAME.yaml anew, in
# configs/recordings/NAME:
#
#	scripts/record.sh NAME [--set path=value ...]
#
# The servers and folders that the config's models name have to be there:
# configs/models says how they start, scripts/real.sh sets them up, and --set or
# BENCH_ variables say where they are. What an earlier, interrupted recording has
# in results/recording/NAME is not asked for again.
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
for kind in $("$scratch/bench" calls stat --store "$scratch/calls" | awk 'NR > 1 && NF == 0 { exit } NR > 1 { print $1 }' | sort -u); do
	"$scratch/bench" calls export "$out/$kind.calls.new" --store "$scratch/calls" --run "$scratch/run" --kind "$kind"
done
rm -f "$out"/*.calls
for file in "$out"/*.new; do
	mv "$file" "${file%.new}"
done
find "$out" -size +1024k -printf '%p is larger than 1 MiB\n'
"$scratch/bench" run "$config" --out "$scratch/replayed"
rm -rf "$scratch"

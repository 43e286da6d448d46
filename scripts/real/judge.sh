#!/usr/bin/env bash
# judge.sh judges real answers of locomo-audit that a recorded judge has also judged.
#
#	scripts/real/judge.sh --import DIR
#	scripts/real/judge.sh --model FILE [--judge PROFILE[=CLONE]] [--calls MODE] [--store FOLDER] DIR
#
# The first imports the answers and votes of locomo-audit as the run DIR/run, unless
# it exists. The second does so too, lets the model entry FILE judge 400 of the
# answers, 200 of the rows ap-* and 200 of the others, and prints its sensitivity,
# false acceptance, kappa with the recorded judge and corrected rates.
#
# BENCH is the program, bench by default, and BENCH_DATA the folder with the
# datasets locomo and locomo-audit.
set -euo pipefail

bench=${BENCH:-bench}
model= profile=recallbench dir= only_import=false
flags=()
while (($#)); do
	case $1 in
	--import) only_import=true ;;
	--model | --judge | --calls | --store)
		(($# > 1)) || { printf 'judge.sh: %s needs a value\n' "$1" >&2; exit 2; }
		case $1 in
		--model) model=$2 ;;
		--judge) profile=$2 ;;
		*) flags+=("$1" "$2") ;;
		esac
		shift
		;;
	-*) printf 'judge.sh: unknown argument %q\n' "$1" >&2; exit 2 ;;
	*) dir=$1 ;;
	esac
	shift
done
if [[ -z $dir || -z ${BENCH_DATA:-} ]] || { ! $only_import && [[ -z $model ]]; }; then
	sed -n '2,15s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
	exit 2
fi

answers=$BENCH_DATA/locomo-audit/model_answers.jsonl
rows=(fc-gpt-4o-mini-memos fc-gpt-4o-mini-cot fc-gpt-4.1-mini-memos fc-gpt-4.1-mini-cot ap-v1 ap-v2)
if [[ ! -e $dir/run/run.json ]]; then
	mkdir -p "$dir"
	files=()
	for row in "${rows[@]}"; do
		grep -F "\"system\":\"$row\"" "$answers" >"$dir/$row.jsonl"
		files+=("$dir/$row.jsonl")
	done
	"$bench" import "${files[@]}" --from jsonl --dataset locomo --metrics f1@mem0 --out "$dir/run"
fi
$only_import && exit 0

# Exit code 3: some answers got no verdict; those that did are worth showing.
"$bench" judge "$dir/run" --model "$model" --judge "$profile" "${flags[@]}" --sample 'ap-*=200' --sample 'fc-*=200' || (($? == 3))
"$bench" judge show "$dir/run" --combine majority
"$bench" judge calibrate "$dir/run" --reference recorded --wrong 'ap-*'

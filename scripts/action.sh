#!/usr/bin/env bash
# action.sh is the step of action.yml: it builds bench, runs a run file, and gates
# the run if a baseline is named. Its arguments are the environment variables
# CONFIG, BASELINE, BASELINES, RULES, OUT and ARGUMENTS; tables also go to the job's
# summary.
set -euo pipefail
bench=${RUNNER_TEMP:-$(mktemp -d)}/bench
summary=${GITHUB_STEP_SUMMARY:-/dev/null}
go -C "$(dirname "${BASH_SOURCE[0]}")/.." build -o "$bench" ./cmd/bench

# publish COMMAND... prints the output of a command, also in the job's summary.
publish() {
	local status=0
	"$@" | tee "$OUT.txt" || status=$?
	{
		printf '```\n'
		cat "$OUT.txt"
		printf '```\n'
	} >>"$summary"
	rm "$OUT.txt"
	return "$status"
}

read -ra arguments <<<"${ARGUMENTS:-}"
publish "$bench" run "$CONFIG" --out "$OUT" --display none "${arguments[@]}"
[ -n "${BASELINE:-}" ] || exit 0
gate=(--baseline "$BASELINE" --baselines "$BASELINES")
[ -z "${RULES:-}" ] || gate+=(--rules "$RULES")
publish "$bench" gate "$OUT" "${gate[@]}"

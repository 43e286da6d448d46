#!/usr/bin/env bash
# probes.sh RUN prints what stage II of xmemory did in a run folder: a line for
# each cell with questions, and for each question the mean number of episodes
# that were tried, included and shown with their messages; then the shares of
# gains below 0 and at or below -0.4 nats. It needs jq.
set -euo pipefail
if [ $# -ne 1 ] || [ ! -d "$1/cells" ]; then
	sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
	exit 2
fi
jq -r '.cells[] | select(.use == "xmemory") | [.id, .method] | @tsv' "$1/run.json" |
	while IFS=$'\t' read -r id method; do
		jq -rs --arg method "$method" '
			length as $n
			| [.[].trace[]? | select(.name == "episodes") | .data.tried[]?]
			| length as $tried
			| select($tried > 0)
			| def share(f): 100 * (map(select(f)) | length) / $tried;
			  def each(f): (map(select(f)) | length) / $n;
			  def show: . * 100 | round / 100 | tostring;
			  "\($method): \($n) questions; tried \($tried / $n | show), included \(each(.included) | show), "
			  + "expanded \(each(.expanded) | show); gains below 0: \(share(.gain < 0) | show) %, "
			  + "at most -0.4: \(share(.gain <= -0.4) | show) %"
		' "$1/cells/$id/records.jsonl"
	done

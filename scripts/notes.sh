#!/usr/bin/env bash
# notes.sh prints the notes of the next release from changelog/unreleased: a section
# for each kind of change, changes in the order of their file names. It fails if a
# file does not have the form described in changelog/README.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../changelog/unreleased"
kinds=(Added Changed Fixed Removed Security)
status=0
shopt -s nullglob
for file in *; do
	if ! [[ $file == *.md && $(head -n 1 "$file") =~ ^(Added|Changed|Fixed|Removed|Security):\ [^[:space:]] && $(wc -l <"$file") -eq 1 ]]; then
		printf 'changelog/unreleased/%s: want a file NAME.md of one line that begins with %s: and a space\n' "$file" "${kinds[*]}" >&2
		status=1
	fi
done
for kind in "${kinds[@]}"; do
	lines=$(cat /dev/null ./*.md | sed -n "s/^$kind: /- /p")
	[ -z "$lines" ] || printf '## %s\n\n%s\n\n' "$kind" "$lines"
done
exit "$status"

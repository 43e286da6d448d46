"""Compares the records of a live run with those of its replay, for scripts/real.sh.

	alike.py LIVE REPLAYED WANT

It succeeds where WANT requests were answered and all records have the same answer,
evidence and usage.
"""
import json
import pathlib
import sys


def records(run):
    found = {}
    for path in sorted(pathlib.Path(run).glob("cells/*/records.jsonl")):
        for r in map(json.loads, path.open()):
            found[path.parent.name, r["sample"], r["request"]] = {name: r.get(name) for name in ("status", "answer", "evidence", "usage")}
    return found


live, replayed = records(sys.argv[1]), records(sys.argv[2])
answered = sum(r["status"] == "ok" for r in live.values())
unlike = [key for key in live.keys() | replayed.keys() if live.get(key) != replayed.get(key)]
print(f"{answered} of {len(live)} requests answered; {len(unlike)} differ in the replay")
for key in sorted(unlike)[:5]:
    print(*key, live.get(key), replayed.get(key), sep="\n  ")
sys.exit(answered != int(sys.argv[3]) or bool(unlike))

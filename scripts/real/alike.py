"""Compares the records of a live run with those of its replay, for scripts/real.sh.

	alike.py LIVE REPLAYED WANT

It succeeds where at least WANT requests were answered, all records have the same answer,
evidence and usage, and all memories took the same to build.
"""
import json
import pathlib
import sys


def lines(run, file):
    """The lines of a file of all cells, without what depends on the clock."""
    found = {}
    for path in sorted(pathlib.Path(run).glob(f"cells/*/{file}")):
        for r in map(json.loads, path.open()):
            kept = {name: r.get(name) for name in ("status", "error", "answer", "evidence", "usage", "degraded")}
            found[path.parent.name, r["sample"], r.get("request", "")] = kept
    return found


live, replayed = ({**lines(run, "records.jsonl"), **lines(run, "ingests.jsonl")} for run in sys.argv[1:3])
answered = sum(r["status"] == "ok" for key, r in live.items() if key[2])
unlike = [key for key in live.keys() | replayed.keys() if live.get(key) != replayed.get(key)]
print(f"{answered} requests answered; of {len(live)} records of requests and memories {len(unlike)} differ in the replay")
for key in sorted(unlike)[:5]:
    print(*key, live.get(key), replayed.get(key), sep="\n  ")
sys.exit(answered < int(sys.argv[3]) or bool(unlike))

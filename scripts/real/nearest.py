"""Time searches for the 10 nearest vectors beside FAISS's, on one thread each.

    pip install faiss-cpu numpy
    python scripts/real/nearest.py FOLDER

FOLDER has texts.f32 and queries.f32: rows of 384 float32, at least 20,000 of texts.
FAISS and this program take turns; each figure is the median of the rounds' medians.
Graphs (HNSW with M 32 and efConstruction 200) are compared at equal recall: the time
that FAISS takes for the recall of each of this program's is between those of the next
two of its own.
"""

import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

os.environ["FAISS_OPT_LEVEL"] = os.environ.get("FAISS_OPT_LEVEL", "avx2")
import faiss
import numpy as np

ROUNDS, K, BEAMS = 3, 10, (16, 32, 64, 128, 256)
faiss.omp_set_num_threads(1)
folder = pathlib.Path(sys.argv[1]).resolve()
root = pathlib.Path(__file__).parents[2]
texts, queries = (np.fromfile(folder / f"{name}.f32", "float32").reshape(-1, 384) for name in ("texts", "queries"))
binary = folder / "nearest.test"
subprocess.run(["go", "test", "-c", "-o", binary, "./internal/engine/index"], cwd=root, check=True)


def ours(pattern, times):
    """The lines of the benchmarks of a pattern: name to median in ms and recall."""
    out = subprocess.run([binary, "-test.run", "xx", "-test.bench", f"Nearest/{pattern}", "-test.benchtime", times, "-test.cpu", "1"],
                         env={**os.environ, "BENCH_VECTORS": str(folder)}, check=True, capture_output=True, text=True).stdout
    found = {}
    for line in out.splitlines():
        if name := re.match(r"BenchmarkNearest/(\S+)\s", line):
            number = lambda unit: float(m[1]) if (m := re.search(rf"(\S+) {unit}", line)) else None
            found[name[1]] = number("median-ns") / 1e6, number("recall@10")
    return found


def faiss_median(index):
    took = []
    for q in queries:
        start = time.perf_counter()
        index.search(q[None], K)
        took.append(time.perf_counter() - start)
    return 1000 * statistics.median(took)


median = statistics.median
for n in (500, 5000, 20000):
    index = faiss.IndexFlatIP(384)
    index.add(texts[:n])
    rounds = [(faiss_median(index), ours(f"exact/{n}$", "3x")[f"exact/{n}"][0]) for _ in range(ROUNDS)]
    theirs, mine = (median(side) for side in zip(*rounds))
    print(f"exact {n:6d}: FAISS flat {theirs:.4f} ms, bench {mine:.4f} ms, ratio {median(b / a for a, b in rounds):.2f}", flush=True)

for n in (5000, 20000):
    exact = faiss.IndexFlatIP(384)
    exact.add(texts[:n])
    truth = exact.search(queries, K)[1]
    graph = faiss.IndexHNSWFlat(384, 32, faiss.METRIC_INNER_PRODUCT)
    graph.hnsw.efConstruction = 200
    graph.add(texts[:n])
    curve, mine = {ef: [] for ef in BEAMS}, {ef: [] for ef in BEAMS}
    recall = {}
    for _ in range(ROUNDS):
        for ef in BEAMS:
            graph.hnsw.efSearch = ef
            curve[ef].append(faiss_median(graph))
            found = graph.search(queries, K)[1]
            recall[ef] = np.mean([len(set(a) & set(b)) / K for a, b in zip(found, truth)])
        for name, row in ours(f"graph/{n}$", "1x").items():
            mine[int(name.split("/")[2])].append(row)
    points = sorted((recall[ef], median(curve[ef])) for ef in BEAMS)
    for ef in BEAMS:
        took, hit = median(t for t, _ in mine[ef]), mine[ef][0][1]
        same = np.interp(hit, *zip(*points))
        print(f"graph {n:6d}, efSearch {ef:3d}: FAISS {median(curve[ef]):.4f} ms for recall {recall[ef]:.4f}, bench {took:.4f} ms for {hit:.4f}, ratio at equal recall {took / same:.2f}", flush=True)

"""Drives the authors' A-Mem over one LoCoMo conversation and writes what it did.

    python scripts/ports/a-mem.py CLONE locomo10.json --sample 0 --seed 1 --out FOLDER/a-mem-1.json

CLONE is a checkout of github.com/WujiangXu/A-mem at d81fb22. Only numpy is
needed: models, tokenizers and metrics that the code imports, and of which the
memory needs nothing, are replaced by empty modules. The model's
replies come from a seeded script, or with --server from an OpenAI-compatible
server; the embedding of a text is the sum of its words' vectors, each the bytes of
the word's SHA-512 less 128.

The file holds all replies in the order of the calls, all embedded texts, the
notes, and for each question the numbers of the notes in the order in which they
are shown. go test ./methods/amem with BENCH_PORTS=FOLDER compares them with the
port of this project.
"""

import argparse
import hashlib
import importlib
import json
import os
import random
import re
import sys
import types
import urllib.request
from pathlib import Path

import numpy

COMMIT = "d81fb22"
SHA256 = "9e0672794f92b9ada36206fb070c977e5fbf745b3faa78811d3f40e2ff85f4aa"  # of memory_layer.py there

embedded = []


def word_vector(word):
    return numpy.frombuffer(hashlib.sha512(word.encode()).digest(), dtype=numpy.uint8).astype(float) - 128


def vector(text):
    words = re.findall(r"[a-z0-9]+", text.lower()) or [""]
    return sum(word_vector(w) for w in words)


class Embedder:
    """Stands in for SentenceTransformer, and remembers what it embedded."""

    def __init__(self, name):
        pass

    def encode(self, texts, **_):
        embedded.extend(texts)
        return numpy.array([vector(t) for t in texts])


def cosine_similarity(queries, rows):
    # Sums of whole numbers are exact, so that equal vectors have equal cosines.
    q = numpy.asarray(queries[0])
    return [numpy.array([float(q @ r) / float(numpy.sqrt((q @ q) * (r @ r))) for r in numpy.asarray(rows)])]


class FirstOfEqual:
    """numpy, but for argsort, which leaves the order of equal elements open: here
    its end, read backwards, has the first of them first."""

    def __getattr__(self, name):
        return getattr(numpy, name)

    @staticmethod
    def argsort(values):
        return numpy.lexsort((-numpy.arange(len(values)), values))


def stand_in(name, **members):
    module = types.ModuleType(name)
    for key, value in members.items():
        setattr(module, key, value)
    sys.modules[name] = module


def nothing(*_, **__):
    return None


def import_authors(clone):
    stand_in("rank_bm25", BM25Okapi=nothing)
    stand_in("sentence_transformers", SentenceTransformer=Embedder)
    stand_in("sentence_transformers.util", pytorch_cos_sim=nothing)
    stand_in("sklearn")
    stand_in("sklearn.metrics")
    stand_in("sklearn.metrics.pairwise", cosine_similarity=cosine_similarity)
    stand_in("transformers", AutoModel=nothing, AutoTokenizer=nothing)
    stand_in("nltk", data=types.SimpleNamespace(find=nothing), download=nothing)
    stand_in("nltk.tokenize", word_tokenize=str.split)
    stand_in("litellm", completion=nothing)
    stand_in("requests")
    stand_in("openai", OpenAI=nothing)
    stand_in("tqdm", tqdm=nothing)
    stand_in("utils", calculate_metrics=nothing, aggregate_metrics=nothing)
    sys.path.insert(0, str(clone))
    modules = [importlib.import_module(m) for m in ("load_dataset", "memory_layer", "test_advanced")]
    modules[1].np = FirstOfEqual()
    return modules


class Script:
    """Replies by chance: links and descriptions from what the prompt shows."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def reply(self, kind, prompt, _schema):
        return json.dumps(getattr(self, kind)(prompt), ensure_ascii=False)

    def words(self, prompt, most):
        known = re.findall(r"[A-Za-z]{4,}", prompt[-600:]) or ["word"]
        return [self.random.choice(known).lower() for _ in range(self.random.randint(1, most))]

    def note(self, prompt):
        return {"keywords": self.words(prompt, 6), "context": " ".join(self.words(prompt, 12)) + ".", "tags": self.words(prompt, 4)}

    def evolve(self, prompt):
        near = [int(i) for i in re.findall(r"memory index:(\d+)\t", prompt)]
        links = [self.random.choice(near) for _ in range(self.random.randint(0, 6))] if near else []
        described = self.random.randint(0, len(near) + 1)
        return {
            "should_evolve": self.random.random() < 0.7,
            "actions": [a for a in ("strengthen", "update_neighbor", "strengthen", "merge") if self.random.random() < 0.5],
            "suggested_connections": links,
            "tags_to_update": self.words(prompt, 5),
            "new_context_neighborhood": [" ".join(self.words(prompt, 9)) for _ in range(self.random.randint(0, described))],
            "new_tags_neighborhood": [self.words(prompt, 4) for _ in range(described)],
        }

    def keywords(self, prompt):
        question = prompt.split("Question:")[1].splitlines()[0]
        return {"keywords": ", ".join(self.words(question, 6))}


class Server:
    """Asks an OpenAI-compatible server, greedily."""

    def __init__(self, url, model):
        self.url, self.model = url.rstrip("/") + "/chat/completions", model

    def reply(self, _kind, prompt, schema):
        body = {
            "model": self.model, "temperature": 0, "max_tokens": 1000,
            "messages": [{"role": "system", "content": "You must respond with a JSON object."}, {"role": "user", "content": prompt}],
        }
        if schema is not None:
            body["response_format"] = schema
        request = urllib.request.Request(self.url, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=600) as response:
            return json.load(response)["choices"][0]["message"]["content"] or ""


class Controller:
    """Stands in for the authors' controllers of models."""

    def __init__(self, source):
        self.source, self.calls = source, []

    def get_completion(self, prompt, response_format=None, temperature=0.7):
        fields = response_format["json_schema"]["schema"]["properties"]
        kind = "evolve" if "should_evolve" in fields else "note" if "context" in fields else "keywords"
        text = self.source.reply(kind, prompt, response_format)
        self.calls.append({"kind": kind, "reply": text})
        return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clone", type=Path)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--server", help="base URL of a server to ask instead of the script")
    parser.add_argument("--model", default="")
    parser.add_argument("--turns", type=int, help="only so many turns")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    if hashlib.sha256((args.clone / "memory_layer.py").read_bytes()).hexdigest() != SHA256:
        sys.exit(f"{args.clone}: memory_layer.py is not that of {COMMIT}; check that out")

    out, sys.stdout = sys.stdout, open(os.devnull, "w")  # the authors' code prints every prompt
    load_dataset, memory_layer, test_advanced = import_authors(args.clone.resolve())
    data = json.loads(args.dataset.read_text())[args.sample]
    sample = load_dataset.load_locomo_dataset(args.dataset)[args.sample]
    agent = test_advanced.advancedMemAgent("model", "sglang", 10, 0.5)
    controller = Controller(Server(args.server, args.model) if args.server else Script(args.seed))
    agent.memory_system.llm_controller.llm = agent.retriever_llm.llm = controller

    turns = [(t, s.date_time) for s in sample.conversation.sessions.values() for t in s.turns][:args.turns]
    for turn, at in turns:  # as test_advanced.evaluate_dataset does
        agent.add_memory("Speaker " + turn.speaker + "says : " + turn.text, time=at)
    system = agent.memory_system
    notes = [{"content": n.content, "keywords": n.keywords, "context": n.context, "tags": n.tags, "links": n.links}
             for n in system.memories.values()]
    reference = {
        "state": COMMIT, "sample": data["sample_id"], "seed": args.seed,
        "turns": len(turns), "building": controller.calls, "embedded": list(embedded),
        "evolved": system.evo_cnt, "notes": notes, "questions": [],
    }
    for i, note in enumerate(system.memories.values()):
        note.timestamp = f"<{i}>"  # says which notes the context has
    for qa in sample.qa:
        controller.calls, seen = [], len(embedded)
        entry = {"question": qa.question, "found": [], "error": ""}
        try:
            query = agent.generate_query_llm(qa.question)
            context = agent.retrieve_memory(query, k=agent.retrieve_k)
            entry["found"] = [int(i) for i in re.findall(r"talk start time:<(\d+)>memory content", context)]
        except IndexError as error:
            entry["error"] = f"IndexError: {error}"
        entry["reply"] = controller.calls[0]["reply"]
        entry["embedded"] = embedded[seen:]
        reference["questions"].append(entry)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(reference, ensure_ascii=False, indent=1))
    sys.stdout = out
    links = sum(len(n["links"]) for n in notes)
    failed = sum(1 for q in reference["questions"] if q["error"])
    print(f"{args.out}: {COMMIT}, {len(notes)} notes, {links} links, {system.evo_cnt} evolutions, "
          f"{len(embedded)} texts embedded, {len(reference['questions'])} questions, {failed} of them ended by a link to nowhere")


if __name__ == "__main__":
    main()

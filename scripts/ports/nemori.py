#!/usr/bin/env python3
"""Run the authors' Nemori over a LoCoMo conversation and write down what it did.

    nemori.py CLONE LOCOMO --sample conv-26 --seed 1 --out FILE

CLONE is a work tree of github.com/nemori-ai/nemori at ec47152 and LOCOMO is
locomo10.json. Needs Python 3.11 or newer with numpy and rank_bm25; without spaCy
the authors' own plain tokenizer is taken. What else they import has stand-ins here:

  openai    replies come from a seeded script, or from --server URL --model NAME;
            vectors from the function vector below
  chromadb  exact search by squared distance, ties in the order of arrival; the real
            one is approximate
  dotenv, jinja2, tqdm  nothing of them matters here

Statements are made by one worker, which is waited for after each episode: the
authors' 20 race, so that their order is another one in each run.

methods/nemori/port_test.go replays the file:

    BENCH_PORTS=FOLDER go test ./methods/nemori -run Port -v

The file holds text of LoCoMo; do not publish it.
"""

import argparse
import datetime
import hashlib
import json
import logging
import random
import re
import sys
import tempfile
import threading
import types
import urllib.request
from pathlib import Path

import numpy

COMMIT = "ec47152"
SOURCES = "8c864fea105def8a4565336a458b0d0f71fd6113cc6578edab88a05cb752d525"  # of the files below at that commit, see sources
BITS = 1024
STEP = 1 / 32  # of a vector of length 1 with 1024 elements: all sums are exact


def bits(word):
    digest = hashlib.shake_256(word.encode()).digest(BITS // 8)
    return numpy.unpackbits(numpy.frombuffer(digest, dtype=numpy.uint8)).astype(int) * 2 - 1


def vector(text):
    """The signs of the sum of the bit patterns of a text's words."""
    total = bits("") * 0.5  # decides where the sum is 0
    for word in re.findall(r"[a-z0-9]+", text.lower()):
        total = total + bits(word)
    return (numpy.sign(total) * STEP).tolist()


class Script:
    """Replies that a model could give, the same for the same seed."""

    def __init__(self, seed, words):
        self.seed, self.words = seed, words
        pick = random.Random(f"{seed}/topics")
        self.topics = [pick.choices(words, k=40) for _ in range(4)]

    def replies(self, kind, n):
        """The replies to one question."""
        r = random.Random(f"{self.seed}/{kind}/{n}")
        return [getattr(self, kind)(r)]

    def text(self, r):
        words = list(r.choice(self.topics))
        if r.random() < 0.4:
            words[r.randrange(len(words))] = r.choice(self.words)
        return words

    def boundary(self, r):
        return json.dumps({"should_end": r.random() < 0.09, "reason": "the talk turns to " + r.choice(self.words),
                           "confidence": round(r.random(), 2), "topic_summary": r.choice(self.words)})

    def episode(self, r):
        words = self.text(r)
        time = datetime.datetime(2023, 1 + r.randrange(12), 1 + r.randrange(28), r.randrange(24), r.randrange(60)).isoformat()
        return json.dumps({"title": " ".join(words[:4]), "content": " ".join(words[4:]).capitalize() + ".",
                           "timestamp": r.choice([time, time, time[:10], "", "in the summer"])})

    def cold(self, r):
        return self.extract(r)

    def extract(self, r):
        statements = []
        for _ in range(r.randrange(8)):
            words = self.text(r)
            # Some are near to whole episodes, so that predictions come about.
            statements.append(" ".join(words) if r.random() < 0.5 else "Somebody has a " + " and a ".join(words[:3]))
        return json.dumps({"statements": statements})

    def predict(self, r):
        return "They probably spoke of " + " ".join(self.text(r)[:8]) + "."


class Recorder:
    """Answers for the model and writes down all that is asked."""

    def __init__(self, script, server, model):
        self.script, self.server, self.model = script, server, model
        self.now = threading.local()
        self.calls, self.counts, self.texts = [], {}, {}
        self.lock = threading.Lock()

    def within(self, kind, describe):
        """Wraps a function of the authors, each call of which is one question."""
        def wrap(function):
            def wrapped(*args, **kwargs):
                call = {"kind": kind, **describe(*args, **kwargs), "replies": []}
                self.now.call, self.now.scripted = call, None
                result = function(*args, **kwargs)
                self.now.call = None
                if call["replies"]:
                    with self.lock:
                        self.calls.append(call)
                return result
            return wrapped
        return wrap

    def chat(self, messages, **settings):
        call = self.now.call
        if self.server:
            text = self.ask(messages, settings)
        else:
            if self.now.scripted is None:
                with self.lock:
                    n = self.counts[call["kind"]] = self.counts.get(call["kind"], 0) + 1
                self.now.scripted = self.script.replies(call["kind"], n)
            text = self.now.scripted[min(len(call["replies"]), len(self.now.scripted) - 1)]
        call["replies"].append(text)
        return text

    def ask(self, messages, settings):
        body = {"model": self.model, "messages": messages, "temperature": settings.get("temperature", 0), "seed": 1}
        request = urllib.request.Request(self.server.rstrip("/") + "/chat/completions", json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=600) as reply:
            return json.load(reply)["choices"][0]["message"]["content"]

    def embed(self, text):
        v = vector(text)
        with self.lock:
            self.texts.setdefault(text, numpy.packbits(numpy.array(v) > 0).tobytes().hex())
        return v


def thing(**fields):
    return types.SimpleNamespace(**fields)


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made


def stand_ins(recorder):
    class OpenAI:
        def __init__(self, **_):
            def chat(model, messages, **settings):
                text = recorder.chat(messages, **settings)
                return thing(choices=[thing(message=thing(content=text), finish_reason="stop")], usage=None, model=model)

            def embed(model, input, **_):
                return thing(data=[thing(embedding=recorder.embed(t)) for t in input], usage=None)
            self.chat = thing(completions=thing(create=chat))
            self.embeddings = thing(create=embed)

    module("openai", OpenAI=OpenAI)
    module("chromadb", PersistentClient=client)
    module("chromadb.config", Settings=lambda **_: None)
    module("dotenv", load_dotenv=lambda *_: None)
    module("jinja2", Template=lambda text: text)
    module("tqdm", tqdm=lambda some, **_: some)


class Collection:
    def __init__(self, name, metadata):
        self.name, self.metadata = name, metadata
        self.rows, self.lock = {}, threading.Lock()

    def count(self):
        return len(self.rows)

    def get(self, ids, include=()):
        found = [i for i in ids if i in self.rows]
        return {"ids": found, "embeddings": [self.rows[i][2] for i in found]}

    def add(self, ids, documents, metadatas, embeddings):
        with self.lock:
            for row in zip(ids, documents, metadatas, embeddings):
                self.rows[row[0]] = (row[1], row[2], numpy.array(row[3]))

    def query(self, query_embeddings, n_results):
        with self.lock:
            rows = list(self.rows.items())
        far = [(float(numpy.sum((row[2] - numpy.array(query_embeddings[0])) ** 2)), n) for n, (_, row) in enumerate(rows)]
        best = [(d, rows[n]) for d, n in sorted(far)[:n_results]]
        return {"ids": [[i for _, (i, _) in best]], "documents": [[row[0] for _, (_, row) in best]],
                "metadatas": [[row[1] for _, (_, row) in best]], "distances": [[d for d, _ in best]]}


class Client:
    def __init__(self):
        self.collections = {}

    def get_collection(self, name):
        if name not in self.collections:
            raise ValueError(name)
        return self.collections[name]

    def create_collection(self, name, metadata):
        self.collections[name] = Collection(name, metadata)
        return self.collections[name]

    def delete_collection(self, name):
        self.collections.pop(name, None)


clients = {}  # by folder, as the real one shares them


def client(path, settings=None):
    return clients.setdefault(path, Client())


def watch(recorder):
    """Names the questions that the authors' functions ask."""
    from src.core.boundary_detector import BoundaryDetector
    from src.generation.episode_generator import EpisodeGenerator
    from src.generation.prediction_correction_engine import PredictionCorrectionEngine

    def replace(cls, name, kind, describe):
        setattr(cls, name, recorder.within(kind, describe)(getattr(cls, name)))

    episodes = []
    replace(BoundaryDetector, "detect_boundary", "boundary", lambda _, buffer, new: {"shown": buffer.size()})
    replace(EpisodeGenerator, "generate_episode", "episode", lambda _, user_id, messages, boundary_reason="": {"messages": len(messages)})
    replace(PredictionCorrectionEngine, "_cold_start_extraction", "cold", lambda *_: {"episode": len(episodes) - 1})
    replace(PredictionCorrectionEngine, "_predict_episode", "predict", lambda _, title, known: {"episode": len(episodes) - 1, "known": known})
    replace(PredictionCorrectionEngine, "_extract_knowledge_from_comparison", "extract", lambda *_, **__: {"episode": len(episodes) - 1})
    learn = PredictionCorrectionEngine.learn_from_episode_simplified

    def learning(self, user_id, new_episode, existing_statements):
        episodes.append(new_episode.episode_id)
        return learn(self, user_id, new_episode, existing_statements)
    PredictionCorrectionEngine.learn_from_episode_simplified = learning
    return episodes


def load(name, path):
    import importlib.util
    spec = importlib.util.spec_from_file_location(name, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def sources(clone):
    """The SHA-256 of the authors' files that are run."""
    total = hashlib.sha256()
    for path in sorted([*clone.glob("src/**/*.py"), clone / "evaluation/locomo/add.py", clone / "evaluation/locomo/search.py",
                        clone / "evaluation/locomo/config.json"]):
        total.update(str(path.relative_to(clone)).encode() + b"\0" + path.read_bytes())
    return total.hexdigest()


def run(args):
    if sources(args.clone) != SOURCES:
        sys.exit(f"{args.clone}: not the files of nemori-ai/nemori at {COMMIT}; their SHA-256 is {sources(args.clone)}, want {SOURCES}")
    logging.disable(logging.CRITICAL)
    item = next(i for i in json.loads(args.locomo.read_text()) if i["sample_id"] == args.sample)
    said = " ".join(turn["text"] for turns in item["conversation"].values() if isinstance(turns, list) for turn in turns)
    words = sorted(set(re.findall(r"[a-z]{4,}", said.lower())))
    recorder = Recorder(Script(args.seed, words), args.server, args.model)
    stand_ins(recorder)
    sys.path.insert(0, str(args.clone))
    order = watch(recorder)
    add = load("nemori_add", args.clone / "evaluation/locomo/add.py")
    find = load("nemori_search", args.clone / "evaluation/locomo/search.py")
    from nemori import MemoryConfig, NemoriMemory

    settings = json.loads((args.clone / "evaluation/locomo/config.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        settings.update(storage_path=folder, chroma_persist_directory=folder + "/chroma", openai_api_key="none", semantic_generation_workers=1)
        config = MemoryConfig.from_dict(settings)
        memory = NemoriMemory(config=config)
        user = f"{item['conversation']['speaker_a']}_0"
        messages = add.build_messages(item["conversation"])
        for message in messages:
            if memory.add_messages(user, [message]).get("semantic_generation_scheduled"):
                memory.wait_for_semantic(user, timeout=600)
        memory.flush(user)
        memory.wait_for_semantic(user, timeout=600)
        return describe(recorder, memory, find, config, user, messages, order, [qa["question"] for qa in item["qa"]])


def describe(recorder, memory, find, config, user, messages, order, questions):
    system = memory._memory_system
    stored = {e.episode_id: e for e in system._episode_repository.list_by_user(user)}
    rows = client(config.chroma_persist_directory).get_collection(f"{config.chroma_collection_prefix}_{user}_semantic").rows
    numbers = {m: n for n, m in enumerate(rows)}  # by their order of arrival
    by_id = {m.memory_id: m for m in system._semantic_repository.list_by_user(user)}
    numbers.update({e: n for n, e in enumerate(order)})

    def hits(found):
        return [{"index": numbers[f.get("episode_id") or f["memory_id"]], "score": f["score"]} for f in found]

    searcher = find.LocomoSearcher(config=config, output_path=Path("none"), top_k_episodes=10, top_k_semantic=20,
                                   search_method="vector", include_original_messages_top_k=2)
    asked = []
    for question in questions:
        found = searcher.search(memory, user, question)
        searcher._hydrate_episode_results(memory, user, found["episodic"])
        searcher._hydrate_semantic_results(found["semantic"])
        asked.append({
            "question": question, "episodes": hits(found["episodic"]), "statements": hits(found["semantic"]),
            "originals": [numbers[f["episode_id"]] for f in found["episodic"] if f.get("original_messages")],
            "times": [f["timestamp"] for f in found["episodic"]], "lines": [f["content"] for f in found["episodic"]],
        })
    return {
        "system": "nemori", "commit": COMMIT, "sample": args.sample, "seed": args.seed,
        "messages": [{"speaker": m["role"], "time": m["timestamp"]} for m in messages],
        "calls": recorder.calls,
        "texts": recorder.texts,
        "episodes": [{"messages": stored[e].message_count, "title": stored[e].title, "content": stored[e].content,
                      "time": stored[e].timestamp.isoformat()} for e in order],
        "statements": [{"text": row[0], "episode": numbers[by_id[m].source_episodes[0]], "time": by_id[m].created_at.isoformat()}
                       for m, row in rows.items()],
        "questions": asked,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=lambda p: Path(p).resolve())
    parser.add_argument("locomo", type=Path)
    parser.add_argument("--sample", default="conv-26")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--server", help="an OpenAI-compatible server's address, up to /v1, instead of the script")
    parser.add_argument("--model", help="of the server")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    made = run(args)
    args.out.write_text(json.dumps(made, ensure_ascii=False, indent=1))
    print(f"{args.out}: {len(made['calls'])} calls, {len(made['episodes'])} episodes, {len(made['statements'])} statements, "
          f"{len(made['questions'])} questions")

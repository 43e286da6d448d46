#!/usr/bin/env python3
"""Run the authors' third Nemori over a LoCoMo conversation and write down what it did.

    nemori-batch.py CLONE LOCOMO --sample conv-26 --seed 1 --out FILE

CLONE is a work tree of github.com/nemori-ai/nemori at d2a6dff and LOCOMO is
locomo10.json. Needs Python 3.11 or newer with numpy. What the authors' memory is
given has stand-ins here: PostgreSQL and Qdrant are lists that are searched exactly,
the model is a seeded script, and vectors are those of nemori.py.

All messages are added at once, so that they are cut in batches of 80: the authors'
loader adds one after another, and cuts what came while the last call ran.

methods/nemori/port_batch_test.go replays the file:

    BENCH_PORTS=FOLDER go test ./methods/nemori -run PortBatch -v

The file holds text of LoCoMo; do not publish it.
"""

import argparse
import asyncio
import datetime
import importlib.util
import json
import random
import re
import sys
import types
from pathlib import Path
from unittest import mock

import numpy

COMMIT = "d2a6dff"
SOURCES = "17af0ec6343e0a945cdda48d9474e7dac08960a975fe805c9b3d341e99f3cb08"  # of the files below at that commit, see sources
USER = "somebody"


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


first = load("port_of_the_first_version", Path(__file__).parent / "nemori.py")


class Script(first.Script):
    """Replies to the calls of the third version."""

    def segmenter(self, r, prompt):
        count = len(re.findall(r"^\d+\. \[\d{4}-", prompt, re.M))
        cuts = [1] + [i for i in range(2, count + 1) if r.random() < 0.08] + [count + 1]
        episodes = [{"indices": list(range(a, b)), "topic": "talk of " + r.choice(self.words)} for a, b in zip(cuts, cuts[1:])]
        if r.random() < 0.5:  # numbers beyond the last message
            episodes[-1]["indices"] += [count + 1, count + 7]
        return json.dumps({"episodes": episodes})

    def merge_decision(self, r, prompt):
        candidates = re.findall(r"Candidate ID: (\S+)", prompt)
        merge = r.random() < 0.4
        return json.dumps({"decision": "merge" if merge else "new", "reason": r.choice(self.words),
                           "merge_target_id": r.choice(candidates + ["nobody"]) if merge else None})

    def merge_content(self, r, _):
        return self.told(r)

    def told(self, r, _=""):
        words = self.text(r)
        time = datetime.datetime(2023, 1 + r.randrange(12), 1 + r.randrange(28), r.randrange(24), r.randrange(60))
        return json.dumps({"title": " ".join(words[:4]), "content": " ".join(words[4:]).capitalize() + ".", "timestamp": time.isoformat()})

    def semantic_predict(self, r, _):
        return self.predict(r)

    def semantic_direct(self, r, _):
        # Repeated statements, which the port keeps once, are nemori.py's to compare.
        return json.dumps({"statements": list(dict.fromkeys(json.loads(self.extract(r))["statements"]))})

    semantic_extract = semantic_direct


class Model:
    """The authors' orchestrator and embedder, which write down all that is asked."""

    def __init__(self, script):
        self.script, self.calls, self.texts, self.known = script, [], {}, []

    async def execute(self, request):
        kind, prompt = request.metadata["generator"], request.messages[-1]["content"]
        kind = "told" if kind == "episode" else kind
        reply = getattr(self.script, kind)(random.Random(f"{self.script.seed}/{len(self.calls)}"), prompt)
        call = {"kind": kind, "reply": reply}
        if kind == "segmenter":
            call["shown"] = len(re.findall(r"^\d+\. \[\d{4}-", prompt, re.M))
        if kind == "merge_decision":
            call["candidates"] = re.findall(r"Candidate ID: (\S+)", prompt)
        if kind == "semantic_predict":
            call["known"] = self.known
        self.calls.append(call)
        return types.SimpleNamespace(content=reply)

    async def embed(self, text):
        v = first.vector(text)
        self.texts.setdefault(text, numpy.packbits(numpy.array(v) > 0).tobytes().hex())
        return v


class Store:
    """One of the authors' tables."""

    def __init__(self):
        self.rows = {}

    async def save(self, row):
        self.rows[row.id] = row

    async def save_batch(self, rows):
        for row in rows:
            self.rows[row.id] = row

    async def delete(self, i, *_):
        self.rows.pop(i, None)

    async def get_batch(self, ids, *_):
        return [self.rows[i] for i in ids if i in self.rows]


class Buffer:
    def __init__(self):
        self.messages = []

    async def push(self, _user, _agent, messages):
        self.messages += messages

    async def count_unprocessed(self, *_):
        return len(self.messages)

    async def get_unprocessed(self, *_):
        taken, self.messages = self.messages, []
        return taken


class Vectors:
    """Qdrant, searched exactly; of equal cosines the earlier comes first."""

    def __init__(self):
        self.episodes, self.semantics = {}, {}

    def upsert_episode(self, i, _user, _agent, vector):
        self.episodes[i] = numpy.array(vector)

    def upsert_semantic(self, i, _user, _agent, vector):
        self.semantics[i] = numpy.array(vector)

    def delete_episode(self, i):
        self.episodes.pop(i, None)

    def search_episodes(self, _user, _agent, vector, top_k):
        return search(self.episodes, vector, top_k)

    def search_semantic(self, _user, _agent, vector, top_k):
        return search(self.semantics, vector, top_k)


def search(rows, vector, top_k):
    found = [{"id": i, "score": float(numpy.dot(v, vector))} for i, v in rows.items()]
    return sorted(found, key=lambda f: -f["score"])[:top_k]


def sources(clone):
    """The SHA-256 of the authors' files that are run."""
    import hashlib
    total = hashlib.sha256()
    for path in sorted([*clone.glob("nemori/**/*.py"), clone / "evaluation/locomo/add.py", clone / "evaluation/locomo/config.json"]):
        total.update(str(path.relative_to(clone)).encode() + b"\0" + path.read_bytes())
    return total.hexdigest()


async def run(args):
    if sources(args.clone) != SOURCES:
        sys.exit(f"{args.clone}: not the files of nemori-ai/nemori at {COMMIT}; their SHA-256 is {sources(args.clone)}, want {SOURCES}")
    for name in ["asyncpg", "openai", "qdrant_client", "qdrant_client.models", "PIL", "dotenv", "tqdm", "tqdm.asyncio"]:
        sys.modules[name] = mock.MagicMock()
    sys.path.insert(0, str(args.clone))
    from nemori.core.memory_system import MemorySystem
    from nemori.domain.models import Message
    from nemori.llm.generators.episode import EpisodeGenerator
    from nemori.llm.generators.merger import EpisodeMerger
    from nemori.llm.generators.semantic import SemanticGenerator
    add = load("nemori_add", args.clone / "evaluation/locomo/add.py")
    config = add.load_config(args.clone / "evaluation/locomo/config.json")

    item = next(i for i in json.loads(args.locomo.read_text()) if i["sample_id"] == args.sample)
    messages = add.build_messages(item["conversation"])
    said = " ".join(turn["text"] for turns in item["conversation"].values() if isinstance(turns, list) for turn in turns)
    model = Model(Script(args.seed, False, sorted(set(re.findall(r"[a-z]{4,}", said.lower())))))
    episodes, statements, vectors, order = Store(), Store(), Vectors(), []
    system = MemorySystem(
        config=config, agent_id=config.agent_id, db=None, episode_store=episodes, semantic_store=statements,
        buffer_store=Buffer(), orchestrator=model, embedding=model,
        episode_generator=EpisodeGenerator(model, model),
        semantic_generator=SemanticGenerator(model, model, config.enable_prediction_correction),
        event_bus=None, search=None, qdrant=vectors,
        merger=EpisodeMerger(model, model, episodes, vectors, config.merge_similarity_threshold, config.merge_top_k))
    learn = system._semantic_gen.generate

    async def learning(user, agent, episode, known):
        order.append(episode)
        model.known = [s.content for s in known]
        return await learn(user, agent, episode, known)
    system._semantic_gen.generate = learning

    given = [Message.from_dict({**m, "message_id": str(n)}) for n, m in enumerate(messages)]
    await system._buffer_store.push(USER, config.agent_id, given)
    await system.flush(USER)

    numbers = {e.id: n for n, e in enumerate(order)}
    rank = {i: n for n, i in enumerate(statements.rows)}
    for call in model.calls:
        if "candidates" in call:
            target = json.loads(call["reply"])["merge_target_id"]
            call["target"] = call["candidates"].index(target) + 1 if target in call["candidates"] else 0
            call["candidates"] = [numbers[i] for i in call["candidates"]]
    asked = []
    for qa in item["qa"]:
        vector = first.vector(qa["question"])
        asked.append({"question": qa["question"],
                      "episodes": [{"index": numbers[h["id"]], "score": h["score"]} for h in vectors.search_episodes("", "", vector, 10)],
                      "statements": [{"index": rank[h["id"]], "score": h["score"]} for h in vectors.search_semantic("", "", vector, 20)]})
    return {
        "system": "nemori-batch", "commit": COMMIT, "sample": args.sample, "seed": args.seed, "calls": model.calls, "texts": model.texts,
        "episodes": [{"messages": [int(m["message_id"]) for m in e.source_messages], "title": e.title, "content": e.content,
                      "time": e.created_at.replace(tzinfo=None).isoformat()} for e in order],
        "statements": [{"text": s.content, "episode": numbers[s.source_episode_id]} for s in statements.rows.values()],
        "questions": asked,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=lambda p: Path(p).resolve())
    parser.add_argument("locomo", type=Path)
    parser.add_argument("--sample", default="conv-26")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    made = asyncio.run(run(args))
    args.out.write_text(json.dumps(made, ensure_ascii=False, indent=1))
    print(f"{args.out}: {len(made['calls'])} calls, {len(made['episodes'])} episodes, {len(made['statements'])} statements, "
          f"{len(made['questions'])} questions")

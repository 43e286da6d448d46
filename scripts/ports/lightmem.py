#!/usr/bin/env python3
"""Run the authors' LightMem over one conversation and write down what it did.

	bench data export locomo --questions --out locomo.jsonl
	python3 scripts/ports/lightmem.py --clone LightMem --conversation locomo.jsonl \
	    --sample conv-26 --seed 1 --out PORTS/lightmem-conv-26-1.json
	BENCH_PORTS=PORTS go test ./methods/lightmem -run Port -v

CLONE is a work tree of github.com/zjunlp/LightMem at 8fc9a91. Their code is run
as it is, with the settings of its experiments/locomo/add_locomo.py. What stands
in for models is deterministic: words are left out by their hash, attention and
embeddings are made of hashes, and a scripted answerer replies to prompts. With
--server and --model an OpenAI-compatible server replies instead.

It needs numpy, pydantic, qdrant-client, openai, httpx and tiktoken; torch,
transformers, llmlingua, sentence_transformers and spacy are replaced by empty
modules, since none of the code under test depends on them.

The file that it writes holds the conversation, so it is not for sharing.
"""

import argparse
import hashlib
import json
import math
import os
import random
import sys
import tempfile
import time
import types
import uuid
from datetime import datetime

COMMIT = "8fc9a91"
DIM = 96


def number(*parts):
    """A number from 0 to 1 that depends on the parts alone."""
    digest = hashlib.sha256("\x00".join(str(p) for p in parts).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def vector(text):
    """Words, hashed and weighed by their hash so that ties are rare, brought to
    length 1; 6 decimals."""
    v = [0.0] * DIM
    for word in text.lower().split():
        digest = hashlib.sha256(word.encode()).digest()
        v[digest[0] % DIM] += (0.5 + digest[2] / 255) * (1 if digest[1] % 2 else -1)
    norm = math.sqrt(sum(x * x for x in v))
    if norm == 0:
        v[0] = norm = 1.0
    return [round(x / norm, 6) for x in v]


class Tokenizer:
    """Counts four characters of a word as a token, and adds two around a text."""

    cls_token_id, sep_token_id = 0, 1

    def __init__(self, special):
        self.special = special

    def encode(self, text, add_special_tokens=True):
        n = sum((len(word) + 3) // 4 for word in text.split())
        return [0] * (n + (self.special if add_special_tokens else 0))


class Log:
    """What the authors' code did, in order."""

    def __init__(self):
        self.embedded, self.replies, self.matrices, self.batches = [], [], [], []

    def embed(self, text):
        self.embedded.append(text)
        return vector(text)


def stand_ins(log, rate, seed):
    """Replace the packages that only models need."""

    class Compressor:
        def __init__(self, **_):
            self.model = types.SimpleNamespace(config=types.SimpleNamespace(max_position_embeddings=512))
            self.tokenizer = Tokenizer(2)

        def compress_prompt(self, context, **_):
            text = context[0] if isinstance(context, list) else context
            return {"compressed_prompt": " ".join(w for w in text.split() if number("word", w.lower()) < rate)}

    class Sentences:
        def __init__(self, *_, **__):
            pass

        def encode(self, text, **_):
            return log.embed(text)

    def module(name, **members):
        m = types.ModuleType(name)
        m.__dict__.update(members)
        sys.modules[name] = m

    nothing = type("Nothing", (), {})
    module("torch", long=None, no_grad=None)
    module("transformers", AutoTokenizer=nothing, AutoModel=nothing, PreTrainedTokenizerBase=nothing)
    module("transformers.tokenization_utils_fast", PreTrainedTokenizerFast=nothing)
    module("transformers.tokenization_utils", PreTrainedTokenizer=nothing)
    module("llmlingua", PromptCompressor=Compressor)
    module("sentence_transformers", SentenceTransformer=Sentences)
    module("spacy")


def attention(log, seed):
    def matrix(_, texts):
        # A wave with a peak every 13 messages, so that some boundaries are near one.
        m = [[0.0] * len(texts) for _ in texts]
        for i in range(1, len(texts)):
            m[i][i - 1] = 1 + math.sin(2 * math.pi * (i / 13 + number("attention", seed, texts[0])))
        log.matrices.append({"texts": list(texts), "matrix": m})
        import numpy

        return numpy.array(m)

    return matrix


# Facts that come back in other words, so that revisions have something to do.
STOCK = [
    "{who} likes long walks by the sea and has two dogs at home, {mark}",
    "{who} likes long walks by the sea and has three dogs at home, {mark}",
    "{who} plans to move to a house near the old harbour next summer, {mark}",
]


def mark(dice):
    """A word that no other text has."""
    return f"{dice.randrange(1 << 32):08x}"


def scripted_facts(lines, dice):
    """Facts of numbered lines."""
    data = []
    for at, who, text in lines:
        if dice.random() < 0.15:
            continue
        words = text.split()
        data.append({"source_id": at, "fact": f"{who} told that " + " ".join(words[:14]) + "."})
        if dice.random() < 0.25 and len(words) > 14:
            data.append({"source_id": at, "fact": f"{who} also told of " + " ".join(words[14:28]) + "."})
        if dice.random() < 0.12:
            data.append({"source_id": at, "fact": dice.choice(STOCK).format(who=who, mark=mark(dice)) + "."})
    return json.dumps({"data": data})


def scripted_revision(target, dice):
    action = dice.choice(["update", "delete", "ignore"])
    text = target.rstrip(".") + ", as was said again later." if action == "update" else ""
    return json.dumps({"action": action, "new_memory": text})


def answerer(log, seed):
    def reply(manager, messages, response_format=None, tools=None, tool_choice="auto"):
        prompt = messages[-1]["content"]
        dice = random.Random(hashlib.sha256(f"{seed}\x00{prompt}".encode()).hexdigest())
        if prompt.startswith("Target memory:"):
            target, _, rest = prompt[len("Target memory:"):].partition("\nCandidate memories:\n")
            text = scripted_revision(target, dice)
            log.replies.append({"kind": "revise", "key": [target] + [c[2:] for c in rest.split("\n")], "reply": text})
        else:
            lines = []
            for line in prompt.split("\n"):
                if line.startswith("["):
                    head, _, text = line.partition("] ")[2].partition(": ")
                    at, _, who = head.partition(".")
                    lines.append((int(at), who, text))
            text = scripted_facts(lines, dice)
            log.replies.append({"kind": "facts", "key": [t for _, _, t in lines], "reply": text})
        return text, {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}

    return reply


def recorded(log, ask):
    """Log the replies of a server."""

    def reply(manager, messages, **options):
        text, usage = ask(manager, messages, **options)
        prompt = messages[-1]["content"]
        if prompt.startswith("Target memory:"):
            target, _, rest = prompt[len("Target memory:"):].partition("\nCandidate memories:\n")
            log.replies.append({"kind": "revise", "key": [target] + [c[2:] for c in rest.split("\n")], "reply": text})
        else:
            texts = [l.partition("] ")[2].partition(": ")[2] for l in prompt.split("\n") if l.startswith("[")]
            log.replies.append({"kind": "facts", "key": texts, "reply": text})
        return text, usage

    return reply


def read(path, sample):
    turns, questions = [], []
    with open(path, encoding="utf-8") as f:
        for line in f:
            o = json.loads(line)
            if o.get("sample") != sample:
                continue
            if o.get("type") == "turn":
                turns.append(o)
            elif "question" in o or o.get("type") in ("question", "request"):
                questions.append(o.get("question") or o.get("text"))
    if not turns:
        sys.exit(f"{path}: no turns of the sample {sample!r}")
    return turns, questions


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--clone", required=True, help="work tree of the authors' repository at " + COMMIT)
    p.add_argument("--conversation", required=True, help="JSON Lines of 'bench data export NAME --questions'")
    p.add_argument("--sample", required=True)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--rate", type=float, default=0.6, help="share of words that is kept")
    p.add_argument("--server", help="base URL of an OpenAI-compatible server that replies instead of the script")
    p.add_argument("--model", default="gpt-4o-mini")
    p.add_argument("--out", required=True)
    args = p.parse_args()

    os.environ["TZ"] = "UTC"
    time.tzset()
    log = Log()
    stand_ins(log, args.rate, args.seed)
    clone, out = os.path.abspath(args.clone), os.path.abspath(args.out)
    turns, questions = read(args.conversation, args.sample)
    sys.path[:0] = [os.path.join(clone, "src"), os.path.join(clone, "experiments", "locomo")]

    folder = tempfile.mkdtemp()
    os.chdir(folder)
    import qdrant_client  # before ids are counted

    counter = iter(range(1, 1 << 40))
    uuid.uuid4 = lambda: uuid.UUID(int=next(counter))  # the store sorts by id: this is the order of insertion
    from lightmem.factory.memory_buffer import short_term_memory
    from lightmem.factory.memory_manager import openai as manager
    from lightmem.factory.topic_segmenter import llmlingua_2 as segmenter

    short_term_memory.resolve_tokenizer = lambda _: Tokenizer(0)
    segmenter.LlmLingua2Segmenter.sentence_level_attention = attention(log, args.seed)
    ask = manager.OpenaiManager.generate_response
    manager.OpenaiManager.generate_response = recorded(log, ask) if args.server else answerer(log, args.seed)
    extract = manager.OpenaiManager.meta_text_extract

    def logged(self, extract_list, **options):
        log.batches.extend([[m["turn"] for m in seg if m["role"] == "user"] for seg in batch] for batch in extract_list)
        return extract(self, extract_list=extract_list, **options)

    manager.OpenaiManager.meta_text_extract = logged
    from lightmem.memory.lightmem import LightMemory

    memory = LightMemory.from_config({
        "pre_compress": True,
        "pre_compressor": {"model_name": "llmlingua-2", "configs": {
            "llmlingua_config": {"model_name": None, "device_map": "cpu", "use_llmlingua2": True},
            "compress_config": {"instruction": "", "rate": args.rate, "target_token": -1}}},
        "topic_segment": True, "precomp_topic_shared": True,
        "topic_segmenter": {"model_name": "llmlingua-2"},
        "messages_use": "user_only", "metadata_generate": True, "text_summary": True,
        "memory_manager": {"model_name": "openai", "configs": {
            "model": args.model, "api_key": os.environ.get("OPENAI_API_KEY", "none"), "max_tokens": 16000, "openai_base_url": args.server or "http://localhost"}},
        "index_strategy": "embedding",
        "text_embedder": {"model_name": "huggingface", "configs": {"model": "stand-in", "embedding_dims": DIM, "model_kwargs": {}}},
        "retrieve_strategy": "embedding",
        "embedding_retriever": {"model_name": "qdrant", "configs": {
            "collection_name": "port", "embedding_model_dims": DIM, "path": folder + "/store", "on_disk": True}},
        "update": "offline", "extraction_mode": "flat",
    })

    short = []
    compress = memory.compressor.compress

    def noted(messages, *rest):
        messages = compress(messages, *rest)
        short.append(messages[0]["content"])
        return messages

    memory.compressor.compress = noted
    for i, turn in enumerate(turns):
        text = turn["text"]
        caption = (turn.get("image") or {}).get("caption")
        if caption:
            text += f" (image description: {caption})"
        at = datetime.fromisoformat(turn["time"].replace("Z", "")).strftime("%Y-%m-%d %H:%M:%S")
        pair = [{"role": r, "content": c, "speaker_name": turn["speaker"], "speaker_id": turn["speaker"], "time_stamp": at, "turn": i}
                for r, c in (("user", text), ("assistant", ""))]
        last = i == len(turns) - 1
        memory.add_memory(messages=pair, METADATA_GENERATE_PROMPT="", force_segment=last, force_extract=last)

    def store():
        keys = ("memory", "time_stamp", "weekday", "speaker_name", "topic_id")
        return [{"id": e["id"], **{k: e["payload"].get(k) for k in keys}} for e in memory.embedding_retriever.get_all()]

    before = store()
    memory.construct_update_queue_all_entries(max_workers=1)
    queues = [[{"id": c["id"], "score": c["score"]} for c in e["payload"].get("update_queue", [])] for e in memory.embedding_retriever.get_all()]
    memory.offline_update_all_entries(score_threshold=0.9, max_workers=1)
    after = store()

    from retrievers import VectorRetriever
    from search_locomo import retrieve_by_speaker

    documents = list(log.embedded)
    entries = memory.embedding_retriever.get_all()
    retriever = VectorRetriever(memory.text_embedder)


    def hits(found):
        return [{"id": h["id"], "score": h["score"], "speaker": h["payload"]["speaker_name"]} for h in found]

    asked = [{"question": q, "retrieved": hits(retriever.retrieve(entries, q, limit=60))}
             for q in questions]

    texts = set(log.embedded)
    reference = {
        "system": "lightmem", "commit": COMMIT, "sample": args.sample, "seed": args.seed,
        "turns": [{"id": t["id"], "session": t["session"], "time": t["time"], "speaker": t["speaker"], "short": s} for t, s in zip(turns, short)],
        "replies": log.replies, "attention": log.matrices, "batches": log.batches,
        "documents": documents, "vectors": {t: vector(t) for t in sorted(texts)},
        "before": before, "queues": queues, "after": after, "questions": asked,
    }
    with open(out, "w", encoding="utf-8") as f:
        json.dump(reference, f, ensure_ascii=False)
    shown = sum(len(seg) for batch in log.batches for seg in batch)
    sys.stderr.write(f"{args.sample}: {len(turns)} turns, {shown} of them in {len(log.batches)} batches, {len(log.replies)} replies, "
                     f"{len(before)} facts, {len(after)} after revision, {len(asked)} questions\n")


if __name__ == "__main__":
    main()

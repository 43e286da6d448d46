#!/usr/bin/env python3
"""Run the authors' MemoryOS over a LoCoMo conversation and write down what it did.

    memoryos.py CLONE LOCOMO --code eval|pypi --sample conv-26 --seed 1 [--hostile] --out FILE

CLONE is a work tree of github.com/BAI-LAB/MemoryOS at 1d71706 and LOCOMO is
locomo10.json. Needs Python 3.11 or newer with numpy. What else the authors import
has stand-ins here:

  openai                 replies come from a seeded script, or from
                         --server URL --model NAME
  sentence_transformers  vectors from the function vector below
  faiss                  exact search by product, ties in the order of arrival
  tiktoken               never called

Ids are counted instead of drawn, so that the heap of segments breaks ties by age;
the clock is the time of the page that comes in; files are not written. Times of
turns are written as "8 May 2023 13:56", captions as "[image: caption]" behind the
text, and white space is folded, as the port does, so that both embed the same texts.

methods/memoryos/port_test.go replays the file:

    BENCH_PORTS=FOLDER go test ./methods/memoryos -run Port -v

It takes the files FOLDER/memoryos-*.json. They hold text of LoCoMo; do not publish
them.
"""

import argparse
import datetime
import hashlib
import json
import random
import re
import sys
import tempfile
import threading
import types
import urllib.request
from pathlib import Path

import numpy

SIZE = 256

# The functions that call a model, and what for.
KINDS = {
    "_is_conversation_continuing": "continuity", "check_conversation_continuity": "continuity",
    "_generate_meta_info": "overview", "generate_page_meta_info": "overview",
    "gpt_generate_multi_summary": "themes", "llm_extract_keywords": "keywords",
    "analyze_assistant_knowledge": "assistant", "gpt_personality_analysis": "personality", "gpt_update_profile": "merge",
    "gpt_user_profile_analysis": "profile", "gpt_knowledge_extraction": "knowledge",
}


def vector(text):
    """The sum of the patterns of a text's words, 1 or -1 in each of 256 places."""
    total = numpy.zeros(SIZE, dtype=numpy.float32)
    for word in [""] + re.findall(r"[a-z0-9]+", text.lower()):
        digest = hashlib.sha256(word.encode()).digest()
        total += numpy.unpackbits(numpy.frombuffer(digest, dtype=numpy.uint8)).astype(numpy.float32) * 2 - 1
    return total


class Script:
    """Replies that a model could give, the same for the same seed."""

    WORDS = ("harbour lantern garden violin kettle ladder meadow compass blanket orchard bicycle pottery notebook river "
             "saddle window market bakery puppet thunder feather station village hammer castle island ribbon candle").split()
    PROSE = ["Gladly! Here is what you asked for.", "Je ne sais pas, désolé.", "这段对话讨论了花园。", "null"]

    def __init__(self, seed, hostile):
        self.seed, self.hostile = seed, hostile
        pick = random.Random(f"{seed}/topics")
        self.topics = [[pick.choice(self.WORDS) + str(pick.randrange(40)) for _ in range(12)] for _ in range(40)]

    def reply(self, kind, n, prompt):
        r = random.Random(f"{self.seed}/{kind}/{n}")
        good = getattr(self, kind)(r, prompt)
        if not self.hostile or r.random() > 0.2:
            return good
        # What the authors' code dies of is not among these, nor what the port takes
        # otherwise on purpose: docs/methods.md lists both.
        broken = {
            "continuity": self.PROSE + ["", "True.", "TRUE ", "yes"],
            "overview": self.PROSE,
            "themes": self.PROSE[:3] + ["", "[]", good[: len(good) // 2], "Here: " + good],
            "keywords": self.PROSE + ["", " , ,", "a,a, b"],
            "personality": self.PROSE + ["", good.replace("【", "["), "【User Data】"],
            "assistant": self.PROSE + ["", "None", "- None"],
            "merge": self.PROSE,
            "profile": self.PROSE + ["", "None"],
            "knowledge": self.PROSE + ["", "【User Private Data】\n- None\n【Assistant Knowledge】\n- None."],
        }
        return r.choice(broken[kind])

    def words(self, r, topic, n):
        words = list(topic)
        words[r.randrange(len(words))] = r.choice(self.WORDS)
        return " ".join(words[:n])

    def continuity(self, r, prompt):
        return r.choice(["true", "true", "false", "True", " true\n"])

    def overview(self, r, prompt):
        return "They spoke of " + self.words(r, r.choice(self.topics), 8) + "."

    def themes(self, r, prompt):
        themes = []
        for topic in r.sample(self.topics, r.choice([1, 1, 2, 2, 3])):
            themes.append({"theme": topic[0], "keywords": r.sample(topic, r.randrange(4)), "content": self.words(r, topic, 10).capitalize() + "."})
        if len(themes) > 1 and r.random() < 0.15:
            themes[1] = dict(themes[0])  # the same theme twice
        return json.dumps(themes)

    def keywords(self, r, prompt):
        found = [w for topic in self.topics for w in topic if w in prompt.lower()]
        found = found or re.findall(r"[a-z]{5,}", prompt[-200:].lower())
        return r.choice([", ", ","]).join(r.sample(found, min(len(found), 3)))

    def lines(self, r, who):
        return "\n".join(f"- {who} has {self.words(r, r.choice(self.topics), 4)}" for _ in range(r.randrange(4))) or "- None"

    def personality(self, r, prompt):
        return "【User Profile】\n" + self.profile(r, prompt) + "\n【User Data】\n" + self.lines(r, "User")

    def assistant(self, r, prompt):
        return "【Assistant Knowledge】\n" + self.lines(r, "I")

    def merge(self, r, prompt):
        return self.profile(r, prompt)

    def profile(self, r, prompt):
        return "1. Traits:\n   - calm: likes " + self.words(r, r.choice(self.topics), 6) + "\n2. Values"

    def knowledge(self, r, prompt):
        return f"【User Private Data】\n{self.lines(r, 'User')}\n【Assistant Knowledge】\n{self.lines(r, 'Assistant')}"


class Recorder:
    """Answers for the models and writes down all that is asked."""

    def __init__(self, script, server, model):
        self.script, self.server, self.model = script, server, model
        self.replies, self.texts = {}, {}
        self.lock = threading.Lock()

    def chat(self, messages, **params):
        frame = sys._getframe(1)
        while frame.f_code.co_name not in KINDS:
            frame = frame.f_back
        kind = KINDS[frame.f_code.co_name]
        with self.lock:
            replies = self.replies.setdefault(kind, [])
            prompt = messages[-1]["content"]
            text = self.served(messages, **params) if self.server else self.script.reply(kind, len(replies), prompt)
            replies.append(text)
        return text

    def served(self, messages, temperature, max_tokens, **_):
        body = {"model": self.model, "messages": messages, "temperature": temperature, "max_tokens": max_tokens}
        request = urllib.request.Request(self.server.rstrip("/") + "/chat/completions", json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=600) as reply:
            return json.load(reply)["choices"][0]["message"]["content"] or ""

    def encode(self, texts, **_):
        for text in texts:
            self.texts[text] = True
        return numpy.array([vector(text) for text in texts])


class FlatIP:
    """Exact search by product."""

    def __init__(self, dim):
        self.rows = numpy.zeros((0, dim), dtype=numpy.float32)

    def add(self, rows):
        self.rows = numpy.vstack([self.rows, rows])

    def search(self, queries, k):
        scores = self.rows @ queries[0]
        order = numpy.argsort(-scores, kind="stable")[:k]
        missing = k - len(order)
        return (numpy.concatenate([scores[order], numpy.full(missing, -3e38)])[None],
                numpy.concatenate([order, numpy.full(missing, -1)])[None])


def stand_ins(recorder):
    class Client:
        def __init__(self, **_):
            self.chat = types.SimpleNamespace(completions=types.SimpleNamespace(create=self.create))

        def create(self, model, messages, **params):
            text = recorder.chat(messages, **params)
            return types.SimpleNamespace(choices=[types.SimpleNamespace(message=types.SimpleNamespace(content=text))])

    def module(name, **members):
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(members)

    module("openai", OpenAI=Client)
    module("sentence_transformers", SentenceTransformer=lambda *_, **__: types.SimpleNamespace(encode=recorder.encode))
    module("faiss", IndexFlatIP=FlatIP)
    module("tiktoken")


def folded(text):
    return " ".join(text.split())


def conversation(sample):
    """The conversation as the authors' loader reads it, and its turns one by one."""
    source, turns = sample["conversation"], []
    out = {"speaker_a": source["speaker_a"], "speaker_b": source["speaker_b"]}
    for key in [k for k in source if re.fullmatch(r"session_\d+", k)]:
        at = datetime.datetime.strptime(source[key + "_date_time"], "%I:%M %p on %d %B, %Y")
        out[key + "_date_time"] = f"{at.day} {at:%B %Y %H:%M}"
        out[key] = []
        for turn in source[key]:
            text = folded(turn["text"])
            if turn.get("blip_caption"):
                text += " [image: " + folded(turn["blip_caption"]) + "]"
            out[key].append({"speaker": turn["speaker"], "text": text})
            turns.append({"id": turn["dia_id"], "session": key, "time": at.isoformat() + "Z", "speaker": turn["speaker"], "text": text})
    return out, turns


def segments(mid):
    found = []
    for s in mid.sessions.values():
        found.append({
            "summary": s["summary"], "keywords": sorted(s["summary_keywords"]), "interactions": s["L_interaction"], "heat": s["H_segment"],
            "pages": [{
                "page": number(p["page_id"]), "overview": p["meta_info"], "prev": number(p["pre_page"]), "next": number(p["next_page"]),
                "keywords": sorted(p["page_keywords"]), "analysed": p["analyzed"],
            } for p in s["details"]],
        })
    return found


def number(id):
    return int(id.rsplit("_", 1)[1]) if id else 0


def cosine(a, b):
    a, b = vector(a).astype(float), vector(b).astype(float)
    return float(a @ b / numpy.sqrt((a @ a) * (b @ b)))


def pages(found, question, text):
    return [{"page": number(p["page_id"]), "score": cosine(text(p), question)} for p in found]


def drive_eval(utils, dialogs, sample, questions, clock):
    import main_loco_parse as main
    main.MidTermMemory.save = main.LongTermMemory.save = main.ShortTermMemory.save = lambda self: None
    short = main.ShortTermMemory(max_capacity=1, file_path="short")
    mid = main.MidTermMemory(max_capacity=2000, file_path="mid")
    long = main.LongTermMemory(file_path="long")
    updater = main.DynamicUpdate(short, mid, long, topic_similarity_threshold=0.6, client=main.client)
    retriever = main.RetrievalAndAnswer(short, mid, long, updater, queue_capacity=10)
    for d in dialogs:
        clock(d)
        short.add_qa_pair(d)
        if short.is_full():
            updater.bulk_evict_and_update_mid_term()
        main.update_user_profile_from_top_segment(mid, long, sample, main.client)
    store = {
        "segments": segments(mid), "short": len(short.get_all()), "profile": long.get_raw_user_profile(sample),
        "user": [k["knowledge"] for k in long.get_knowledge()], "assistant": [k["knowledge"] for k in long.get_assistant_knowledge()],
    }
    found = []
    for q in questions:
        got = retriever.retrieve(q, segment_threshold=0.1, page_threshold=0.1, knowledge_threshold=0.1, client=main.client)
        text = lambda p: p["user_input"] + p["timestamp"] + p["agent_response"]
        found.append({"question": q, "pages": pages(got["retrieval_queue"], q, text), "user": [k["knowledge"] for k in got["long_term_knowledge"]]})
    return store, found


def drive_pypi(utils, dialogs, sample, questions, clock):
    import memoryos
    memoryos.MidTermMemory.save = memoryos.LongTermMemory.save = memoryos.ShortTermMemory.save = lambda self: None
    os = memoryos.Memoryos(user_id=sample, openai_api_key="none", data_storage_path="data")
    for d in dialogs:
        clock(d)
        os.add_memory(d["user_input"], d["agent_response"], d["timestamp"])
    store = {
        "segments": segments(os.mid_term_memory), "short": len(os.short_term_memory.get_all()),
        "profile": os.user_long_term_memory.get_raw_user_profile(sample),
        "user": [k["knowledge"] for k in os.user_long_term_memory.get_user_knowledge()],
        "assistant": [k["knowledge"] for k in os.assistant_long_term_memory.get_assistant_knowledge()],
    }
    found = []
    for q in questions:
        got = os.retriever.retrieve_context(user_query=q, user_id=sample)
        text = lambda p: f"User: {p['user_input']} Assistant: {p['agent_response']}"
        found.append({"question": q, "pages": pages(got["retrieved_pages"], q, text),
                      "user": [k["knowledge"] for k in got["retrieved_user_knowledge"]],
                      "assistant": [k["knowledge"] for k in got["retrieved_assistant_knowledge"]]})
    return store, found


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("clone", type=Path)
    arguments.add_argument("locomo", type=Path)
    arguments.add_argument("--code", choices=["eval", "pypi"], default="eval")
    arguments.add_argument("--sample", default="conv-26")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--hostile", action="store_true", help="a fifth of the replies are broken")
    arguments.add_argument("--server", help="base URL of an OpenAI-compatible server that replies instead of the script")
    arguments.add_argument("--model", help="the server's model")
    arguments.add_argument("--out", type=Path, required=True)
    a = arguments.parse_args()

    sample = next(s for s in json.loads(a.locomo.read_text()) if s["sample_id"] == a.sample)
    talk, turns = conversation(sample)
    recorder = Recorder(Script(a.seed, a.hostile), a.server, a.model)
    stand_ins(recorder)
    loader = a.clone.resolve() / "eval"
    code = loader if a.code == "eval" else a.clone.resolve() / "memoryos-pypi"
    out = a.out.resolve()
    import os
    os.chdir(tempfile.mkdtemp())  # the authors write beside where they stand
    sys.path.insert(0, str(code))
    import builtins
    builtins.print, said = lambda *_, **__: None, print  # they tell each step
    import utils

    now, counts = [""], {}

    def generate_id(prefix="id"):
        # The package draws ids for pages that have one, and drops them.
        if prefix == "page" and sys._getframe(1).f_code.co_name not in ("bulk_evict_and_update_mid_term", "process_short_term_to_mid_term"):
            return "page_0"
        counts[prefix] = counts.get(prefix, 0) + 1
        return f"{prefix}_{counts[prefix]:08d}"

    def clock(dialog):
        now[0] = f"{datetime.datetime.strptime(dialog['timestamp'], '%d %B %Y %H:%M'):%Y-%m-%d %H:%M:%S}"

    utils.generate_id, utils.get_timestamp = generate_id, lambda: now[0]
    scope = {}
    # Of the loader only its pairing is needed; the rest of its file is the evaluation's.
    source = (loader / "main_loco_parse.py").read_text()
    exec(source[source.index("def process_conversation"):source.index("def main()")], scope)
    dialogs = scope["process_conversation"](talk)
    drive = drive_eval if a.code == "eval" else drive_pypi
    store, found = drive(utils, dialogs, a.sample, [q["question"] for q in sample["qa"]], clock)
    files = sorted(code.glob("*.py"))
    # What the package takes for the summary of a page whose reply it cannot read.
    fallback = re.findall(r'fallback_summary = "(.*)"', "".join(p.read_text() for p in files))
    out.write_text(json.dumps({
        "code": a.code, "sample": a.sample, "seed": a.seed, "hostile": a.hostile,
        "sources_sha256": hashlib.sha256(b"".join(p.read_bytes() for p in files)).hexdigest(),
        "fallback": "".join(fallback), "speakers": [talk["speaker_a"], talk["speaker_b"]], "turns": turns,
        "replies": recorder.replies, "texts": list(recorder.texts), "store": store, "found": found,
    }, ensure_ascii=False, indent=1))
    said(f"{a.code} {a.sample}: {sum(map(len, recorder.replies.values()))} calls, {len(recorder.texts)} texts, "
         f"{len(store['segments'])} segments, {len(found)} questions -> {out}")


if __name__ == "__main__":
    main()

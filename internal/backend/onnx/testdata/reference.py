"""Embed 1,000 texts with onnxruntime and tokenizers, for TestReference.

    pip install numpy==2.4.6 onnxruntime==1.32.0 tokenizers==0.23.3 safetensors==0.8.0
    python internal/backend/onnx/testdata/reference.py FOLDER > reference.jsonl
    python internal/backend/onnx/testdata/reference.py FOLDER speed
    head -60 reference.jsonl | python internal/backend/onnx/testdata/reference.py FOLDER numpy

A number behind FOLDER, such as 100, takes the first texts only. The second command prints texts a second, as BenchmarkEmbed does. The third
computes the same vectors from model.safetensors by hand, and prints the least
cosine with those that it reads: it shows that the graph is the model.
"""

import json
import math
import os
import pathlib
import random
import sys
import time

os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

folder = pathlib.Path(sys.argv[1])
what = sys.argv[2] if len(sys.argv) > 2 else ""
tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
tokenizer.no_padding()
tokenizer.enable_truncation(json.loads((folder / "sentence_bert_config.json").read_text())["max_seq_length"])

sentences = """On Monday we went to the lake and saw two swans there again.
Did you ever finish the painting that hung in your grandmother's kitchen?
I can't believe it's already been three years since Anna moved to Lisbon!
The appointment is at 14:30 on 3 May 2023, not on the 4th; please confirm.
He paid $1,299.99 (incl. 19% VAT) for a used camera: too much, if you ask me.
Ich hätte gern zwei Brötchen und einen Kaffee, bitte. Größe: mittel.
Où est-ce que tu as mis les clés de la voiture, mon cœur ?
¿Cuándo empieza el curso de cerámica? Mañana a las ocho y media.
昨日、友達と一緒に新しい映画を見に行きました。とても面白かったです。
我们星期六去爬山吧，如果天气好的话。
Завтра утром поезд отправляется в семь часов с третьего пути.
הם גרים בבית קטן ליד הים. متى ستعود إلى البيت يا صديقي؟
मैं कल बाज़ार जाऊँगा और ताज़े फल लाऊँगा।
lol omg 😂😂 that dog 🐶 is sooo cute!!! 👍🏽 👩‍👩‍👧
https://example.com/path?q=cats&lang=en#top or mail me: ann@example.org
for (int i = 0; i < n; i++) { sum += a[i] * b[i]; } // dot product
{"id": 17, "name": "O'Neil", "tags": ["x", "y"], "ratio": 0.5e-3}
ANTIDISESTABLISHMENTARIANISM, pneumonoultramicroscopicsilicovolcanoconiosis
naïve café façade — “quoted” … ½ ﬁne ①②③ Ⅷ ｆｕｌｌ ｗｉｄｔｈ
x""".split("\n")


def texts():
    r = random.Random(15)
    made = ["", " ", "\t\n", ".", "?!", "a", "\u200b", "a\x00b\ufffdc", "e\u0301 \u0130 \u00df"] + sentences
    while len(made) < 1000:
        kind = r.randrange(5)
        if kind == 0:  # some sentences, up to far beyond what the model takes
            made.append(" ".join(r.choices(sentences, k=int(math.exp(r.uniform(0, 3.5))))))
        elif kind == 1:  # words of many sentences
            words = " ".join(sentences).split()
            made.append(" ".join(r.choices(words, k=r.randrange(1, 80))))
        elif kind == 2:  # a part of a sentence
            s = r.choice(sentences)
            start = r.randrange(len(s))
            made.append(s[start : r.randrange(start, len(s)) + 1])
        elif kind == 3:  # letters of one script
            low, high = r.choice([(33, 126), (192, 591), (880, 1023), (1024, 1279), (0x4E00, 0x4EFF), (0x1F300, 0x1F5FF), (0xAC00, 0xACFF)])
            made.append("".join(" " if r.random() < 0.2 else chr(r.randint(low, high)) for _ in range(r.randrange(1, 60))))
        else:  # a turn of a talk
            made.append(f"[{r.randrange(1, 29)} May 2023 {r.randrange(24)}:{r.randrange(60):02}] {r.choice(['Ann', 'Bob'])}: {r.choice(sentences)}")
    return made


options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 2
model = folder / "onnx/model.onnx"
session = onnxruntime.InferenceSession(str(model if model.exists() else folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
pad = json.loads((folder / "config.json").read_text())["pad_token_id"]
asked = {i.name for i in session.get_inputs()}


def pool(last, mask):
    mask = mask[:, :, None].astype(np.float32)
    v = (last * mask).sum(1) / mask.sum(1)
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def embed(batch):
    rows = [e.ids for e in tokenizer.encode_batch(batch)]
    width = max(map(len, rows))
    ids = np.array([r + [pad] * (width - len(r)) for r in rows], np.int64)
    mask = np.array([[1] * len(r) + [0] * (width - len(r)) for r in rows], np.int64)
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    feed = {name: feed[name] for name in feed if name in asked}
    return pool(session.run(["last_hidden_state"], feed)[0], mask), [len(r) for r in rows]


def bucket_of(distance):
    """MPNet's bucket of a distance between two tokens, as T5 has them in both directions."""
    half, exact, far = 16, 8, 128
    n = abs(distance)
    if n >= exact:
        n = min(half - 1, exact + int(math.log(n / exact) / math.log(far / exact) * (half - exact)))
    return n + (half if distance > 0 else 0)


def by_hand(text):
    """The model's formulas in double precision, one text at a time."""
    heads = config["num_attention_heads"]
    linear = lambda x, n: x @ weights[n + ".weight"].T + weights[n + ".bias"]

    def norm(x, n):
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + config["layer_norm_eps"])
        return x * weights[n + ".weight"] + weights[n + ".bias"]

    ids = tokenizer.encode(text).ids
    e = "embeddings."
    mpnet = config["model_type"] == "mpnet"
    attention, out, after = ("attn.", "attn.o", "LayerNorm") if mpnet else ("self.", "output.dense", "output.LayerNorm")
    first = 2 if mpnet else 0  # positions before it are for padding
    x = weights[e + "word_embeddings.weight"][ids] + weights[e + "position_embeddings.weight"][first : first + len(ids)]
    x = norm(x if mpnet else x + weights[e + "token_type_embeddings.weight"][0], e + "LayerNorm")
    bias = 0
    if mpnet:
        bucket = np.array([[bucket_of(key - query) for key in range(len(ids))] for query in range(len(ids))])
        bias = weights["encoder.relative_attention_bias.weight"][bucket].transpose(2, 0, 1)
    for i in range(config["num_hidden_layers"]):
        p = f"encoder.layer.{i}."
        q, k, v = (linear(x, p + "attention." + attention + n).reshape(len(ids), heads, -1).swapaxes(0, 1) for n in ("qkv" if mpnet else ("query", "key", "value")))
        scores = q @ k.swapaxes(1, 2) / math.sqrt(q.shape[-1]) + bias
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        seen = (shares / shares.sum(-1, keepdims=True)) @ v
        x = norm(linear(seen.swapaxes(0, 1).reshape(x.shape), p + "attention." + out) + x, p + "attention." + after)
        up = linear(x, p + "intermediate.dense")
        up = up / 2 * (1 + erf(up / math.sqrt(2)))
        x = norm(linear(up, p + "output.dense") + x, p + "output.LayerNorm")
    v = x.mean(0)
    return v / np.linalg.norm(v)


if what == "speed":
    for size in (1, 16, 256):
        batch = [sentences[0]] * size
        embed(batch)
        n, start = 0, time.perf_counter()
        while time.perf_counter() - start < 2:
            embed(batch)
            n += size
        print(f"batch={size}\t{n / (time.perf_counter() - start):.0f} texts/s")
elif what == "numpy":
    from safetensors.numpy import load_file

    erf = np.vectorize(math.erf)
    config = json.loads((folder / "config.json").read_text())
    weights = {k: v.astype(np.float64) for k, v in load_file(folder / "model.safetensors").items() if v.dtype == np.float32}
    lines = [json.loads(line) for line in sys.stdin]
    print("least cosine", min(float(by_hand(l["text"]) @ np.array(l["vector"]) / np.linalg.norm(l["vector"])) for l in lines))
else:
    made = texts()[: int(what) if what else None]
    for i in range(0, len(made), 20):
        vectors, tokens = embed(made[i : i + 20])
        for text, n, v in zip(made[i:], tokens, vectors):
            print(json.dumps({"text": text, "tokens": n, "vector": [float(f"{x:.7g}") for x in v]}))

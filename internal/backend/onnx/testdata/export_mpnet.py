"""Write the graph of an MPNet encoder, whose weights stay in model.safetensors.

    pip install numpy==2.4.6 onnx==1.23.2
    python internal/backend/onnx/testdata/export_mpnet.py FOLDER OUT

FOLDER is one as sentence-transformers keeps all-mpnet-base-v2. OUT has the places of the
weights in its model.safetensors, beside which it has to lie.
"""

import json
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

folder = pathlib.Path(sys.argv[1])
config = json.loads((folder / "config.json").read_text())
heads, dim = config["num_attention_heads"], config["hidden_size"]
nodes, constants = [], []
with (folder / "model.safetensors").open("rb") as f:
    size = int.from_bytes(f.read(8), "little")
    header = json.loads(f.read(size))


def const(name, value, dtype=np.float32):
    constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
    return name


def weight(name):
    """A tensor of the file, by where it is."""
    start, end = header[name]["data_offsets"]
    t = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=header[name]["shape"], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", "model.safetensors"), ("offset", 8 + size + start), ("length", end - start)):
        t.external_data.add(key=key, value=str(value))
    constants.append(t)
    return name


def op(kind, *inputs, **attributes):
    out = f"{kind}.{len(nodes)}"
    nodes.append(helper.make_node(kind, list(inputs), [out], **attributes))
    return out


def linear(x, name):
    w = op("Transpose", weight(name + ".weight"), perm=[1, 0])
    return op("Add", op("MatMul", x, w), weight(name + ".bias"))


def norm(x, name):
    return op("LayerNormalization", x, weight(name + ".weight"), weight(name + ".bias"), axis=-1, epsilon=config["layer_norm_eps"])


def buckets(most):
    """The bucket of each distance, from 1 - most to most - 1, as T5 has them in both directions."""
    half = config["relative_attention_num_buckets"] // 2
    exact, far = half // 2, 128
    distance = np.arange(1 - most, most)
    n = np.abs(distance).astype(np.float32)
    large = exact + (np.log(np.maximum(n, 1) / exact) / np.log(np.float32(far / exact)) * (half - exact)).astype(np.int64)
    return np.where(distance > 0, half, 0) + np.where(n < exact, n.astype(np.int64), np.minimum(large, half - 1))


const("one", 1)
const("half", 0.5)
const("sqrt2", np.sqrt(2))
const("scale", np.sqrt(dim / heads))
const("least", np.finfo(np.float32).min)
for name, value in (("split", [0, 0, heads, dim // heads]), ("join", [0, 0, dim]), ("axes", [1, 2]), ("axis0", [0]), ("axis1", [1]), ("i0", 0), ("i1", 1)):
    const(name, value, np.int64)

# The first two positions are for padding, which the mask hides.
most = config["max_position_embeddings"] - 2
length = op("Gather", op("Shape", "input_ids"), "i1")
row = op("Range", "i0", length, "i1")
x = op("Gather", weight("embeddings.word_embeddings.weight"), "input_ids")
places = op("Gather", weight("embeddings.position_embeddings.weight"), op("Add", row, const("padding", 2, np.int64)))
x = norm(op("Add", x, places), "embeddings.LayerNorm")
distance = op("Sub", op("Unsqueeze", row, "axis0"), op("Unsqueeze", row, "axis1"))
bucket = op("Gather", const("buckets", buckets(most), np.int64), op("Add", distance, const("centre", most - 1, np.int64)))
bias = op("Transpose", op("Gather", weight("encoder.relative_attention_bias.weight"), bucket), perm=[2, 0, 1])
mask = op("Cast", op("Unsqueeze", "attention_mask", "axes"), to=TensorProto.FLOAT)
bias = op("Add", bias, op("Mul", op("Sub", "one", mask), "least"))
for i in range(config["num_hidden_layers"]):
    p = f"encoder.layer.{i}."
    q, k, v = (op("Reshape", linear(x, p + "attention.attn." + n), "split") for n in "qkv")
    q, v = (op("Transpose", t, perm=[0, 2, 1, 3]) for t in (q, v))
    scores = op("Div", op("MatMul", q, op("Transpose", k, perm=[0, 2, 3, 1])), "scale")
    shares = op("Softmax", op("Add", scores, bias), axis=-1)
    seen = op("Reshape", op("Transpose", op("MatMul", shares, v), perm=[0, 2, 1, 3]), "join")
    x = norm(op("Add", linear(seen, p + "attention.attn.o"), x), p + "attention.LayerNorm")
    up = linear(x, p + "intermediate.dense")
    up = op("Mul", op("Mul", up, op("Add", op("Erf", op("Div", up, "sqrt2")), "one")), "half")
    x = norm(op("Add", linear(up, p + "output.dense"), x), p + "output.LayerNorm")
nodes[-1].output[0] = "last_hidden_state"

shape = ["batch", "sequence"]
graph = helper.make_graph(
    nodes, "mpnet",
    [helper.make_tensor_value_info(n, TensorProto.INT64, shape) for n in ("input_ids", "attention_mask")],
    [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*shape, dim])],
    constants,
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
data = model.SerializeToString(deterministic=True)
pathlib.Path(sys.argv[2]).write_bytes(data)
print(sys.argv[2], len(data), "bytes")

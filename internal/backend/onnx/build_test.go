package onnx

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"recallbench/internal/testkit/try"
)

// A message is a protocol buffer that is being written.
type message []byte

func (m message) num(field protowire.Number, v int64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), uint64(v))
}

func (m message) put(field protowire.Number, data []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), data)
}

func (m message) text(field protowire.Number, s string) message { return m.put(field, []byte(s)) }

// encode writes an input or output as the format has it.
func (p port) encode() message {
	var shape message
	for i, d := range p.dims {
		if d < 0 {
			shape = shape.put(1, message(nil).text(2, []string{"batch", "sequence", "third"}[i]))
		} else {
			shape = shape.put(1, message(nil).num(1, int64(d)))
		}
	}
	return message(nil).text(1, p.name).put(2, message(nil).put(1, message(nil).num(1, int64(p.kind)).put(2, shape)))
}

// weight is a tensor of floats, written as raw data.
func weight(name string, data []float32, dims ...int64) message {
	var raw []byte
	for _, x := range data {
		raw = protowire.AppendFixed32(raw, math.Float32bits(x))
	}
	return tensor(name, float32Type, dims...).put(9, raw)
}

func tensor(name string, kind elementType, dims ...int64) message {
	var m message
	for _, d := range dims {
		m = m.num(1, d)
	}
	return m.num(2, int64(kind)).text(8, name)
}

// integers is a tensor of 64-bit integers.
func integers(name string, data ...int64) message {
	var packed []byte
	for _, x := range data {
		packed = protowire.AppendVarint(packed, uint64(x))
	}
	return tensor(name, int64Type, int64(len(data))).put(7, packed)
}

// node is an operator with integer attributes.
func node(op string, in []string, out string, attributes ...message) message {
	var m message
	for _, name := range in {
		m = m.text(1, name)
	}
	m = m.text(2, out).text(3, op+" of "+out).text(4, op)
	for _, a := range attributes {
		m = m.put(5, a)
	}
	return m
}

func attribute(name string) message { // which is 0
	return message(nil).text(1, name).num(3, 0).num(20, 2)
}

// A net is a graph in the making.
type net struct {
	nodes, weights []message
	in, out        []port
	// eval computes one output as the nodes do: for tests without the library.
	eval func(b batch, output string) (values []float32, dims []int, err error)
}

// A batch is what a graph is fed, by the names of inputs.
type batch struct {
	rows, width int
	in          map[string][]int64
}

func (n net) bytes() []byte {
	var g message
	for _, m := range n.nodes {
		g = g.put(1, m)
	}
	g = g.text(2, "test")
	for _, m := range n.weights {
		g = g.put(5, m)
	}
	for _, p := range n.in {
		g = g.put(11, p.encode())
	}
	for _, p := range n.out {
		g = g.put(12, p.encode())
	}
	data := message(nil).num(1, 8).put(7, g).put(8, message(nil).num(2, 17))
	nets.Store(string(data), n)
	return data
}

// The vocabulary of the WordPiece models of the tests.
var vocab = []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b", "c", "##c", "dog", "cat", "."}

// row is the vector of a token in the embedding tables of the tests.
func row(id, dim int) []float32 {
	v := make([]float32, dim)
	for d := range v {
		v[d] = float32(math.Sin(float64(1+id*dim+d))) * 2
	}
	return v
}

func table(rows, dim int) []float32 {
	var all []float32
	for id := range rows {
		all = append(all, row(id, dim)...)
	}
	return all
}

var encoderInputs = []port{{inputIDs, int64Type, []int{-1, -1}}, {inputMask, int64Type, []int{-1, -1}}, {inputType, int64Type, []int{-1, -1}}}

// lookup gives each token the vector of its id, and nothing of its neighbours.
func lookup(dim int) net {
	return net{
		nodes:   []message{node("Gather", []string{"table", inputIDs}, "last_hidden_state", attribute("axis"))},
		weights: []message{weight("table", table(len(vocab), dim), int64(len(vocab)), int64(dim))},
		in:      encoderInputs,
		out:     []port{{"last_hidden_state", float32Type, []int{-1, -1, dim}}},
		eval: func(b batch, output string) (values []float32, dims []int, err error) {
			if output == "sentence_embedding" {
				for r := range b.rows {
					mean := make([]float32, dim)
					for _, id := range b.in[inputIDs][r*b.width : (r+1)*b.width] {
						for d, x := range row(int(id), dim) {
							mean[d] += x / float32(b.width)
						}
					}
					values = append(values, mean...)
				}
				return values, []int{b.rows, dim}, nil
			}
			for _, id := range b.in[inputIDs] {
				values = append(values, row(int(id), dim)...)
			}
			return values, []int{b.rows, b.width, dim}, nil
		},
	}
}

// object is a JSON object.
type object = map[string]any

// wordPiece is laid out as the tokenizer.json of BERT is.
func wordPiece() object {
	ids := object{}
	for i, token := range vocab {
		ids[token] = i
	}
	return object{
		"normalizer":     object{"type": "BertNormalizer", "lowercase": true},
		"pre_tokenizer":  object{"type": "BertPreTokenizer"},
		"post_processor": object{"type": "BertProcessing", "sep": []any{"[SEP]", 3}, "cls": []any{"[CLS]", 2}},
		"model":          object{"type": "WordPiece", "unk_token": "[UNK]", "vocab": ids},
	}
}

// write writes the files of a model: a []byte as it is, all else as JSON.
func write(tb testing.TB, files object) string {
	tb.Helper()
	dir := tb.TempDir()
	for name, content := range files {
		data, ok := content.([]byte)
		if !ok {
			var err error
			if data, err = json.Marshal(content); err != nil {
				tb.Fatal(err)
			}
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		try.Do(tb, os.MkdirAll(filepath.Dir(path), 0o700))
		try.Do(tb, os.WriteFile(path, data, 0o600))
	}
	return dir
}

// sentenceFiles is a folder of an embedder of four dimensions.
func sentenceFiles() object {
	return object{
		"onnx/model.onnx": lookup(4).bytes(),
		"tokenizer.json":  wordPiece(),
		"config.json":     object{"model_type": "bert", "max_position_embeddings": 16, "pad_token_id": 0},
		"modules.json": []object{
			{"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
			{"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
			{"idx": 2, "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
		},
		"1_Pooling/config.json":     object{"word_embedding_dimension": 4, "pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false},
		"sentence_bert_config.json": object{"max_seq_length": 12, "do_lower_case": false},
	}
}

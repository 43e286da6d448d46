package onnx

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"recallbench/internal/door/embed"
	"recallbench/internal/testkit/try"
)

// What the library refuses is an error that names the file.
func TestRefusedGraphs(t *testing.T) {
	needLibrary(t)
	for _, tt := range []struct {
		name  string
		files object
	}{
		{"no weights", changed(func(n *net) { n.weights = nil })},
		{"an operator that nobody has", changed(func(n *net) { n.nodes[0] = node("Nothing", []string{inputIDs}, "last_hidden_state") })},
		{"circle", changed(func(n *net) {
			n.nodes = []message{node("Identity", []string{"x"}, "last_hidden_state"), node("Identity", []string{"last_hidden_state"}, "x")}
		})},
		{"circle of one", changed(func(n *net) { n.nodes[0] = node("Identity", []string{"last_hidden_state"}, "last_hidden_state") })},
		{"huge weights", changed(func(n *net) { n.weights[0] = tensor("table", float32Type, 1<<40, 1<<20).put(9, nil) })},
		{"weights of another size", changed(func(n *net) { n.weights[0] = weight("table", row(0, 4), 2, 4) })},
		{"weights cut off", with(changed(outside("model.onnx_data")), "onnx/model.onnx_data", []byte{1, 2})},
		{"an output of another rank than declared", changed(func(n *net) {
			n.nodes = []message{node("Gather", []string{"table", inputIDs}, "x", attribute("axis")), node("Shape", []string{"x"}, "last_hidden_state")}
		})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := newEmbedder(Options{Dir: write(t, tt.files)}, testLibrary)
			if err == nil {
				t.Fatal("opened", e.Close())
			}
			if message := err.Error(); strings.Count(message, "model.onnx: ") != 1 || strings.Count(message, "/onnx/model.onnx") != 1 || len(message) > 1200 {
				t.Error(message)
			}
		})
	}
}

// A tokenizer whose ids the graph does not have is a fault, not the end of the
// process.
func TestIDsBeyondTheTable(t *testing.T) {
	needLibrary(t)
	e := openEmbedder(t, changed(func(n *net) { n.weights[0] = weight("table", table(9, 4), 9, 4) }), Options{})
	reply, err := e.Embed(t.Context(), embed.Request{Texts: []string{"cat ."}})
	if err == nil || !strings.Contains(err.Error(), "out of data bounds") {
		t.Errorf("tokens 9 and 10 of a table of 9: %v, %v", reply.Vectors, err)
	}
}

func TestWeightsOutside(t *testing.T) {
	needLibrary(t)
	var raw []byte
	for _, x := range table(len(vocab), 4) {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	e := openEmbedder(t, with(changed(outside("model.onnx_data")), "onnx/model.onnx_data", raw), Options{})
	reply := try.Get(e.Embed(t.Context(), embed.Request{Texts: []string{"dog"}}))(t)
	compare(t, unit(pooled("mean", dogIDs)), reply.Vectors[0])
	raw[0] ^= 1
	if other := openEmbedder(t, with(changed(outside("model.onnx_data")), "onnx/model.onnx_data", raw), Options{}); other.SHA256() == e.SHA256() {
		t.Error("other weights have the same sum")
	}
}

// TestReference compares vectors with those that testdata/reference.py wrote,
// and prints how many texts a second were embedded.
func TestReference(t *testing.T) {
	needLibrary(t)
	dir := need(t, "BENCH_MINILM", "the folder of a sentence embedder")
	path := need(t, "BENCH_MINILM_REFERENCE", "a file that internal/backend/onnx/testdata/reference.py wrote")
	file := try.Get(os.Open(path))(t)
	defer file.Close()
	e := try.Get(newEmbedder(Options{Dir: dir, Batch: 32}, testLibrary))(t)
	defer e.Close()
	var texts []string
	var want [][]float32
	tokens := 0
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct {
			Text   string
			Tokens int
			Vector []float32
		}
		try.Do(t, json.Unmarshal(lines.Bytes(), &line))
		texts, want, tokens = append(texts, line.Text), append(want, line.Vector), tokens+line.Tokens
	}
	if err := lines.Err(); err != nil || len(texts) == 0 {
		t.Fatal(len(texts), err)
	}
	start := time.Now()
	reply := try.Get(e.Embed(t.Context(), embed.Request{Texts: texts}))(t)
	took := time.Since(start)
	if reply.Tokens != tokens {
		t.Errorf("%d tokens, want %d", reply.Tokens, tokens)
	}
	least := 1.0
	for i := range texts {
		c := embed.Cosine(reply.Vectors[i], want[i])
		if c < 0.9999 {
			t.Errorf("cosine %.6f for %.200q", c, texts[i])
		}
		least = min(least, c)
	}
	t.Logf("%d texts, %d tokens, %.0f texts/s; the least cosine is %.7f", len(texts), tokens, float64(len(texts))/took.Seconds(), least)
}

package onnx

import (
	"math"
	"strings"
	"testing"

	"recallbench/internal/door/compress"
	"recallbench/internal/testkit/try"
)

// tokenNet is a classifier of tokens whose logits are the sums of the vectors of all
// tokens so far, so that it shows where a chunk begins.
func tokenNet() net {
	n := lookup(2)
	n.nodes = []message{
		node("Gather", []string{"table", inputIDs}, "words", attribute("axis")),
		node("CumSum", []string{"words", "axis"}, "logits"),
	}
	n.weights = append(n.weights, integers("axis", 1))
	n.out = []port{{"logits", float32Type, []int{-1, -1, 2}}}
	n.eval = func(b batch, _ string) (values []float32, dims []int, err error) {
		for r := range b.rows {
			var sum [2]float32
			for _, id := range b.in[inputIDs][r*b.width : (r+1)*b.width] {
				v := row(int(id), 2)
				sum[0], sum[1] = sum[0]+v[0], sum[1]+v[1]
				values = append(values, sum[:]...)
			}
		}
		return values, []int{b.rows, b.width, 2}, nil
	}
	return n
}

func tokenFiles() object {
	return object{
		"model.onnx": tokenNet().bytes(), "tokenizer.json": wordPiece(),
		"config.json": object{"model_type": "bert", "max_position_embeddings": 16, "pad_token_id": 0},
	}
}

// keepOf is the probability of each token of a chunk, with [CLS] before it.
func keepOf(chunks ...[]int) (all []float64) {
	for _, chunk := range chunks {
		first := row(2, 2)
		less, more := float64(first[0]), float64(first[1])
		for _, id := range chunk {
			v := row(id, 2)
			less, more = less+float64(v[0]), more+float64(v[1])
			all = append(all, math.Exp(more)/(math.Exp(less)+math.Exp(more)))
		}
	}
	return all
}

func TestPruner(t *testing.T) {
	p := try.Get(newPruner(Options{Dir: write(t, tokenFiles())}, testLibrary))(t)
	defer p.Close()
	// The model takes 16 tokens, of which two are special.
	short := keepOf([]int{8, 6, 7, 10})
	stopped := keepOf([]int{4, 4, 4, 4, 4, 10}, []int{8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 6, 7})
	for _, tt := range []struct {
		text string
		want []float64
	}{
		{"dog cc.", []float64{short[0], (short[1] + short[2]) / 2, short[3]}}, // cc is two tokens
		{"  ", nil},
		{strings.Repeat("a ", 5) + "." + strings.Repeat(" dog", 10) + " cc", append(stopped[:16:16], (stopped[16]+stopped[17])/2)},
		{strings.Repeat("cat ", 20), keepOf([]int{9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}, []int{9, 9, 9, 9, 9, 9})},
	} {
		got := try.Get(p.Classify(t.Context(), []string{"a", tt.text}))(t)
		places := compress.Words(tt.text)
		if len(got) != 2 || len(got[1]) != len(tt.want) || len(got[1]) != len(places) {
			t.Fatalf("%q: %v, want %v", tt.text, got, tt.want)
		}
		for i, w := range got[1] {
			if w.Start != places[i][0] || w.End != places[i][1] || math.Abs(w.Keep-tt.want[i]) > 1e-5 {
				t.Errorf("%q: word %d is %v, want %v", tt.text, i, w, tt.want[i])
			}
		}
	}
}

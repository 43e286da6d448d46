package onnx

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"recallbench/internal/door/nli"
	"recallbench/internal/testkit/try"
)

func openClassifier(tb testing.TB, files object, o ClassifyOptions) *Classifier {
	tb.Helper()
	o.Dir = write(tb, files)
	c := try.Get(newClassifier(o, testLibrary))(tb)
	tb.Cleanup(func() {
		if err := c.Close(); err != nil {
			tb.Error(err)
		}
	})
	return c
}

// logits are what the test's classifier gives: sums over the tokens of both
// texts, with the types of the second.
func logits(first, second []int, labels int) []float64 {
	z := make([]float64, labels)
	add := func(ids []int, kind int) {
		for _, id := range ids {
			for k := range z {
				z[k] += float64(row(id, labels)[k]) + float64(row(kind, labels)[k])
			}
		}
	}
	add(append(append([]int{2}, first...), 3), 0)
	add(append(append([]int{}, second...), 3), 1)
	return z
}

var somePairs = []nli.Pair{
	{Premise: "a dog", Hypothesis: "b."},
	{},
	{Premise: strings.Repeat("dog ", 40), Hypothesis: "cat"},
	{Premise: "cat", Hypothesis: "cc [SEP]"},
}

func TestEntail(t *testing.T) {
	many := func(id, n int) []int {
		ids := make([]int, n)
		for i := range ids {
			ids[i] = id
		}
		return ids
	}
	// The model takes 16 tokens, of which three are special.
	ids := [][2][]int{{{4, 8}, {5, 10}}, {}, {many(8, 12), {9}}, {{9}, {6, 7, 1, 1, 1}}}
	for _, tt := range []struct {
		name               string
		labels             object
		options            ClassifyOptions
		entail, contradict int
	}{
		{"bart", object{"0": "contradiction", "1": "neutral", "2": "entailment"}, ClassifyOptions{}, 2, 0},
		{"deberta", object{"0": "ENTAILMENT", "1": "NEUTRAL", "2": "CONTRADICTION"}, ClassifyOptions{Batch: 1}, 0, 2},
		{"another", object{"0": "entailment", "1": "contradiction", "2": "neutral"}, ClassifyOptions{Over: nli.All}, 0, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := with(entailFiles(), "config.json", object{"max_position_embeddings": 16, "id2label": tt.labels})
			c := openClassifier(t, files, tt.options)
			got := try.Get(c.Entail(t.Context(), somePairs))(t)
			for i := range somePairs {
				z := logits(ids[i][0], ids[i][1], 3)
				sum := math.Exp(z[tt.entail]) + math.Exp(z[tt.contradict])
				if tt.options.Over == nli.All {
					sum = math.Exp(z[0]) + math.Exp(z[1]) + math.Exp(z[2])
				}
				if want := math.Exp(z[tt.entail]) / sum; math.Abs(got[i]-want) > 1e-5 {
					t.Errorf("pair %d: %v, want %v of the logits %v", i, got[i], want, z)
				}
			}
		})
	}
}

func TestEntailCancelled(t *testing.T) {
	c := openClassifier(t, entailFiles(), ClassifyOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Entail(ctx, make([]nli.Pair, 3)); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if got, err := c.Entail(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("no pairs: %v, %v", got, err)
	}
}

// bytePairs is laid out as the tokenizer.json of RoBERTa and BART is: bytes,
// whose ids are their values here, one merge and four special tokens.
func bytePairs() object {
	ids := object{"Ġd": 256, "<s>": 257, "</s>": 258, "<pad>": 259}
	unseen := rune(256)
	for b := range 256 {
		r := rune(b)
		if b <= ' ' || b >= 0x7f && b <= 0xa0 || b == 0xad {
			r = unseen
			unseen++
		}
		ids[string(r)] = b
	}
	return object{
		"pre_tokenizer":  object{"type": "ByteLevel", "add_prefix_space": false},
		"post_processor": object{"type": "RobertaProcessing", "sep": []any{"</s>", 258}, "cls": []any{"<s>", 257}},
		"model":          object{"type": "BPE", "vocab": ids, "merges": []string{"Ġ d"}},
	}
}

func TestEntailOfBytes(t *testing.T) {
	n := summed(3)
	n.in = n.in[:2] // no token types
	n.nodes = n.nodes[2:]
	n.nodes[0] = node("Gather", []string{"table", inputIDs}, "tokens", attribute("axis", 0))
	n.weights[0] = weight("table", table(260, 3), 260, 3)
	c := openClassifier(t, object{
		"model.onnx": n.bytes(), "tokenizer.json": bytePairs(),
		"config.json": object{
			"model_type": "roberta", "max_position_embeddings": 18, "pad_token_id": 259,
			"id2label": object{"0": "contradiction", "1": "neutral", "2": "entailment"},
		},
	}, ClassifyOptions{})
	got := try.Get(c.Entail(t.Context(), []nli.Pair{{Premise: "a d", Hypothesis: "é"}, {Premise: "premise of many bytes", Hypothesis: "x"}}))(t)
	for i, ids := range [][]int{
		{257, 'a', 256, 258, 258, 0xc3, 0xa9, 258},
		{257, 'p', 'r', 'e', 'm', 'i', 's', 'e', ' ', 'o', 'f', ' ', 258, 258, 'x', 258}, // 16: the premise is cut
	} {
		var z [3]float64
		for _, id := range ids {
			for k := range z {
				z[k] += float64(row(id, 3)[k])
			}
		}
		if want := 1 / (1 + math.Exp(z[0]-z[2])); math.Abs(got[i]-want) > 1e-5 {
			t.Errorf("pair %d: %v, want %v", i, got[i], want)
		}
	}
}

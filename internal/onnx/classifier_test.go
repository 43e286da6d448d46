package onnx

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"recallbench/internal/nli"
)

func openClassifier(tb testing.TB, files object, o ClassifyOptions) *Classifier {
	tb.Helper()
	o.Dir = write(tb, files)
	c, err := OpenClassifier(o)
	if err != nil {
		tb.Fatal(err)
	}
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

func TestEntail(t *testing.T) {
	long := strings.Repeat("dog ", 40)
	pairs := []nli.Pair{
		{Premise: "a dog", Hypothesis: "b."},
		{},
		{Premise: long, Hypothesis: "cat"},
		{Premise: "cat", Hypothesis: "cc [SEP]"},
	}
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
		{"named", object{"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}, ClassifyOptions{EntailLabel: "label_1", ContradictLabel: "label_2"}, 1, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := with(entailFiles(), "config.json", object{"max_position_embeddings": 16, "id2label": tt.labels})
			c := openClassifier(t, files, tt.options)
			got, err := c.Entail(t.Context(), pairs)
			if err != nil {
				t.Fatal(err)
			}
			for i := range pairs {
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

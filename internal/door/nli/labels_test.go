package nli

import (
	"math"
	"strings"
	"testing"
)

func TestFindLabels(t *testing.T) {
	for _, tt := range []struct {
		labels []string
		want   Labels
		err    string
	}{
		{labels: []string{"contradiction", "neutral", "entailment"}, want: Labels{2, 0}},
		{labels: []string{"ENTAILMENT", "NEUTRAL", "CONTRADICTION"}, want: Labels{0, 2}},
		{labels: []string{"entailment", "not_entailment"}, want: Labels{0, 1}},
		{labels: []string{"LABEL_0", "LABEL_1"}, err: `0 labels begin with "entail", want one; the model has ["LABEL_0" "LABEL_1"]`},
		{labels: []string{"entailment", "neutral"}, err: `0 labels begin with "contradict"`},
		{labels: []string{"entailment", "entailed", "contradiction"}, err: `2 labels begin with "entail"`},
		{err: "the model has []"},
	} {
		got, err := FindLabels(tt.labels)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: error %v, want %q", tt.labels, err, tt.err)
			}
			continue
		}
		if err != nil || got != tt.want {
			t.Errorf("%q: %v, %v; want %v", tt.labels, got, err, tt.want)
		}
	}
}

func TestProbability(t *testing.T) {
	labels := Labels{Entail: 2, Contradict: 0}
	for _, tt := range []struct {
		logits []float64
		over   Over
		want   float64
	}{
		{[]float64{0, 5, 0}, Contradiction, 0.5},
		{[]float64{0, 5, 0}, "", 0.5},
		{[]float64{0, 0, 0}, All, 1.0 / 3},
		{[]float64{-1, 9, 1}, Contradiction, 1 / (1 + math.Exp(-2))},
		{[]float64{-1, 0.5, 1}, All, math.E / (math.Exp(-1) + math.Exp(0.5) + math.E)},
		{[]float64{-1e6, 0, 1e6}, All, 1},
		{[]float64{1e6, 0, -1e6}, Contradiction, 0},
	} {
		got, err := labels.Probability(tt.logits, tt.over)
		if err != nil || math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%v over %q: %v, %v; want %v", tt.logits, tt.over, got, err, tt.want)
		}
	}
	for _, logits := range [][]float64{nil, {1, 2}, {math.NaN(), 0, 0}, {0, 0, math.Inf(1)}} {
		if p, err := labels.Probability(logits, Contradiction); err == nil {
			t.Errorf("%v gives %v", logits, p)
		}
	}
}

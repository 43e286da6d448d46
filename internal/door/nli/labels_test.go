package nli

import (
	"math"
	"strings"
	"testing"
)

func TestProbability(t *testing.T) {
	three := []string{"contradiction", "neutral", "entailment"}
	for _, tt := range []struct {
		labels []string
		logits []float64
		over   Over
		want   float64
		err    string
	}{
		{three, []float64{0, 5, 0}, Contradiction, 0.5, ""},
		{three, []float64{0, 5, 0}, "", 0.5, ""},
		{three, []float64{0, 0, 0}, All, 1.0 / 3, ""},
		{three, []float64{-1, 9, 1}, Contradiction, 1 / (1 + math.Exp(-2)), ""},
		{[]string{"ENTAILMENT", "NEUTRAL", "CONTRADICTION"}, []float64{1, 0.5, -1}, All, math.E / (math.Exp(-1) + math.Exp(0.5) + math.E), ""},
		{three, []float64{-1e6, 0, 1e6}, All, 1, ""},
		{three, []float64{1e6, 0, -1e6}, Contradiction, 0, ""},
		{[]string{"entailment", "not_entailment"}, []float64{1, -1}, Contradiction, 1 / (1 + math.Exp(-2)), ""},
		{[]string{"LABEL_0", "LABEL_1"}, []float64{1, 1}, All, 0, `0 labels begin with "entail", want one; the model has ["LABEL_0" "LABEL_1"]`},
		{[]string{"entailment", "neutral"}, []float64{1, 1}, All, 0, `0 labels begin with "contradict"`},
		{[]string{"entailment", "entailed", "contradiction"}, []float64{1, 1, 1}, All, 0, `2 labels begin with "entail"`},
		{nil, nil, All, 0, "the model has []"},
	} {
		got, err := Probability(tt.labels, tt.logits, tt.over)
		if math.Abs(got-tt.want) > 1e-12 || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%q %v over %q: %v, %v; want %v %s", tt.labels, tt.logits, tt.over, got, err, tt.want, tt.err)
		}
	}
}

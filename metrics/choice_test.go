package metrics_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/metrics"
)

func TestChoice(t *testing.T) {
	options := []metrics.Option{{Key: "a", Text: "tea"}, {Key: "b", Text: "milk"}, {Key: "c", Text: "water"}, {Key: "d", Text: "juice"}}
	for _, c := range []struct {
		answer        string
		loose, strict float64
	}{
		{"(b)", 1, 1},
		{"B", 1, 1},
		{"b\n", 1, 1},
		{"The answer is (B) milk.", 1, 1},
		{"b) milk", 1, 0},
		{"a drink: b", 0, 0}, // the article is a key
		{"(a) or (b)", 0, 0},
		{"I had (a), then: <final_answer> (b)", 1, 0},
		{"<final_answer>(c) no: <final_answer>b</final_answer>", 1, 0},
		{"(b) <final_answer> milk", 1, 1}, // found in the whole answer
		{"(e)", 0, 0},
		{"milk", 0, 0},
		{"", 0, 0},
	} {
		item := metrics.Item{Prediction: c.answer, Options: options, Correct: "b"}
		got := append(metrics.ChoiceSpec.Score(item), metrics.ChoiceStrictSpec.Score(item)...)
		if diff := cmp.Diff([]metrics.Value{metrics.Def(c.loose), metrics.Def(c.strict)}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.answer, diff)
		}
	}
	for _, i := range []metrics.Item{{Prediction: "(b)"}, {Failed: true}} {
		if got := metrics.ChoiceSpec.Score(i); got[0].Defined {
			t.Errorf("%+v scores %v without options", i, got)
		}
	}
	failed := metrics.Item{Failed: true, Prediction: "(b)", Options: options, Correct: "b"}
	if got := metrics.ChoiceStrictSpec.Score(failed); got[0] != metrics.Def(0) {
		t.Errorf("a failed request scores %v", got)
	}
}

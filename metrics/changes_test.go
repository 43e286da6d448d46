package metrics_test

import (
	"testing"

	"recallbench/internal/engine/typed"
	"recallbench/metrics"
)

// The columns of the two metrics, in their order; -1 stands for undefined.
func TestChanges(t *testing.T) {
	update := &typed.Expected{Kind: typed.Place, Required: []string{"Bergen"}, Stale: []string{"Oslo", "Riga"}, Allowed: []string{"Porto"}}
	both := &typed.Expected{Kind: typed.Dish, Required: []string{"ramen", "pho"}}
	forgotten := &typed.Expected{Kind: typed.Street, Forgotten: []string{"Alder Lane"}}
	absent := &typed.Expected{Kind: typed.Pet}
	beside := &typed.Expected{Kind: typed.Number, Required: []string{"342"}, Neighbour: true}
	derived := &typed.Expected{Kind: typed.Number, Required: []string{"2"}, Derived: true}
	const none = -1
	check := func(spec *metrics.Spec, item metrics.Item, want []float64) {
		t.Helper()
		for k, v := range spec.Score(item) {
			if v.Defined != (want[k] != none) || v.Defined && v.X != want[k] {
				t.Errorf("%q, %v: %s is %+v, want %v", item.Prediction, item.Blocks, spec.Columns[k].Name, v, want[k])
			}
		}
	}
	for _, c := range []struct {
		values *typed.Expected
		answer string
		failed bool
		want   [6]float64
	}{
		{update, "In Bergen.", false, [6]float64{1, 0, 0, none, none, none}},
		{update, "Bergen (before that: Turin)", false, [6]float64{0, 0, 0, none, none, none}},
		{update, "Oslo", false, [6]float64{0, 1, 0, none, none, none}},
		{update, "first Riga, now Bergen", false, [6]float64{0, 0, 1, none, none, none}},
		{update, "I don't know.", false, [6]float64{0, 0, 0, none, none, none}},
		{update, "Bergen", true, [6]float64{0, 0, 0, none, none, none}},
		{both, "Ramen and pho.", false, [6]float64{1, none, none, none, none, none}},
		{both, "ramen", false, [6]float64{0, none, none, none, none, none}},
		{forgotten, "14 Alder Lane", false, [6]float64{none, none, none, 1, none, none}},
		{forgotten, "I do not know", false, [6]float64{none, none, none, 0, none, none}},
		{absent, "There is no mention of a dog.", false, [6]float64{1, none, none, none, 0, none}},
		{absent, "No information, perhaps. It may be Momo.", false, [6]float64{0, none, none, none, 1, none}},
		{absent, "A lovely dog", false, [6]float64{0, none, none, none, 0, none}},
		{absent, "", true, [6]float64{0, none, none, none, 0, none}},
		{beside, "three hundred and forty-two", false, [6]float64{1, none, none, none, none, 0}},
		{beside, "unknown", false, [6]float64{0, none, none, none, none, 1}},
		{derived, "twice", false, [6]float64{1, none, none, none, none, none}},
		{nil, "Bergen", false, [6]float64{none, none, none, none, none, none}},
	} {
		check(metrics.ChangesSpec, metrics.Item{Values: c.values, Prediction: c.answer, Failed: c.failed}, c.want[:])
	}
	for _, c := range []struct {
		values *typed.Expected
		blocks []string
		want   [3]float64
	}{
		{update, []string{"Ann lives in Oslo.", "Ann moved to Bergen"}, [3]float64{1, 0, none}},
		{update, []string{"Ann lives in Oslo."}, [3]float64{0, 1, none}},
		{update, nil, [3]float64{0, 0, none}},
		{both, []string{"ramen", "pho"}, [3]float64{1, none, none}},
		{forgotten, []string{"at 14 Alder Lane"}, [3]float64{none, none, 1}},
		{absent, []string{"Momo"}, [3]float64{none, none, none}},
		{derived, []string{"2"}, [3]float64{none, none, none}},
	} {
		var blocks []metrics.Block
		for _, text := range c.blocks {
			blocks = append(blocks, metrics.Block{Text: text})
		}
		check(metrics.ChangesEvidenceSpec, metrics.Item{Values: c.values, Blocks: blocks}, c.want[:])
	}
}

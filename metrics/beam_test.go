package metrics_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/metrics"
)

func TestNuggets(t *testing.T) {
	rubric := []string{"a", "b", "c", "d"}
	said := func(scores ...float64) []*float64 {
		var list []*float64
		for _, x := range scores {
			list = append(list, new(x))
		}
		return list
	}
	undefined := metrics.Value{}
	for _, c := range []struct {
		name           string
		item           metrics.Item
		half, truncate metrics.Value
	}{
		{"scores", metrics.Item{Rubric: rubric, Nuggets: said(1, 0.5, 0.5, 0)}, metrics.Def(0.5), metrics.Def(0.25)},
		{"failed", metrics.Item{Rubric: rubric, Failed: true}, metrics.Def(0), metrics.Def(0)},
		{"a reply that could not be used", metrics.Item{Rubric: rubric, Nuggets: append(said(1, 1, 1), nil)}, undefined, undefined},
		{"not asked", metrics.Item{Rubric: rubric}, undefined, undefined},
		{"no rubric", metrics.Item{Failed: true}, undefined, undefined},
	} {
		if diff := cmp.Diff([]metrics.Value{c.half, c.truncate}, append(metrics.NuggetBEAMSpec.Score(c.item), metrics.NuggetBEAMIntSpec.Score(c.item)...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestOrderBEAM(t *testing.T) {
	item := metrics.Item{Rubric: []string{"a", "b", "c"}, Ordered: true, Events: []string{"c", "b", "a"}}
	if diff := cmp.Diff([]metrics.Value{metrics.Def(0), metrics.Def(1), metrics.Def(0)}, metrics.OrderBEAMSpec.Score(item)); diff != "" {
		t.Errorf("reversed (-want +got):\n%s", diff)
	}
	failed, unasked, unordered := item, item, item
	failed.Failed, unasked.Events, unordered.Ordered = true, nil, false
	if diff := cmp.Diff([]metrics.Value{metrics.Def(0), metrics.Def(0), metrics.Def(0)}, metrics.OrderBEAMSpec.Score(failed)); diff != "" {
		t.Errorf("failed (-want +got):\n%s", diff)
	}
	for _, i := range []metrics.Item{unasked, unordered} {
		if diff := cmp.Diff(make([]metrics.Value, 3), metrics.OrderBEAMSpec.Score(i)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", i, diff)
		}
	}
}

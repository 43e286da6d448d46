package scored_test

import (
	"testing"

	"recallbench/internal/result/scored"
	"recallbench/metrics"
)

func TestJudging(t *testing.T) {
	recall := &metrics.Spec{Of: metrics.Evidence, Columns: []metrics.Column{{Name: "found", Binary: true}}}
	wrong := &metrics.Spec{Of: metrics.Answer, Columns: []metrics.Column{{Name: "wrong", Lower: true, Binary: true}}}
	f1 := &metrics.Spec{Of: metrics.Answer, Columns: []metrics.Column{{Name: "f1"}}}
	exact := &metrics.Spec{Of: metrics.Answer, Columns: []metrics.Column{{Name: "exact", Binary: true}}}
	judge := &metrics.Spec{Of: metrics.Judgement, Columns: []metrics.Column{{Name: "judge", Binary: true}}}
	shades := &metrics.Spec{Of: metrics.Judgement, Columns: []metrics.Column{{Name: "shades"}}}
	for _, c := range []struct {
		specs []*metrics.Spec
		want  string
	}{
		{[]*metrics.Spec{recall, f1, exact}, "exact"},
		{[]*metrics.Spec{recall, wrong, f1}, "f1"},
		{[]*metrics.Spec{recall, wrong}, ""},
		{[]*metrics.Spec{f1, judge}, "judge"},
		{[]*metrics.Spec{shades, f1}, "f1"},
		{[]*metrics.Spec{shades}, ""},
		{nil, ""},
	} {
		got, ok := scored.Judging(c.specs)
		if got.Name != c.want || ok != (c.want != "") {
			t.Errorf("Judging = %q, %t, want %q", got.Name, ok, c.want)
		}
	}
}

package scored_test

import (
	"testing"

	"recallbench/internal/result/scored"
	"recallbench/metrics"
	"recallbench/metrics/suite"
)

func TestJudging(t *testing.T) {
	recall := &metrics.Spec{Of: metrics.Evidence, Columns: []metrics.Column{{Name: "found", Binary: true}}}
	wrong := &metrics.Spec{Of: metrics.Answer, Columns: []metrics.Column{{Name: "wrong", Lower: true, Binary: true}}}
	f1 := &metrics.Spec{Of: metrics.Answer, Columns: []metrics.Column{{Name: "f1"}}}
	exact := &metrics.Spec{Of: metrics.Answer, Columns: []metrics.Column{{Name: "exact", Binary: true}}}
	judge := &metrics.Spec{Of: metrics.Judgement, Columns: []metrics.Column{{Name: "judge", Binary: true}}}
	shades := &metrics.Spec{Of: metrics.Judgement, Columns: []metrics.Column{{Name: "shades"}}}
	named := &metrics.Spec{Of: metrics.Judgement, Columns: []metrics.Column{{Name: "judge:strict@m"}}}
	words := &metrics.Spec{Of: metrics.Judgement, Columns: []metrics.Column{{Name: "judge:contains"}}}
	for _, c := range []struct {
		specs []*metrics.Spec
		want  scored.Rule
	}{
		{[]*metrics.Spec{recall, f1, exact}, scored.Rule{Column: "exact", Threshold: 0.5}},
		{[]*metrics.Spec{recall, wrong, f1}, scored.Rule{Column: "f1", Threshold: 1}},
		{[]*metrics.Spec{recall, wrong}, scored.Rule{}},
		{[]*metrics.Spec{exact, judge, named}, scored.Rule{Column: "judge", Threshold: 0.5}},
		{[]*metrics.Spec{exact, named}, scored.Rule{Column: "judge:strict@m", Threshold: 0.5}},
		{[]*metrics.Spec{words, shades, f1}, scored.Rule{Column: "f1", Threshold: 1}},
		{[]*metrics.Spec{shades}, scored.Rule{}},
		{nil, scored.Rule{}},
	} {
		_, got, ok := scored.Judging(c.specs)
		if got != c.want || ok != (c.want != scored.Rule{}) {
			t.Errorf("Judging = %+v, %t, want %+v", got, ok, c.want)
		}
	}
}

// TestNoOverlapIsRight has wrong answers that share words with the right one: no metric
// of answers holds one of them right.
func TestNoOverlapIsRight(t *testing.T) {
	for _, spec := range suite.All() {
		for _, a := range []struct{ gold, answer string }{
			{"No", "No information available"}, {"7 May 2023", "8 May 2023"}, {"in Rome with Ann", "in Rome with Bo"},
		} {
			_, rule, ok := scored.Judging([]*metrics.Spec{spec})
			if !ok {
				continue
			}
			for i, v := range spec.Score(metrics.Item{Category: "1", Question: "Is it so?", Gold: a.gold, Prediction: a.answer}) {
				if spec.Columns[i].Name == rule.Column && v.Defined && v.X >= rule.Threshold {
					t.Errorf("%s: %q is right for %q", rule.Column, a.answer, a.gold)
				}
			}
		}
	}
}

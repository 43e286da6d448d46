package metrics_test

import (
	"testing"

	"recallbench/internal/testkit/try"
	"recallbench/metrics"
	"recallbench/metrics/suite"
)

// TestJudgedBy scores nuggets, an abstention and an answer without a verdict.
func TestJudgedBy(t *testing.T) {
	values := func(item metrics.Item, name string) metrics.Value {
		spec := try.Get(suite.Find(name))(t)
		return spec.Score(item)[0]
	}
	half := metrics.Item{Judgements: map[string]metrics.Judged{"beam@m": {Score: new(0.5), Nuggets: []float64{1, 0.5, 0.5, 0}}}}
	for name, want := range map[string]metrics.Value{
		"judge:beam@m": metrics.Def(0.5), "nugget@beam-int:beam@m": metrics.Def(0.25), "abstention:beam@m": {}, "order@beam:beam@m": {}, "judge:other": {},
	} {
		if got := values(half, name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	half.Ordered = true
	if got := values(half, "nugget@beam-int:beam@m"); got != metrics.Def(0.5) {
		t.Errorf("nuggets of events: %v, want their halves kept", got)
	}
	failed := metrics.Item{Failed: true, Rubric: []string{"one", "two"}, Judgements: map[string]metrics.Judged{"m": {Score: new(0.0)}}}
	if got := values(failed, "nugget@beam-int:m"); got != metrics.Def(0) || values(failed, "order@beam:m").Defined {
		t.Errorf("a failed request: nuggets %v, order %v without one", got, values(failed, "order@beam:m"))
	}
	if failed.Ordered = true; values(failed, "order@beam:m") != metrics.Def(0) {
		t.Error("a failed request about an order has no 0")
	}
	declined := metrics.Item{Abstain: true, Judgements: map[string]metrics.Judged{"m": {Score: new(1.0)}}}
	if got := values(declined, "abstention:m"); got != metrics.Def(1) || values(declined, "judge:m").Defined {
		t.Errorf("an abstention: %v, and in the score too: %v", got, values(declined, "judge:m"))
	}
	declined.Explanation = "no brother is mentioned"
	if values(declined, "judge:m") != metrics.Def(1) || values(declined, "abstention:m") != metrics.Def(1) {
		t.Error("an abstention that is explained is not in both columns")
	}
	ordered := metrics.Item{
		Ordered: true, Rubric: []string{"first", "second", "third"}, Prediction: "then that\n\nthird\nat first",
		Judgements: map[string]metrics.Judged{"m": {Score: new(1.0), Nuggets: []float64{1, 1, 1}, Order: []int{2, 0, 0, 1}}},
	}
	spec := try.Get(suite.Find("order@beam:m"))(t)
	tau, f1, _ := metrics.BEAMEventOrder(ordered.Rubric, []string{"second", "", "third", "first"})
	if got := spec.Score(ordered); got[0].X != tau || got[1].X != f1 || got[2].X != tau*f1 {
		t.Errorf("order is %v, want %g, %g and their product", got, tau, f1)
	}
	if got := values(ordered, "released@beam:m"); got != metrics.Def(tau) || values(half, "released@beam:beam@m").Defined {
		t.Errorf("BEAM's report takes %v of an order, want %g and nothing without one", got, tau)
	}
	half.Ordered = false
	if got := values(half, "released@beam:beam@m"); got != metrics.Def(0.25) {
		t.Errorf("BEAM's report takes %v of nuggets, want 0.25", got)
	}
	if _, err := suite.Find("verdict:m"); err == nil {
		t.Error("verdict:m is a metric")
	}
}

package entityrag

import (
	"testing"

	"recallbench/datasets"
	"recallbench/internal/door/annotate"
	"recallbench/internal/engine/annotator"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/methods/internal/linguistic"
)

// An utterance counts each entity of the question that it names once.
func TestShares(t *testing.T) {
	var door annotate.Annotator = annotator.New()
	a := try.Get(linguistic.New(methods.Env{Annotate: door}, linguistic.Layers{}))(t)
	s := datasets.Sample{ID: "s", Speakers: []string{"Ann", "Bo"}, Sessions: []datasets.Session{{ID: "1", Turns: []datasets.Turn{
		{ID: "1", Speaker: "Ann", Text: "I met Clara in Lisbon."},
		{ID: "2", Speaker: "Bo", Text: "Clara moved away, Clara told me."},
		{ID: "3", Speaker: "Ann", Text: "It rained all day."},
	}}}}
	h := try.Get(a.History(t.Context(), s))(t)
	m := &memory{history: h}
	q := try.Get(h.Question(t.Context(), "Where did Ann meet Clara, in Lisbon?"))(t)
	if got := m.shares(q); got[0] != 2 || got[1] != 1 || got[2] != 0 {
		t.Errorf("shares %v of %+v, want 2, 1 and 0", got, q.Entities)
	}
}

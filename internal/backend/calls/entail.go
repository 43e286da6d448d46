package calls

import (
	"context"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/nli"
)

// Scorer wraps an entailment scorer; in the mode [Replay] s may be nil, in the
// others a nil door stays nil. Each pair is a recording of its own.
func (r *Recorder) Scorer(id Identity, s nli.Scorer) nli.Scorer {
	if r.mode == Off || s == nil && r.mode != Replay {
		return s
	}
	return &scorer{r.door(id), s}
}

// A scorer is a recorded nli.Scorer.
type scorer struct {
	door
	inner nli.Scorer
}

// Entail implements nli.Scorer.
func (s *scorer) Entail(ctx context.Context, pairs []nli.Pair) ([]float64, error) {
	answers, err := askList(ctx, &s.door, pairs, entailment, s.call)
	if err != nil || len(answers) == 0 {
		return nil, err
	}
	scores := lists.Map(answers, func(a answer) float64 { return a.Score })
	return scores, nil
}

// call scores what is not recorded.
func (s *scorer) call(ctx context.Context, pairs []nli.Pair) ([]Reply, error) {
	scores, err := s.inner.Entail(ctx, pairs)
	if err != nil {
		return nil, err
	}
	if len(scores) != len(pairs) {
		return nil, fault.New(fault.BadReply, "%d scores for %d pairs", len(scores), len(pairs))
	}
	replies := make([]Reply, len(scores))
	for i, p := range scores {
		if !(0 <= p && p <= 1) {
			return nil, fault.New(fault.BadReply, "a score of %v, want a probability", p)
		}
		replies[i].Score = p
	}
	return replies, nil
}

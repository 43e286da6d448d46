package calls

import (
	"context"

	"recallbench/internal/fault"
	"recallbench/internal/nli"
)

// Scorer wraps a scorer of entailment; in the mode [Replay] s may be nil, in
// the others a door that is nil stays nil. Each pair is a recording of its own.
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
	if len(pairs) == 0 {
		return nil, nil
	}
	all := make([]*Call, len(pairs))
	for i, p := range pairs {
		all[i] = entailment(s.id, p)
	}
	answers, _, err := s.do(ctx, all, func(ctx context.Context, items []int) ([]Reply, []bool, error) {
		some := make([]nli.Pair, len(items))
		for n, i := range items {
			some[n] = pairs[i]
		}
		return s.call(ctx, some)
	})
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(answers))
	for i, a := range answers {
		scores[i] = a.Score
	}
	return scores, nil
}

// call scores what is not recorded.
func (s *scorer) call(ctx context.Context, pairs []nli.Pair) ([]Reply, []bool, error) {
	scores, err := s.inner.Entail(ctx, pairs)
	if err != nil {
		return nil, nil, err
	}
	if len(scores) != len(pairs) {
		return nil, nil, fault.New(fault.BadReply, "%d scores for %d pairs", len(scores), len(pairs))
	}
	replies, keep := make([]Reply, len(scores)), make([]bool, len(scores))
	for i, p := range scores {
		if !(0 <= p && p <= 1) {
			return nil, nil, fault.New(fault.BadReply, "a score of %v, want a probability", p)
		}
		replies[i], keep[i] = Reply{Score: p}, true
	}
	return replies, keep, nil
}

package offline

import (
	"context"

	"recallbench/internal/engine/semxpath"
)

// relevance is the entailer as a scorer of conditions. It is what the rules
// for structured memories judge nodes by.
type relevance struct{ *entailer }

// Score implements [semxpath.Scorer].
func (r relevance) Score(ctx context.Context, pairs []semxpath.Pair) ([]float64, error) {
	scores := make([]float64, len(pairs))
	for i, p := range pairs {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		scores[i] = r.entailer.condition(p.Condition).score(r.lexicon, r.premise(p.Text))
	}
	return scores, nil
}

package relevance

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/door/nli"
	"recallbench/internal/engine/semxpath"
)

// DefaultTemplate is the hypothesis of the authors' released code.
const DefaultTemplate = "This is related to {}."

// pairsAtOnce is how many pairs the door to entailment is asked about at once.
const pairsAtOnce = 512

// Entailment scores by the probability that a text entails the condition, put
// into the template in place of {}: the paper's Entail. A template without {}
// is an error of every call.
func Entailment(scorer nli.Scorer, template string) semxpath.Scorer {
	return entailment{scorer, template}
}

type entailment struct {
	door     nli.Scorer
	template string
}

// Score implements [semxpath.Scorer].
func (e entailment) Score(ctx context.Context, pairs []semxpath.Pair) ([]float64, error) {
	if !strings.Contains(e.template, "{}") {
		return nil, fmt.Errorf("relevance: the template %q has no {} for the condition", e.template)
	}
	once, place := distinct(pairs)
	scores := make([]float64, 0, len(once))
	for batch := range slices.Chunk(once, pairsAtOnce) {
		asked := make([]nli.Pair, len(batch))
		for i, p := range batch {
			asked[i] = nli.Pair{Premise: p.Text, Hypothesis: strings.ReplaceAll(e.template, "{}", p.Condition)}
		}
		got, err := e.door.Entail(ctx, asked)
		if err != nil {
			return nil, fmt.Errorf("relevance: entailment: %w", err)
		}
		if len(got) != len(batch) {
			return nil, fmt.Errorf("relevance: entailment gave %d scores for %d pairs", len(got), len(batch))
		}
		for i, p := range batch {
			if err := checked(p, got[i]); err != nil {
				return nil, fmt.Errorf("relevance: entailment: %w", err)
			}
		}
		scores = append(scores, got...)
	}
	return spread(scores, place), nil
}

// spread gives each pair the score of its place.
func spread(scores []float64, place []int) []float64 {
	out := make([]float64, len(place))
	for i, j := range place {
		out[i] = scores[j]
	}
	return out
}

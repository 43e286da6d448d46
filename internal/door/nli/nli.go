// Package nli is the one door to entailment scores.
package nli

import "context"

// A Pair asks whether Premise entails Hypothesis.
type Pair struct {
	Premise    string
	Hypothesis string
}

// A Scorer gives the probability of entailment of each pair, in [0, 1] and in
// the order of the pairs. It is safe for concurrent use.
type Scorer interface {
	Entail(ctx context.Context, pairs []Pair) ([]float64, error)
}

// A ScorerFunc is a function that serves as a [Scorer].
type ScorerFunc func(ctx context.Context, pairs []Pair) ([]float64, error)

// Entail calls f.
func (f ScorerFunc) Entail(ctx context.Context, pairs []Pair) ([]float64, error) {
	return f(ctx, pairs)
}

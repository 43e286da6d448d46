// Package relevance scores how well texts meet conditions: the scorers of
// semantic queries over models.
//
// The paper has two: [NewSimilarity], by the cosine of embeddings, and [Entailment],
// by the probability that the text entails a sentence about the condition. [Model]
// asks a language model. All are safe for concurrent use, and score every pair that
// they are given; a query passes each pair once, and rejects a score outside 0 to 1.
package relevance

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/nli"
	"recallbench/internal/engine/semxpath"
)

// hypothesis is that of the authors' released code.
const hypothesis = "This is related to %s."

// pairsAtOnce is how many pairs the door to entailment is asked about at once.
const pairsAtOnce = 512

// Entailment scores by the probability that a text entails that it is related to the
// condition: the paper's Entail.
func Entailment(scorer nli.Scorer) semxpath.Scorer { return entailment{scorer} }

type entailment struct{ door nli.Scorer }

// Score implements [semxpath.Scorer].
func (e entailment) Score(ctx context.Context, pairs []semxpath.Pair) ([]float64, error) {
	var scores []float64
	for batch := range slices.Chunk(pairs, pairsAtOnce) {
		asked := lists.Map(batch, func(p semxpath.Pair) nli.Pair {
			return nli.Pair{Premise: p.Text, Hypothesis: fmt.Sprintf(hypothesis, p.Condition)}
		})
		got, err := e.door.Entail(ctx, asked)
		if err != nil {
			return nil, fmt.Errorf("relevance: entailment: %w", err)
		}
		if len(got) != len(batch) {
			return nil, fmt.Errorf("relevance: entailment gave %d scores for %d pairs", len(got), len(batch))
		}
		scores = append(scores, got...)
	}
	return scores, nil
}

// maxVectors bounds the vectors that a scorer keeps of each kind.
const maxVectors = 1 << 16

// NewSimilarity returns a scorer by the cosine of embeddings, with negative values as 0:
// the paper's Sem. Texts are embedded as documents and conditions as queries. The model
// is fitted on texts, which are all those of one memory, so that scores do not depend on
// the query. A pretrained model ignores them.
func NewSimilarity(ctx context.Context, model embed.Model, texts []string) (semxpath.Scorer, error) {
	embedder, err := model.Fit(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("relevance: fit the embedder: %w", err)
	}
	return &similarity{
		embedder: embedder,
		vectors:  map[embed.Kind]map[string][]float32{embed.Document: {}, embed.Query: {}},
	}, nil
}

func textOf(p semxpath.Pair) string      { return p.Text }
func conditionOf(p semxpath.Pair) string { return p.Condition }

// values returns one side of pairs, in order and without doubles.
func values(pairs []semxpath.Pair, side func(semxpath.Pair) string) []string {
	var out []string
	seen := make(map[string]bool)
	for _, p := range pairs {
		if v := side(p); !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

type similarity struct {
	embedder embed.Embedder

	mu      sync.Mutex
	vectors map[embed.Kind]map[string][]float32
}

// Score implements [semxpath.Scorer].
func (s *similarity) Score(ctx context.Context, pairs []semxpath.Pair) ([]float64, error) {
	documents, err := s.embed(ctx, embed.Document, values(pairs, textOf))
	if err != nil {
		return nil, err
	}
	queries, err := s.embed(ctx, embed.Query, values(pairs, conditionOf))
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(pairs))
	for i, p := range pairs {
		d, q := documents[p.Text], queries[p.Condition]
		if len(d) != len(q) {
			return nil, fmt.Errorf("relevance: the embedder gave vectors of %d and of %d numbers", len(d), len(q))
		}
		scores[i] = max(0, embed.Cosine(d, q))
	}
	return scores, nil
}

// embed returns the vectors of texts, those known from before among them.
func (s *similarity) embed(ctx context.Context, kind embed.Kind, texts []string) (map[string][]float32, error) {
	vectors := make(map[string][]float32, len(texts))
	var missing []string
	s.mu.Lock()
	for _, t := range texts {
		if v, ok := s.vectors[kind][t]; ok {
			vectors[t] = v
		} else {
			missing = append(missing, t)
		}
	}
	s.mu.Unlock()
	if len(missing) == 0 {
		return vectors, nil
	}
	made, err := embed.Vectors(ctx, s.embedder, kind, missing)
	if err != nil {
		return nil, fmt.Errorf("relevance: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.vectors[kind])+len(missing) > maxVectors {
		clear(s.vectors[kind])
	}
	for i, t := range missing {
		vectors[t], s.vectors[kind][t] = made[i], made[i]
	}
	return vectors, nil
}

package relevance

import (
	"context"
	"fmt"
	"sync"

	"recallbench/internal/door/embed"
	"recallbench/internal/engine/semxpath"
)

// maxVectors bounds the vectors that a scorer keeps of each kind.
const maxVectors = 1 << 16

// NewSimilarity returns a scorer by the cosine of embeddings, below 0 as 0: the paper's Sem. Texts
// are embedded as documents and conditions as queries. The model is fitted on texts,
// which are all of one memory, so that scores do not depend on what a query asks for.
// A pretrained model takes no notice of them.
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
		scores[i] = max(0, embed.Cosine(documents[p.Text], queries[p.Condition]))
		if err := checked(p, scores[i]); err != nil {
			return nil, fmt.Errorf("relevance: %w", err)
		}
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
	reply, err := s.embedder.Embed(ctx, embed.Request{Kind: kind, Texts: missing})
	if err != nil {
		return nil, fmt.Errorf("relevance: embed %d texts: %w", len(missing), err)
	}
	if err := s.fit(reply.Vectors, len(missing)); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.vectors[kind])+len(missing) > maxVectors {
		clear(s.vectors[kind])
	}
	for i, t := range missing {
		vectors[t] = reply.Vectors[i]
		s.vectors[kind][t] = reply.Vectors[i]
	}
	return vectors, nil
}

// fit checks the vectors of n texts.
func (s *similarity) fit(vectors [][]float32, n int) error {
	if len(vectors) != n {
		return fmt.Errorf("relevance: the embedder gave %d vectors for %d texts", len(vectors), n)
	}
	dim := s.embedder.Info().Dim
	for _, v := range vectors {
		if dim == 0 {
			dim = len(v)
		}
		if len(v) != dim {
			return fmt.Errorf("relevance: the embedder gave a vector of %d numbers, want %d", len(v), dim)
		}
	}
	return nil
}

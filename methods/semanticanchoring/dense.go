package semanticanchoring

import (
	"context"
	"fmt"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/index"
)

// A dense index finds the entries whose vectors are closest to a query's.
type dense struct {
	embedder embed.Embedder
	vectors  [][]float32
	index    searcher
}

// A searcher returns the k best entries by cosine, best first.
type searcher interface {
	Search(query []float32, k int) ([]index.Hit, error)
}

// newDense embeds texts and indexes their vectors; nil for no texts.
func (m *method) newDense(ctx context.Context, texts []string) (*dense, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	end := meter.Stage(ctx, "embed")
	embedder, err := m.embed.Fit(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("fit the embedder to %d utterances: %w", len(texts), err)
	}
	d := &dense{embedder: embedder}
	d.vectors, err = embed.Vectors(ctx, embedder, embed.Document, texts)
	end()
	if err != nil {
		return nil, err
	}
	defer meter.Stage(ctx, "index")()
	d.index, err = m.indexOf(d.vectors)
	return d, err
}

// indexOf indexes vectors as the options say.
func (m *method) indexOf(vectors [][]float32) (searcher, error) {
	graph := index.DefaultHNSW()
	graph.Seed = m.seed
	if m.Dense.Index == HNSW || m.Dense.Index == Auto && len(vectors) >= index.ExactBelow {
		return index.BuildHNSW(vectors, graph)
	}
	return index.NewDense(vectors)
}

// similarity is what the dense index says of a question.
type similarity struct {
	found map[int]float64 // cosines of the nearest entries
	// cosine returns that of any entry.
	cosine func(entry int) float64
}

// search returns the n nearest entries.
func (d *dense) search(ctx context.Context, text string, n int) (similarity, error) {
	end := meter.Stage(ctx, "embed")
	vectors, err := embed.Vectors(ctx, d.embedder, embed.Query, []string{text})
	end()
	if err != nil {
		return similarity{}, err
	}
	defer meter.Stage(ctx, "dense")()
	hits, err := d.index.Search(vectors[0], n)
	if err != nil {
		return similarity{}, err
	}
	s := similarity{
		found:  make(map[int]float64, len(hits)),
		cosine: func(entry int) float64 { return embed.Cosine(vectors[0], d.vectors[entry]) },
	}
	for _, h := range hits {
		s.found[h.Index] = h.Score
	}
	return s, nil
}

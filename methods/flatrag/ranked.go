package flatrag

import (
	"context"
	"fmt"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/index"
)

// ranked is an index of texts by the method's ranking.
type ranked struct {
	*method
	embed   embed.Embedder // with dense, nil where it is not used
	dense   *index.Dense
	vectors map[string][]float32 // by text
	words   *index.BM25
}

// index indexes texts. Where there is an index of an earlier state, the embedder
// is that of the earlier one and only new texts are embedded; else it is fitted
// to the texts.
func (m *method) index(ctx context.Context, texts []string, earlier *ranked) (*ranked, error) {
	x := &ranked{method: m, vectors: make(map[string][]float32)}
	if m.Ranking != Dense {
		x.words = index.NewBM25(texts, m.BM25.K1, m.BM25.B)
	}
	if m.Ranking == BM25 || len(texts) == 0 {
		return x, nil
	}
	defer meter.Stage(ctx, "embed")()
	if earlier != nil {
		x.embed, x.vectors = earlier.embed, earlier.vectors
	}
	if x.embed == nil {
		var err error
		if x.embed, err = m.embed.Fit(ctx, texts); err != nil {
			return nil, fmt.Errorf("fit the embedder to %d texts: %w", len(texts), err)
		}
	}
	var fresh []string
	for _, text := range texts {
		if _, ok := x.vectors[text]; !ok {
			x.vectors[text] = nil
			fresh = append(fresh, text)
		}
	}
	if err := x.add(ctx, fresh); err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = x.vectors[text]
	}
	var err error
	x.dense, err = index.NewDense(vectors)
	return x, err
}

// add embeds texts that have no vector yet.
func (x *ranked) add(ctx context.Context, texts []string) error {
	if len(texts) == 0 {
		return nil
	}
	vectors, err := embed.Vectors(ctx, x.embed, embed.Document, texts)
	for i, text := range texts {
		if err != nil {
			delete(x.vectors, text) // to be tried again
		} else {
			x.vectors[text] = vectors[i]
		}
	}
	return err
}

// search returns the k best texts, best first.
func (x *ranked) search(ctx context.Context, question string, k int) ([]index.Hit, error) {
	depth := k
	if x.Ranking == RRF {
		depth = max(k, x.Fusion.Depth)
	}
	var rankings [][]index.Hit
	if x.dense != nil {
		vectors, err := embed.Vectors(ctx, x.embed, embed.Query, []string{question})
		if err != nil {
			return nil, fmt.Errorf("question: %w", err)
		}
		hits, err := x.dense.Search(vectors[0], depth)
		if err != nil {
			return nil, err
		}
		rankings = append(rankings, hits)
	}
	if x.words != nil {
		rankings = append(rankings, x.words.Search(question, depth))
	}
	switch len(rankings) {
	case 0: // an empty history has no index
		return nil, nil
	case 1:
		return rankings[0], nil
	default:
		return index.Fuse(x.Fusion.Constant, k, rankings...), nil
	}
}

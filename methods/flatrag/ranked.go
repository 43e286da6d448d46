package flatrag

import (
	"context"
	"fmt"
	"slices"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/index"
)

// ranked is an index of texts by the method's ranking.
type ranked struct {
	*method
	embed   embed.Embedder // with dense; nil if it is not used
	dense   *index.Dense
	vectors map[string][]float32 // of texts that recur, here or in a later state
	words   *index.BM25
}

// batchTexts is how many texts are embedded at once: only the index holds all
// vectors of a long conversation.
const batchTexts = 1024

// index indexes texts. If there is an index of an earlier state, its embedder is
// used and only new texts are embedded; otherwise the embedder is fitted to the
// texts. Without an earlier state no later one follows.
func (m *method) index(ctx context.Context, texts []string, earlier *ranked) (*ranked, error) {
	x := &ranked{method: m, vectors: make(map[string][]float32)}
	if m.Ranking != Dense {
		x.words = index.NewBM25(texts, saturation, lengthWeight)
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
	count := make(map[string]int)
	for _, text := range texts {
		count[text]++
	}
	x.dense = new(index.Dense)
	for batch := range slices.Chunk(texts, batchTexts) {
		err := x.add(ctx, batch, func(text string) bool { return earlier != nil || count[text] > 1 })
		if err != nil {
			return nil, err
		}
	}
	return x, nil
}

// add indexes further texts and keeps the vectors of those that recur.
func (x *ranked) add(ctx context.Context, texts []string, again func(text string) bool) error {
	var fresh []string
	made := make(map[string]int) // texts by their place in fresh
	for _, text := range texts {
		_, known := x.vectors[text]
		if _, ok := made[text]; !ok && !known {
			made[text] = len(fresh)
			fresh = append(fresh, text)
		}
	}
	var vectors [][]float32
	if len(fresh) > 0 {
		var err error
		if vectors, err = embed.Vectors(ctx, x.embed, embed.Document, fresh); err != nil {
			return err
		}
	}
	rows := make([][]float32, len(texts))
	for i, text := range texts {
		place, ok := made[text]
		if !ok {
			rows[i] = x.vectors[text]
			continue
		}
		rows[i] = vectors[place]
		if again(text) {
			x.vectors[text] = rows[i]
		}
	}
	return x.dense.Add(rows)
}

// search returns the k best texts, best first.
func (x *ranked) search(ctx context.Context, question string, k int) ([]index.Hit, error) {
	depth := k
	if x.Ranking == RRF {
		depth = max(k, fusionDepth)
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
	case 0: // an empty conversation has no index
		return nil, nil
	case 1:
		return rankings[0], nil
	default:
		return index.Fuse(fusionConstant, k, rankings...), nil
	}
}

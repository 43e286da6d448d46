package live

import (
	"context"

	"recallbench/internal/embed"
	"recallbench/internal/nli"
)

// A batchedEmbedder cuts requests into batches before they are recorded, so
// that a batch that fails costs none of those before it.
type batchedEmbedder struct {
	embed.Embedder
	batches func(embed.Request) []embed.Request
}

func (b batchedEmbedder) Embed(ctx context.Context, r embed.Request) (embed.Reply, error) {
	var all embed.Reply
	for _, batch := range b.batches(r) {
		reply, err := b.Embedder.Embed(ctx, batch)
		if err != nil {
			return embed.Reply{}, err
		}
		all.Vectors = append(all.Vectors, reply.Vectors...)
		all.Tokens += reply.Tokens
		all.Reused += reply.Reused
		all.ReusedTokens += reply.ReusedTokens
	}
	return all, nil
}

// A batchedScorer does the same for pairs.
type batchedScorer struct {
	nli.Scorer
	size int
}

func (b batchedScorer) Entail(ctx context.Context, pairs []nli.Pair) ([]float64, error) {
	var all []float64
	for len(pairs) > 0 {
		n := min(b.size, len(pairs))
		scores, err := b.Scorer.Entail(ctx, pairs[:n])
		if err != nil {
			return nil, err
		}
		all = append(all, scores...)
		pairs = pairs[n:]
	}
	return all, nil
}

// pretrained is an embedder that is the same for every memory.
type pretrained struct{ embed.Embedder }

func (p pretrained) Fit(context.Context, []string) (embed.Embedder, error) { return p.Embedder, nil }

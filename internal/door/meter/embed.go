package meter

import (
	"context"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/nli"
	"recallbench/internal/door/token"
)

// EmbedRole is the role of embeddings in usage.
const EmbedRole = "embed"

// Model wraps an embedding model so that its tokens are added to the meter of
// the context under the role "embed". A nil door stays nil.
func Model(m embed.Model, c token.Counter, p Price) embed.Model {
	if m == nil {
		return nil
	}
	return model{m, c, p}
}

type model struct {
	embed.Model
	count token.Counter
	price Price
}

func (m model) Fit(ctx context.Context, texts []string) (embed.Embedder, error) {
	e, err := m.Model.Fit(ctx, texts)
	if err != nil {
		return nil, err
	}
	return embedder{e, m.count, m.price}, nil
}

type embedder struct {
	embed.Embedder
	count token.Counter
	price Price
}

func (e embedder) Embed(ctx context.Context, r embed.Request) (embed.Reply, error) {
	reply, err := e.Embedder.Embed(ctx, r)
	m := From(ctx)
	if m == nil {
		return reply, err
	}
	if err != nil {
		m.fail(err)
		return reply, err
	}
	all, reused := llm.Usage{Calls: 1, Input: reply.Tokens}, reply.ReusedTokens
	if all.Input == 0 {
		all.Counted = true
		for _, t := range r.Texts {
			all.Input += e.count.Count(t)
		}
		// Which texts were reused is not known.
		reused = all.Input * reply.Reused / max(1, len(r.Texts))
	}
	old, now := all, all
	old.Input, now.Input = reused, all.Input-reused
	if reply.Reused > 0 {
		now.Calls = 0 // it is one call with the others
		m.addPriced(EmbedRole, old, e.price, true)
	}
	if reply.Reused < len(r.Texts) {
		m.addPriced(EmbedRole, now, e.price, false)
	}
	return reply, nil
}

// Scorer wraps an entailment scorer so that its time is a stage of the
// question. Usage of a language model behind it is metered at that model. A nil
// door stays nil.
func Scorer(s nli.Scorer) nli.Scorer {
	if s == nil {
		return nil
	}
	return nli.ScorerFunc(func(ctx context.Context, pairs []nli.Pair) ([]float64, error) {
		defer Stage(ctx, "entail")()
		return s.Entail(ctx, pairs)
	})
}

package provider

import (
	"context"
	"time"

	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/limit"
	"recallbench/internal/backend/price"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/nli"
	"recallbench/internal/door/token"
)

// A gate is what every call of a model passes: the run's budget, then the
// limits of its account.
type gate struct {
	account *limit.Account
	budget  *budget.Budget
	rates   *price.Rates // nil when unknown
	tokens  token.Counter
}

func (g gate) usd(u llm.Usage) float64 {
	if g.rates == nil {
		return 0
	}
	return g.rates.Cost(u)
}

// pass calls try within budget and limits. Most is an upper estimate of the
// call; try returns what it used.
func (g gate) pass(ctx context.Context, most llm.Usage, try func(context.Context) (llm.Usage, error)) (attempts int, err error) {
	settle, err := g.budget.Reserve(ctx, most.Total(), g.usd(most))
	if err != nil {
		return 0, err
	}
	var used llm.Usage
	defer func() { settle(used.Total(), g.usd(used)) }()
	return g.account.Do(ctx, most.Total(), func(ctx context.Context) (int, error) {
		u, err := try(ctx)
		if err == nil {
			used = u
		}
		return u.Total(), err
	})
}

// passFree calls try within the limits, for what is not counted in tokens.
func (g gate) passFree(ctx context.Context, try func(context.Context) error) error {
	_, err := g.pass(ctx, llm.Usage{}, func(ctx context.Context) (llm.Usage, error) { return llm.Usage{}, try(ctx) })
	return err
}

// unboundTokens is what the budget sets aside for a reply to a program outside
// that bounds no output.
const unboundTokens = 4096

// A limitedChat is a chat model behind a gate.
type limitedChat struct {
	llm.Generator
	gate
}

func (l limitedChat) Generate(ctx context.Context, r llm.Request) (llm.Reply, error) {
	most := llm.Usage{Output: r.Params.MaxTokens}
	for _, m := range r.Messages {
		most.Input += l.tokens.Count(m.Content)
	}
	if r.Wire != nil {
		most.Input += l.tokens.Count(string(r.Wire.Rest))
		if most.Output == 0 {
			most.Output = unboundTokens
		}
	}
	var reply llm.Reply
	attempts, err := l.pass(ctx, most, func(ctx context.Context) (llm.Usage, error) {
		var err error
		start := time.Now()
		if reply, err = l.Generator.Generate(ctx, r); err != nil {
			return llm.Usage{}, err
		}
		reply.Took = time.Since(start)
		if reply.Usage.Calls == 0 {
			return llm.Usage{Input: most.Input, Output: l.tokens.Count(reply.Written())}, nil
		}
		return reply.Usage, nil
	})
	if err != nil {
		return llm.Reply{}, err
	}
	reply.Attempts = attempts
	return reply, nil
}

// A limitedEmbedder is an embedding model behind a gate, which each batch
// passes by itself.
type limitedEmbedder struct {
	embed.Embedder
	gate
}

func (l limitedEmbedder) Embed(ctx context.Context, r embed.Request) (embed.Reply, error) {
	var most llm.Usage
	for _, t := range r.Texts {
		most.Input += l.tokens.Count(t)
	}
	var reply embed.Reply
	_, err := l.pass(ctx, most, func(ctx context.Context) (llm.Usage, error) {
		var err error
		if reply, err = l.Embedder.Embed(ctx, r); err != nil {
			return llm.Usage{}, err
		}
		if reply.Tokens == 0 {
			return most, nil
		}
		return llm.Usage{Input: reply.Tokens}, nil
	})
	return reply, err
}

// A limitedScorer is a scorer of entailment behind the limits of its account.
type limitedScorer struct {
	nli.Scorer
	gate
}

func (l limitedScorer) Entail(ctx context.Context, pairs []nli.Pair) ([]float64, error) {
	var scores []float64
	err := l.passFree(ctx, func(ctx context.Context) (err error) {
		scores, err = l.Scorer.Entail(ctx, pairs)
		return err
	})
	return scores, err
}

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

package provider

import (
	"cmp"
	"context"
	"time"

	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/limit"
	"recallbench/internal/backend/price"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/token"
)

// A gate is what every call of a model passes: the run's budget, then the
// limits of its account.
type gate struct {
	account *limit.Account
	budget  *budget.Budget
	label   string       // of the model entry
	rates   *price.Rates // nil if unknown
	tokens  token.Counter
}

// usd is what usage costs; nil if unknown.
func (g gate) usd(u llm.Usage) *float64 {
	if g.rates == nil {
		return nil
	}
	return new(g.rates.Cost(u))
}

// pass calls try within budget and limits. Most is an upper estimate of an attempt.
// Try returns what it used, also where the reply is of no use: an attempt that was
// paid is settled by itself, and the next one reserves anew. It has a slot of the account,
// for which a call in flight may wait, so that it does not wait for that one's lease.
func (g gate) pass(ctx context.Context, most llm.Usage, try func(context.Context) (llm.Usage, error)) (attempts int, err error) {
	var bound float64
	if usd := g.usd(most); usd != nil {
		bound = *usd
	}
	lease, err := g.budget.Reserve(ctx, most.Total(), bound, true)
	if err != nil {
		return 0, err
	}
	settle := func(u llm.Usage) error {
		paid := &meter.Paid{Calls: u.Calls, Tokens: u.Total(), USD: g.usd(u)}
		if u == (llm.Usage{}) {
			paid.USD = new(0.0)
		}
		of := lease
		lease = 0
		return g.budget.Settle(context.WithoutCancel(ctx), of, budget.Settlement{Model: g.label, Paid: paid})
	}
	attempts, err = g.account.Do(ctx, most.Total(), func(ctx context.Context) (n int, err error) {
		if lease == 0 {
			if lease, err = g.budget.Reserve(ctx, most.Total(), bound, false); err != nil {
				return 0, err
			}
		}
		u, err := try(ctx)
		if err == nil || u != (llm.Usage{}) {
			if fault := settle(u); fault != nil {
				err = fault
			}
		}
		return u.Total(), err
	})
	if lease != 0 {
		if fault := settle(llm.Usage{}); fault != nil {
			err = fault
		}
	}
	return attempts, err
}

// unboundTokens is what the budget sets aside for a reply that its request does not
// bound.
const unboundTokens = 4096

// A limitedChat is a chat model behind a gate.
type limitedChat struct {
	llm.Generator
	gate
}

func (l limitedChat) Generate(ctx context.Context, r llm.Request) (llm.Reply, error) {
	most := llm.Usage{Input: meter.Input(r, l.tokens), Output: cmp.Or(r.Params.MaxTokens, unboundTokens)}
	var reply llm.Reply
	attempts, err := l.pass(ctx, most, func(ctx context.Context) (llm.Usage, error) {
		var err error
		start := time.Now()
		if reply, err = l.Generator.Generate(ctx, r); err != nil {
			meter.Waste(ctx, r.Role, reply.Usage, l.usd(reply.Usage))
			return reply.Usage, err
		}
		reply.Took = time.Since(start)
		if reply.Usage.Calls == 0 {
			return llm.Usage{Calls: 1, Input: most.Input, Output: l.tokens.Count(reply.Written())}, nil
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
		reply, err = l.Embedder.Embed(ctx, r)
		used := llm.Usage{Input: reply.Tokens}
		switch {
		case err != nil:
			meter.Waste(ctx, meter.EmbedRole, used, l.usd(used))
		case used.Input == 0:
			used = most
		}
		return used, err
	})
	return reply, err
}

package calls

import (
	"context"
	"math"
	"sync/atomic"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
)

// Embedder wraps an embedder; in the mode [Replay] e may be nil, in the others
// a nil door stays nil. Each text is a recording of its own, so that a text is
// paid for once, whatever texts it is embedded with.
//
// The tokens of a call are distributed over its texts in proportion to their
// length in bytes. A vector that is not as long as the others of its identity
// is an error.
func (r *Recorder) Embedder(id Identity, info embed.Info, e embed.Embedder) embed.Embedder {
	if r.mode == Off || e == nil && r.mode != Replay {
		return e
	}
	rec := &embedder{door: r.door(id), info: info, inner: e}
	dim := info.Dim
	if dim == 0 && r.mode != Record {
		dim = r.store.dimension(rec.id)
	}
	rec.dim.Store(int64(dim))
	return rec
}

// An embedder is a recorded embed.Embedder.
type embedder struct {
	door
	info  embed.Info
	inner embed.Embedder
	dim   atomic.Int64 // of all vectors; 0 while it is not known
}

// Info returns the info that was given, with the dimension of the vectors.
func (e *embedder) Info() embed.Info {
	info := e.info
	info.Dim = int(e.dim.Load())
	return info
}

// Embed implements embed.Embedder.
func (e *embedder) Embed(ctx context.Context, r embed.Request) (embed.Reply, error) {
	of := func(id identity, text string) *Call { return embedding(id, r.Kind, text) }
	answers, err := askList(ctx, &e.door, r.Texts, of, func(ctx context.Context, texts []string) ([]Reply, error) {
		some := r
		some.Texts = texts
		return e.call(ctx, some)
	})
	if err != nil || len(answers) == 0 {
		return embed.Reply{}, err
	}
	reply := embed.Reply{Vectors: make([][]float32, len(answers))}
	for i, a := range answers {
		if err := e.fits(a.Vector); err != nil {
			return embed.Reply{}, err
		}
		reply.Vectors[i] = a.Vector
		reply.Tokens += a.Tokens
		if a.reused {
			reply.Reused++
			reply.ReusedTokens += a.Tokens
		}
	}
	return reply, nil
}

// call embeds what is not recorded.
func (e *embedder) call(ctx context.Context, r embed.Request) ([]Reply, error) {
	reply, err := e.inner.Embed(ctx, r)
	if err != nil {
		return nil, err
	}
	if len(reply.Vectors) != len(r.Texts) {
		return nil, fault.New(fault.BadReply, "%d vectors for %d texts", len(reply.Vectors), len(r.Texts))
	}
	replies := make([]Reply, len(r.Texts))
	tokens := share(reply.Tokens, r.Texts)
	for i, v := range reply.Vectors {
		if err := e.fits(v); err != nil {
			return nil, err
		}
		replies[i] = Reply{Vector: v, Tokens: tokens[i]}
	}
	return replies, nil
}

// fits checks a vector; the first sets the length of the others.
func (e *embedder) fits(v []float32) error {
	if len(v) == 0 {
		return fault.New(fault.BadReply, "a vector of %s without elements", e.id.Model)
	}
	if !e.dim.CompareAndSwap(0, int64(len(v))) && e.dim.Load() != int64(len(v)) {
		return fault.New(fault.BadReply, "a vector of %s has dimension %d, want %d", e.id.Model, len(v), e.dim.Load())
	}
	for i, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return fault.New(fault.BadReply, "element %d of a vector of %s is %v", i, e.id.Model, x)
		}
	}
	return nil
}

// share shares out tokens over texts in proportion to their length in bytes, so that the
// sum stays.
func share(tokens int, texts []string) []int {
	shares := make([]int, len(texts))
	left := 0 // bytes
	for _, t := range texts {
		left += len(t)
	}
	for i, t := range texts {
		shares[i] = tokens
		if left > 0 {
			shares[i] = (tokens*len(t) + left/2) / left
		}
		tokens, left = tokens-shares[i], left-len(t)
	}
	return shares
}

package openai

import (
	"cmp"
	"context"
	"sync/atomic"

	"recallbench/internal/backend/httpfault"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
)

// An Embedder is an embedding model behind a server. It implements
// [embed.Embedder].
type Embedder struct {
	*server
	dimensions int          // requested
	dim        atomic.Int64 // of all vectors; 0 until it is known
}

// NewEmbedder returns the model that a config names, which has no quirks. It makes no call
// yet. Dimensions is the requested length of vectors, for models that support several; 0 is
// the model's own.
func NewEmbedder(c Config, dimensions int) (*Embedder, error) {
	s, err := newServer(c)
	e := &Embedder{server: s, dimensions: dimensions}
	e.dim.Store(int64(dimensions))
	return e, err
}

// Dim implements [embed.Embedder]. It is not known before the first reply, unless it was
// requested.
func (e *Embedder) Dim() int { return int(e.dim.Load()) }

// Embed implements [embed.Embedder], in one request. Its errors, and what comes
// with them, are those of [Chat.Generate].
func (e *Embedder) Embed(ctx context.Context, r embed.Request) (embed.Reply, error) {
	// Servers refuse a text without a character.
	input := lists.Map(r.Texts, func(text string) string { return cmp.Or(text, " ") })
	body := map[string]any{"model": e.model, "input": input}
	if e.dimensions > 0 {
		body["dimensions"] = e.dimensions
	}
	resp, err := e.post(ctx, "embeddings", body, e.mostBytes(len(r.Texts)))
	if err != nil {
		return embed.Reply{}, err
	}
	var reply embed.Reply
	if !resp.OK() {
		err = e.refusal(resp)
	} else if reply, err = e.vectors(resp, len(r.Texts)); err == nil {
		return reply, nil
	}
	return embed.Reply{Tokens: usageOf(resp).Input}, err
}

// What a number of a vector may take in a reply, in bytes, and the dimensions of
// vectors before any is known.
const (
	numberBytes   = 40
	mostDimension = 8192
)

// mostBytes returns what a reply with n vectors may take.
func (e *Embedder) mostBytes(n int) int {
	return freeBytes + n*min(cmp.Or(e.Dim(), mostDimension), 1<<20)*numberBytes
}

// vectors returns the vectors of a successful response to n texts: each at its index,
// wherever it stands. Some servers leave 0 out; without any other index vectors are in
// order.
func (e *Embedder) vectors(resp *httpfault.Response, n int) (embed.Reply, error) {
	var list struct {
		Data []struct {
			Index  int       `json:"index"`
			Vector []float32 `json:"embedding"`
		} `json:"data"`
		Usage usage `json:"usage"`
	}
	if err := e.decode(resp, &list, "a list of embeddings"); err != nil {
		return embed.Reply{}, err
	}
	if len(list.Data) != n {
		return embed.Reply{}, e.garbled(resp, "the reply has %d vectors for %d texts", len(list.Data), n)
	}
	reply := embed.Reply{Vectors: make([][]float32, n), Tokens: cmp.Or(max(list.Usage.Prompt, 0), max(list.Usage.Total, 0))}
	if reply.Tokens > maxTokens {
		reply.Tokens = 0
	}
	inOrder := true
	for _, d := range list.Data {
		inOrder = inOrder && d.Index == 0
	}
	for i, d := range list.Data {
		if !inOrder {
			i = d.Index
		}
		if i < 0 || i >= n || reply.Vectors[i] != nil {
			return embed.Reply{}, e.garbled(resp, "the reply has a vector with the index %d, want 0 to %d, each once", i, n-1)
		}
		if err := e.checkDim(len(d.Vector)); err != nil {
			return embed.Reply{}, err
		}
		embed.Normalise(d.Vector, near1)
		reply.Vectors[i] = d.Vector
	}
	return reply, nil
}

// checkDim compares the length of a vector with that of all before it.
func (e *Embedder) checkDim(dim int) error {
	if dim == 0 {
		return e.bad(fault.BadReply, "the reply has a vector without numbers")
	}
	e.dim.CompareAndSwap(0, int64(dim))
	switch known := e.Dim(); {
	case dim == known:
		return nil
	case e.dimensions > 0:
		return e.bad(fault.Rejected, "the vectors have %d dimensions, %d were requested; the model may only support its own: leave dimensions out", dim, known)
	default:
		return e.bad(fault.Rejected, "the vectors have %d dimensions, earlier ones had %d; has the model behind the name changed?", dim, known)
	}
}

// near1 is how far from 1 the length of a vector may be that counts as
// normalised: servers round.
const near1 = 1e-3

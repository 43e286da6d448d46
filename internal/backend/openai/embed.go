package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"sync/atomic"

	"recallbench/internal/backend/httpfault"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
)

// An Embedder is an embedding model behind a server. It implements
// [embed.Embedder].
type Embedder struct {
	server *server
	c      EmbedConfig
	fixed  json.RawMessage
	dim    atomic.Int64 // of all vectors; 0 until it is known
}

// NewEmbedder returns the model that a config names. It reaches for nothing
// yet.
func NewEmbedder(c EmbedConfig) (*Embedder, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	s, err := newServer(c.Config)
	if err != nil {
		return nil, err
	}
	e := &Embedder{server: s, c: c}
	e.dim.Store(int64(c.Dimensions))
	e.fixed, err = c.fixed()
	return e, err
}

// Fixed returns the canonical JSON of what vectors depend on beside model and
// text. It holds neither key nor address.
func (e *Embedder) Fixed() json.RawMessage { return slices.Clone(e.fixed) }

// Info implements [embed.Embedder]. The dimension is 0 until the first reply,
// unless the config names one.
func (e *Embedder) Info() embed.Info {
	return embed.Info{Name: e.c.Model, Dim: int(e.dim.Load()), Normalised: true}
}

// Batches cuts a request into those that are sent.
func (e *Embedder) Batches(r embed.Request) []embed.Request {
	var batches []embed.Request
	start, tokens := 0, 0
	for i, text := range r.Texts {
		n := e.c.Count(e.prefix(r.Kind) + text)
		if i > start && (i-start >= e.c.BatchTexts || tokens+n > batchTokens) {
			batches = append(batches, embed.Request{Kind: r.Kind, Texts: r.Texts[start:i]})
			start, tokens = i, 0
		}
		tokens += n
	}
	if start < len(r.Texts) {
		batches = append(batches, embed.Request{Kind: r.Kind, Texts: r.Texts[start:]})
	}
	return batches
}

func (e *Embedder) prefix(k embed.Kind) string {
	if k == embed.Query {
		return e.c.QueryPrefix
	}
	return e.c.DocumentPrefix
}

// Embed implements [embed.Embedder], in one request. Its errors are those of
// [Chat.Generate], and so is what comes with them.
func (e *Embedder) Embed(ctx context.Context, r embed.Request) (embed.Reply, error) {
	body := struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Dimensions int      `json:"dimensions,omitempty"`
		Encoding   string   `json:"encoding_format,omitempty"`
	}{Model: e.c.Model, Dimensions: e.c.Dimensions, Encoding: unless(e.c.Encoding, "float")}
	for _, text := range r.Texts {
		text = e.prefix(r.Kind) + text
		if text == "" {
			text = " " // servers refuse a text without a character
		}
		body.Input = append(body.Input, text)
	}
	data, err := e.server.encode(body, nil)
	if err != nil {
		return embed.Reply{}, err
	}
	resp, err := e.server.send(ctx, http.MethodPost, "embeddings", data, e.bound(len(r.Texts)))
	if err != nil {
		return embed.Reply{}, err
	}
	defer resp.body.Release()
	var reply embed.Reply
	if !resp.ok() {
		err = e.server.refusal(resp)
	} else if reply, err = e.read(ctx, resp, len(r.Texts)); err == nil {
		return reply, nil
	}
	return embed.Reply{Tokens: resp.usage().of().Input}, err
}

// What a number of a vector may take in a reply, in bytes, and the dimensions of
// vectors before any is known.
const (
	numberBytes   = 40
	mostDimension = 8192
)

// bound returns the bound of a reply with n vectors.
func (e *Embedder) bound(n int) httpfault.Bound {
	dim := int(e.dim.Load())
	why := fmt.Sprintf("%d texts of %d dimensions", n, dim)
	if dim == 0 {
		dim = mostDimension
		why = fmt.Sprintf("%d texts of at most %d dimensions", n, dim)
	}
	return httpfault.Bound{
		Bytes: freeBytes + n*min(dim, 1<<20)*numberBytes, Why: why,
		Remedy: "lower batch_texts, or set encoding to base64",
	}
}

// read returns the vectors of a successful response to n texts.
func (e *Embedder) read(ctx context.Context, resp *response, n int) (embed.Reply, error) {
	var list embeddingList
	if err := e.server.decode(ctx, resp, &list, "a list of embeddings"); err != nil {
		return embed.Reply{}, err
	}
	if len(list.Data) != n {
		return embed.Reply{}, e.server.garbled(resp, "the reply holds %d vectors for %d texts", len(list.Data), n)
	}
	reply := embed.Reply{Vectors: make([][]float32, n), Tokens: list.tokens()}
	places, err := list.places()
	if err != nil {
		return embed.Reply{}, e.server.garbled(resp, "%v", err)
	}
	for i, d := range list.Data {
		vector := []float32(d.Vector)
		if err := e.checkDim(len(vector)); err != nil {
			return embed.Reply{}, err
		}
		normalise(vector)
		reply.Vectors[places[i]] = vector
	}
	return reply, nil
}

// checkDim compares the length of a vector with that of all before it.
func (e *Embedder) checkDim(dim int) error {
	if dim == 0 {
		return e.server.bad(fault.BadReply, "the reply holds a vector without numbers")
	}
	e.dim.CompareAndSwap(0, int64(dim))
	switch known := int(e.dim.Load()); {
	case dim == known:
		return nil
	case e.c.Dimensions > 0:
		return e.server.bad(fault.Rejected, "the vectors have %d dimensions, %d were asked for; the model may have its own only: leave dimensions out", dim, known)
	default:
		return e.server.bad(fault.Rejected, "the vectors have %d dimensions, those before had %d; has the model behind the name changed?", dim, known)
	}
}

// near1 is how far from 1 the length of a vector may be that counts as
// normalised: servers round.
const near1 = 1e-3

// normalise scales a vector that has another length to length 1.
func normalise(vector []float32) {
	var sum float64
	for _, x := range vector {
		sum += float64(x) * float64(x)
	}
	norm := math.Sqrt(sum)
	if norm == 0 || math.Abs(norm-1) < near1 {
		return
	}
	for i, x := range vector {
		vector[i] = float32(float64(x) / norm)
	}
}

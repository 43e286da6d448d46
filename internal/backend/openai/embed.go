package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"recallbench/internal/backend/httpfault"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
)

// batchTokens bounds the tokens of a request. OpenAI takes 300,000. A text that is
// larger makes a request of its own.
const batchTokens = 100_000

// EmbedConfig describes an embedding model and its use. The quirks are those of chats.
type EmbedConfig struct {
	Config

	// Dimensions is the requested length of vectors, for models that support
	// several; 0 is the model's own.
	Dimensions int
	// BatchTexts limits the texts of a request. Gemini accepts 100.
	BatchTexts int
	// Count counts the tokens of a text.
	Count func(string) int
	// QueryPrefix and DocumentPrefix are put before texts, for models that need
	// to know what a text is for.
	QueryPrefix, DocumentPrefix string
}

// An Embedder is an embedding model behind a server. It implements
// [embed.Embedder].
type Embedder struct {
	server *server
	c      EmbedConfig
	dim    atomic.Int64 // of all vectors; 0 until it is known
}

// NewEmbedder returns the model that a config names. It makes no call yet.
func NewEmbedder(c EmbedConfig) (*Embedder, error) {
	s, err := newServer(c.Config)
	e := &Embedder{server: s, c: c}
	e.dim.Store(int64(c.Dimensions))
	return e, err
}

// Fixed returns the canonical JSON of what vectors depend on in addition to
// model and text, without defaults. It has neither key nor address.
func (e *Embedder) Fixed() json.RawMessage {
	// The fields stand in the order of their names.
	fixed, _ := json.Marshal(struct { // which texts and a number have
		Dimensions     int    `json:"dimensions,omitempty"`
		DocumentPrefix string `json:"document_prefix,omitempty"`
		QueryPrefix    string `json:"query_prefix,omitempty"`
	}{e.c.Dimensions, e.c.DocumentPrefix, e.c.QueryPrefix})
	return fixed
}

// Info implements [embed.Embedder]. The dimension is 0 until the first reply,
// unless the config sets one.
func (e *Embedder) Info() embed.Info {
	return embed.Info{Name: e.c.Model, Dim: int(e.dim.Load()), Normalised: true}
}

// Batches splits a request into those that are sent.
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

// Embed implements [embed.Embedder], in one request. Its errors, and what comes
// with them, are those of [Chat.Generate].
func (e *Embedder) Embed(ctx context.Context, r embed.Request) (embed.Reply, error) {
	var input []string
	for _, text := range r.Texts {
		text = e.prefix(r.Kind) + text
		if text == "" {
			text = " " // servers refuse a text without a character
		}
		input = append(input, text)
	}
	body := map[string]any{"model": e.c.Model, "input": input}
	if e.c.Dimensions > 0 {
		body["dimensions"] = e.c.Dimensions
	}
	resp, err := e.server.post(ctx, "embeddings", body, e.bound(len(r.Texts)))
	if err != nil {
		return embed.Reply{}, err
	}
	var reply embed.Reply
	if !resp.OK() {
		err = e.server.refusal(resp)
	} else if reply, err = e.read(resp, len(r.Texts)); err == nil {
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

// bound returns the bound of a reply with n vectors.
func (e *Embedder) bound(n int) httpfault.Bound {
	dim, most := int(e.dim.Load()), ""
	if dim == 0 {
		dim, most = mostDimension, "at most "
	}
	return httpfault.Bound{
		Bytes: freeBytes + n*min(dim, 1<<20)*numberBytes, Why: fmt.Sprintf("%d texts of %s%d dimensions", n, most, dim),
		Remedy: "lower batch_texts",
	}
}

// An embeddingList is the reply to a request for embeddings.
type embeddingList struct {
	Data []struct {
		Index  int       `json:"index"`
		Vector []float32 `json:"embedding"`
	} `json:"data"`
	Usage struct {
		Prompt int `json:"prompt_tokens"`
		Total  int `json:"total_tokens"`
	} `json:"usage"`
}

// read returns the vectors of a successful response to n texts: each at its index,
// wherever it stands. Some servers leave 0 out; without any other index vectors are in
// order.
func (e *Embedder) read(resp *httpfault.Response, n int) (embed.Reply, error) {
	var list embeddingList
	if err := e.server.decode(resp, &list, "a list of embeddings"); err != nil {
		return embed.Reply{}, err
	}
	if len(list.Data) != n {
		return embed.Reply{}, e.server.garbled(resp, "the reply has %d vectors for %d texts", len(list.Data), n)
	}
	reply := embed.Reply{Vectors: make([][]float32, n), Tokens: list.Usage.Prompt}
	if reply.Tokens <= 0 {
		reply.Tokens = list.Usage.Total
	}
	if reply.Tokens < 0 || reply.Tokens > maxTokens {
		reply.Tokens = 0
	}
	numbered := false
	for _, d := range list.Data {
		numbered = numbered || d.Index != 0
	}
	for i, d := range list.Data {
		if numbered {
			i = d.Index
		}
		if i < 0 || i >= n || reply.Vectors[i] != nil {
			return embed.Reply{}, e.server.garbled(resp, "the reply has a vector with the index %d, want 0 to %d, each once", i, n-1)
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
		return e.server.bad(fault.BadReply, "the reply has a vector without numbers")
	}
	e.dim.CompareAndSwap(0, int64(dim))
	switch known := int(e.dim.Load()); {
	case dim == known:
		return nil
	case e.c.Dimensions > 0:
		return e.server.bad(fault.Rejected, "the vectors have %d dimensions, %d were requested; the model may only support its own: leave dimensions out", dim, known)
	default:
		return e.server.bad(fault.Rejected, "the vectors have %d dimensions, earlier ones had %d; has the model behind the name changed?", dim, known)
	}
}

// near1 is how far from 1 the length of a vector may be that counts as
// normalised: servers round.
const near1 = 1e-3

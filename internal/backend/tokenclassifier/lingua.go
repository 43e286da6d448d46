// Package tokenclassifier asks a server that the user provides which tokens of texts are
// kept, as a token classifier such as LLMLingua-2's says it.
//
// No server that is in use gives this: text-embeddings-inference has no token
// classification, and what vLLM gives of it names no tokens. So the protocol is
// our own, and small enough for a page of Python around the model; docs/models.md
// has one. A request and its reply:
//
//	POST {base_url}/keep
//	{"texts": ["Ann moved in May.", ...]}
//
//	{"tokens": [[{"start": 0, "end": 3, "keep": 0.98},
//	             {"start": 4, "end": 9, "keep": 0.91}, ...], ...]}
//
// Tokens are those of the model's tokenizer without its special ones, in order. Start
// and end are places in the text, counted in characters (Unicode code points), as
// tokenizers of Hugging Face give them. keep is the probability of the label that
// keeps a token, from 0 to 1. Every letter and digit of a text belongs to a token: a
// text that is longer than the model takes is classified in parts by the server, and
// never cut.
//
// A key goes as a bearer token, and what a server refuses has a status of HTTP
// from 400 on, with a message in "error" or as text.
package tokenclassifier

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"recallbench/internal/backend/httpfault"
	"recallbench/internal/door/compress"
	"recallbench/internal/door/fault"
)

// DefaultBatch is the number of texts in a request.
const DefaultBatch = 32

// Config says which server to ask and how.
type Config struct {
	BaseURL string // such as "http://localhost:8090"
	Key     string // sent as a bearer token; empty for none
	Batch   int    // largest number of texts in a request; 0 is DefaultBatch
	Client  *http.Client
}

// A Classifier asks a server. It is safe for concurrent use.
type Classifier struct {
	batch  int
	server *httpfault.Client
}

// New returns a classifier. It calls nothing. A base address that is not http or
// https, that holds a user or a query, or a negative batch is an error.
func New(c Config) (*Classifier, error) {
	server, err := httpfault.NewClient(c.BaseURL, c.Key, c.Client)
	faults := []error{err}
	if c.Batch < 0 {
		faults = append(faults, fmt.Errorf("batch: %d, want at least 1", c.Batch))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("token classifier: %w", err)
	}
	if c.Batch == 0 {
		c.Batch = DefaultBatch
	}
	return &Classifier{c.Batch, server}, nil
}

// Classify implements [compress.Classifier]: it asks batch after batch and stops at
// the first that fails.
func (c *Classifier) Classify(ctx context.Context, texts []string) ([][]compress.Token, error) {
	all := make([][]compress.Token, 0, len(texts))
	for batch := range slices.Chunk(texts, c.batch) {
		tokens, err := c.ClassifyBatch(ctx, batch)
		if err != nil {
			return nil, err
		}
		all = append(all, tokens...)
	}
	return all, nil
}

// A keepRequest is the body of POST /keep, and a keepReply its reply.
type (
	keepRequest struct {
		Texts []string `json:"texts"`
	}
	keepReply struct {
		Tokens [][]keepToken `json:"tokens"`
	}
	keepToken struct { // what is missing is nil
		Start *int     `json:"start"`
		End   *int     `json:"end"`
		Keep  *float64 `json:"keep"`
	}
)

// bound bounds the tokens of texts: as many as they have bytes.
func bound(texts []string) httpfault.Bound {
	n := 0
	for _, t := range texts {
		n += len(t)
	}
	return httpfault.Bound{Bytes: 64<<10 + n*128, Why: fmt.Sprintf("texts of %d bytes", n), Remedy: "lower batch, or look at what the server sends"}
}

// ClassifyBatch classifies the texts of one request, so that the caller can put
// limits and retries around each. Errors are *fault.Error, save that of a context
// that was canceled.
func (c *Classifier) ClassifyBatch(ctx context.Context, texts []string) ([][]compress.Token, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	var reply keepReply
	if err := c.server.Call(ctx, http.MethodPost, "keep", keepRequest{texts}, &reply, bound(texts)); err != nil {
		return nil, err
	}
	if len(reply.Tokens) != len(texts) {
		return nil, fault.New(fault.BadReply, "tokens of %d texts, want of %d", len(reply.Tokens), len(texts))
	}
	all := make([][]compress.Token, len(texts))
	for i, tokens := range reply.Tokens {
		var err error
		if all[i], err = inBytes(texts[i], tokens); err != nil {
			return nil, fault.New(fault.BadReply, "text %d of %d: %v", i+1, len(texts), err)
		}
	}
	return all, nil
}

// inBytes returns tokens whose places are counted in bytes.
func inBytes(text string, tokens []keepToken) ([]compress.Token, error) {
	places := make([]int, 0, len(text)+1) // of characters
	for at := range text {
		places = append(places, at)
	}
	places = append(places, len(text))
	var all []compress.Token
	for i, t := range tokens {
		switch {
		case t.Start == nil || t.End == nil || t.Keep == nil:
			return nil, fmt.Errorf("token %d has no start, end or keep", i)
		case *t.Start < 0 || *t.End < *t.Start || *t.End >= len(places):
			return nil, fmt.Errorf("token %d is from character %d to %d of a text of %d", i, *t.Start, *t.End, len(places)-1)
		}
		all = append(all, compress.Token{Start: places[*t.Start], End: places[*t.End], Keep: *t.Keep})
	}
	return all, compress.Check(text, all)
}

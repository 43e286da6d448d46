package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/backend/httpfault"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
)

// maxModels bounds a list of models in bytes. OpenRouter's has half a million.
const maxModels = 8 << 20

// A model is what servers list of a model.
type model struct {
	ID      string   `json:"id"`
	Aliases []string `json:"aliases"` // llama.cpp's further names
	Meta    struct {
		NCtx    json.RawMessage `json:"n_ctx"` // of one slot
		NParams int64           `json:"n_params"`
		Size    int64           `json:"size"`
		FType   string          `json:"ftype"`
	} `json:"meta"`
	// What servers call the tokens that a model takes: vLLM, OpenRouter and
	// Together, Groq, Mistral; llama.cpp has meta.n_ctx.
	MaxModelLen      json.RawMessage `json:"max_model_len"`
	ContextLength    json.RawMessage `json:"context_length"`
	ContextWindow    json.RawMessage `json:"context_window"`
	MaxContextLength json.RawMessage `json:"max_context_length"`
}

// Models returns the names of the models that the server lists, sorted, and notes
// what it says of its own.
func (s *server) Models(ctx context.Context) ([]string, error) {
	resp, err := s.send(ctx, httpfault.Request{Path: "models", Most: maxModels})
	if err != nil {
		return nil, err
	}
	if !resp.OK() {
		return nil, s.refusal(resp)
	}
	var list struct {
		Data []model `json:"data"`
	}
	if err := s.decode(resp, &list, "a list of models"); err != nil {
		return nil, err
	}
	var names []string
	for _, m := range list.Data {
		own := lists.Map(append(m.Aliases, m.ID), s.clean.Name)
		names = append(names, own...)
		// llama.cpp serves one model, whatever the name that is asked for.
		if !s.Listed(own) && (m.Meta.NParams == 0 || len(list.Data) > 1) {
			continue
		}
		for _, length := range []json.RawMessage{m.MaxModelLen, m.ContextLength, m.ContextWindow, m.MaxContextLength, m.Meta.NCtx} {
			if n, err := strconv.ParseInt(string(length), 10, 32); err == nil && n > 0 {
				s.length.Store(n)
			}
		}
		if m.Meta.NParams > 0 {
			weights := fmt.Sprintf("%d parameters as %s in %d bytes", m.Meta.NParams, cmp.Or(s.clean.Name(m.Meta.FType), "an unknown type"), m.Meta.Size)
			s.weights.Store(&weights)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// fingerprint adds to the fingerprint of a reply what the server says of its
// weights. Only llama.cpp does: it replies under its alias whatever it has loaded,
// and its own fingerprint names its build. It is asked again with each fresh
// connection, since a server that was started again may have other weights. Two
// models of the same size and type look alike.
func (s *server) fingerprint(ctx context.Context, resp *httpfault.Response, fresh bool, own string) string {
	if resp.Header.Get("Server") != "llama.cpp" {
		return own
	}
	if fresh || s.weights.Load() == nil {
		s.weights.Store(nil)
		if _, err := s.Models(ctx); err != nil {
			return own // the reply is good anyway, and the next one asks again
		}
	}
	if weights := s.weights.Load(); weights != nil {
		return own + llm.Weights + *weights
	}
	return own
}

// Context returns how many tokens of prompt and reply the model accepts, if the
// list of Models said so; else 0.
func (s *server) Context() int { return int(s.length.Load()) }

// Listed reports whether the model is in a list. Gemini lists its models with
// models/ before the name, and Ollama with :latest behind it where the name
// says no other tag.
func (s *server) Listed(models []string) bool {
	bare := func(name string) string {
		return strings.TrimSuffix(strings.TrimPrefix(name, "models/"), ":latest")
	}
	return slices.ContainsFunc(models, func(name string) bool { return bare(name) == bare(s.model) })
}

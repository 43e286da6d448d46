package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/httpfault"
)

// modelsBound bounds a list of models. OpenRouter's has half a million bytes.
var modelsBound = httpfault.Bound{Bytes: 8 << 20, Why: "what a list of models may take"}

func (s *server) models(ctx context.Context) ([]string, error) {
	resp, err := s.send(ctx, http.MethodGet, "models", nil, modelsBound)
	if err != nil {
		return nil, err
	}
	defer resp.body.Release()
	if !resp.ok() {
		return nil, s.refusal(resp)
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
			// What servers call the tokens that a model takes: vLLM, OpenRouter and
			// Together, Groq, Mistral, llama.cpp.
			MaxModelLen      json.RawMessage `json:"max_model_len"`
			ContextLength    json.RawMessage `json:"context_length"`
			ContextWindow    json.RawMessage `json:"context_window"`
			MaxContextLength json.RawMessage `json:"max_context_length"`
		} `json:"data"`
	}
	if err := s.decode(ctx, resp, &list, "a list of models"); err != nil {
		return nil, err
	}
	var names []string
	for _, m := range list.Data {
		names = append(names, s.clean.Name(m.ID))
		for _, length := range []json.RawMessage{m.MaxModelLen, m.ContextLength, m.ContextWindow, m.MaxContextLength} {
			if n, err := strconv.ParseInt(string(length), 10, 32); err == nil && n > 0 && s.listed(names[len(names)-1:]) {
				s.context.Store(n)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// listed reports whether the model is in a list. Gemini lists its models with
// models/ before the name, and Ollama with :latest behind it where the name
// says no other tag.
func (s *server) listed(models []string) bool {
	bare := func(name string) string {
		return strings.TrimSuffix(strings.TrimPrefix(name, "models/"), ":latest")
	}
	return slices.ContainsFunc(models, func(name string) bool { return bare(name) == bare(s.model) })
}

package openai

import (
	"context"
	"net/http"
	"slices"
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
		} `json:"data"`
	}
	if err := s.decode(ctx, resp, &list, "a list of models"); err != nil {
		return nil, err
	}
	var names []string
	for _, m := range list.Data {
		names = append(names, s.clean.Name(m.ID))
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

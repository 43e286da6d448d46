package openai

import (
	"context"
	"net/http"
	"slices"
	"strings"
)

func (s *server) models(ctx context.Context) ([]string, error) {
	resp, err := s.send(ctx, http.MethodGet, "models", nil)
	if err != nil {
		return nil, err
	}
	if !resp.ok() {
		return nil, s.refusal(resp)
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := s.decode(resp, &list, "list of models"); err != nil {
		return nil, err
	}
	var names []string
	for _, m := range list.Data {
		names = append(names, s.clean.line(m.ID))
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

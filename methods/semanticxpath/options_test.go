package semanticxpath

import (
	"strings"
	"testing"

	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
	"recallbench/internal/door/token"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
)

// TestDoors makes the method with only a language model: scorers that need
// another door are refused by name, the others are not.
func TestDoors(t *testing.T) {
	prompts := try.Get(prompt.Load(Spec.Name, Spec.Prompts, nil))(t)
	tokens := try.Get(token.New("o200k_base"))(t)
	for _, tt := range []struct {
		scorer Scorer
		want   string // part of the error; empty for none
	}{
		{Scorer{Kind: Sem}, "no embedder, which the scorer sem needs"},
		{Scorer{Kind: Entail}, "no entailment model, which the scorer entail needs"},
		{Scorer{Kind: Model}, ""},
	} {
		o := Defaults()
		o.Scorer = tt.scorer
		_, err := newMethod(methods.Env{LLM: llm.Echo(), Prompts: prompts, Tokens: tokens}, o)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.scorer.Kind, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: %v, want %q", tt.scorer.Kind, err, tt.want)
		}
	}
}

package flatrag

import (
	"testing"

	"recallbench/datasets"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
	"recallbench/internal/door/token"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
)

// TestGrep finds the turn with the rare word, without an embedder.
func TestGrep(t *testing.T) {
	prompts := try.Get(prompt.Load(GrepSpec.Name, GrepSpec.Prompts, nil))(t)
	tokens := try.Get(token.New("o200k_base"))(t)
	env := methods.Env{Prompts: prompts, Tokens: tokens, LLM: llm.Echo()}
	m := try.Get(GrepSpec.New(env, GrepSpec.Options))(t)
	var turns []datasets.Turn
	for _, text := range []string{"How are you?", "How is the kiln?", "How was it there?", "How do you do?"} {
		turns = append(turns, datasets.Turn{ID: text, Text: text})
	}
	memory := try.Get(m.Build(t.Context(), datasets.Sample{Sessions: []datasets.Session{{Turns: turns}}}))(t)
	resp := try.Get(memory.Answer(t.Context(), datasets.Request{Text: "How did the kiln break?"}))(t)
	if len(resp.Evidence) == 0 || resp.Evidence[0].Text != "How is the kiln?" {
		t.Errorf("evidence %+v, want the turn with the rare word first", resp.Evidence)
	}
}

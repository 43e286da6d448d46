package flatrag

import (
	"testing"

	"recallbench/datasets"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
	"recallbench/internal/door/token"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/methods/methodtest"
)

func TestMethod(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"defaults":     func(*Options) {},
		"bm25":         func(o *Options) { o.Ranking = BM25; o.K = 2; o.Chunk = Chunk{Unit: Turns, Size: 1} },
		"rrf":          func(o *Options) { o.Ranking = RRF; o.K = 3; o.Chunk = Chunk{Unit: Turns, Size: 2} },
		"small tokens": func(o *Options) { o.Chunk = Chunk{Unit: Tokens, Size: 7} },
	} {
		t.Run(name, func(t *testing.T) {
			o := Defaults()
			change(&o)
			try.Do(t, o.Validate())
			methodtest.Run(t, Spec, o)
		})
	}
}

func TestTrees(t *testing.T) {
	methodtest.RunTree(t, Spec, nil)
	o := Defaults()
	o.Ranking, o.Tree.K = RRF, 3
	methodtest.RunTree(t, Spec, o)
}

// TestGrep checks the contract of the search by words, which asks no embedder.
func TestGrep(t *testing.T) {
	methodtest.Run(t, GrepSpec, nil)
	methodtest.RunTree(t, GrepSpec, nil)
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

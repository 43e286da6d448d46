package nemori

import (
	"strings"
	"testing"

	"recallbench/internal/door/llm"
	"recallbench/methods"
	"recallbench/methods/methodtest"
)

// TestAuthorsPrompts renders the prompts of a clone, which the variable
// BENCH_CLONES has in its folder nemori.
func TestAuthorsPrompts(t *testing.T) {
	o := Defaults()
	o.Prompts.From = methodtest.Clone(t, "nemori")
	set := methodtest.Cloned(t, Spec, o)
	for name, tt := range map[string]struct {
		data map[string]any
		want []string
	}{
		"boundary": {map[string]any{"History": "<history>", "Next": "<next>"}, []string{"<history>", "<next>", `"should_end": true/false`}},
		"episode":  {map[string]any{"Messages": "<messages>", "Why": "<why>"}, []string{"<messages>", "<why>", `"timestamp": "YYYY`}},
		"predict":  {map[string]any{"Title": "<title>", "Known": []string{"a", "b"}}, []string{"<title>", "- a\n- b"}},
		"gaps":     {map[string]any{"Messages": "<messages>", "Prediction": "<guess>"}, []string{"<messages>", "<guess>", `"statements": [`}},
		"facts":    {map[string]any{"Title": "<title>", "Content": "<content>", "Time": "<time>"}, []string{"<title>", "<content>", "<time>", `"statements": [`}},
	} {
		messages, err := set.Render(name, tt.data)
		if err != nil {
			t.Fatal(err)
		}
		if len(messages) != 1 {
			t.Errorf("%s: %d messages, want the user's alone", name, len(messages))
		}
		for _, want := range tt.want {
			if !strings.Contains(messages[0].Content, want) {
				t.Errorf("%s: %q is not in:\n%s", name, want, messages[0].Content)
			}
		}
	}
	// The types that the calls are rendered with have these fields.
	if _, err := Spec.New(methods.Env{LLM: llm.GeneratorFunc(nil), Embed: topics(1), Prompts: set}, o); err != nil {
		t.Error(err)
	}
	if _, err := Spec.New(methods.Env{LLM: llm.GeneratorFunc(nil), Embed: topics(1), Prompts: set, Offline: true}, o); err == nil {
		t.Error("the offline backend is taken to answer the authors' prompts")
	}
}

package amem

import (
	"strings"
	"testing"

	"recallbench/methods/methodtest"
)

// TestAuthorsPrompts renders the prompts of a clone, which the variable
// BENCH_CLONES has in its folder a-mem.
func TestAuthorsPrompts(t *testing.T) {
	o := Defaults()
	o.Prompts.From = methodtest.Clone(t, "a-mem")
	set := methodtest.Cloned(t, Spec, o)
	near := neighbourData{Index: 7, Time: "then", Content: "there", Context: "near", Keywords: words{"it's"}, Tags: words{"x", `"`}}
	for name, tt := range map[string]struct {
		data any
		want []string
	}{
		describe: {describeData{"<content>"}, []string{"<content>", `"keywords": [`, `"tags": [`}},
		evolve: {
			evolveData{"<content>", "<context>", words{"a", "b"}, []neighbourData{near}},
			[]string{
				"<content>", "<context>", "keywords: ['a', 'b']", "neighbors is 1.", `"should_evolve": True or False`,
				"memory index:7\t talk start time:then\t memory content: there\t memory context: near\t memory keywords: [\"it's\"]\t memory tags: ['x', '\"']\n",
			},
		},
		keywords: {keywordsData{"<question>"}, []string{"Question: <question>", `{"keywords": "keyword1,`}},
	} {
		messages, err := set.Render(name, tt.data)
		if err != nil {
			t.Fatal(err)
		}
		if len(messages) != 2 || !strings.Contains(messages[0].Content, "JSON") {
			t.Errorf("%s: messages %q", name, messages)
		}
		for _, want := range tt.want {
			if !strings.Contains(messages[1].Content, want) {
				t.Errorf("%s: %q is not in:\n%s", name, want, messages[1].Content)
			}
		}
	}
}

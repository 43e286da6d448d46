package lightmem

import (
	"strings"
	"testing"
	"time"

	"recallbench/internal/door/llm"
	"recallbench/methods/methodtest"
)

// TestAuthorsPrompts renders the prompts of a clone, which the variable
// BENCH_CLONES has in its folder lightmem.
func TestAuthorsPrompts(t *testing.T) {
	o := Defaults()
	o.Prompts.From = methodtest.Clone(t, "lightmem")
	set := methodtest.Cloned(t, Spec, o)
	at := time.Date(2024, 5, 1, 10, 0, 1, 0, time.UTC)
	x := batch{topics: []segment{{0, 1}, {1, 2}}, topic: 7, first: 3, of: []int{0, 1}, lines: []llm.Line{{Speaker: "Ana", Time: at, Text: "{{hello}}"}, {Text: "yes"}}}
	for name, tt := range map[string]struct {
		data         any
		system, user string
	}{
		extract: {x.data(), `"source_id": "<source_id>"`, "--- Topic 7 ---\n[2024-05-01T10:00:01.000, Wed] 3.Ana: {{hello}}\n--- Topic 8 ---\n4.user: yes"},
		revise:  {reviseData{"<fact>", []string{"a", "b"}}, `"action": "update" | "delete" | "ignore"`, "Target memory:<fact>\nCandidate memories:\n- a\n- b"},
	} {
		messages, err := set.Render(name, tt.data)
		if err != nil {
			t.Fatal(err)
		}
		if len(messages) != 2 || !strings.Contains(messages[0].Content, tt.system) || strings.TrimSpace(messages[1].Content) != tt.user {
			t.Errorf("%s: messages %q", name, messages)
		}
	}
}

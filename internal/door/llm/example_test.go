package llm_test

import (
	"context"
	"fmt"

	"recallbench/internal/door/llm"
)

// A reply in JSON is checked against the schema and decoded.
func ExampleJSON() {
	type choice struct {
		Answer string `json:"answer"`
	}
	model := llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) {
		return llm.Reply{Text: "```json\n{\"answer\": \"Lisbon\"}\n```"}, nil
	})
	c, _, err := llm.JSON[choice](context.Background(), model, llm.Request{
		Messages: []llm.Message{{Role: llm.User, Content: "Where did Mia go?"}},
		Format: &llm.Format{Name: "choice", Schema: []byte(
			`{"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"], "additionalProperties": false}`)},
	})
	fmt.Println(c.Answer, err)
	// Output: Lisbon <nil>
}

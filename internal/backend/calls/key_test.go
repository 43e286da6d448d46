package calls

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/nli"
	"recallbench/internal/testkit/golden"
)

// TestKeys pins canonical requests and their keys. A change of this golden
// loses every recording that was ever made or published.
func TestKeys(t *testing.T) {
	id, err := newIdentity(Identity{Class: "openai", Provider: "api.example.com:8443", Model: "a<b>&c", Fixed: json.RawMessage(`{"z": 1.50, "a": {"y": [1, 2], "b": null}}`)})
	if err != nil {
		t.Fatal(err)
	}
	bare, err := newIdentity(Identity{Class: "onnx", Model: "local"})
	if err != nil {
		t.Fatal(err)
	}
	full := llm.Request{
		Role:     "reader",
		Messages: []llm.Message{{Role: llm.System, Content: "Be brief."}, {Role: llm.User, Content: "Wer war's? “Zoë”\n\x00\xff"}, {Role: llm.Assistant}},
		Task:     llm.AnswerTask{Question: "not part of the key"},
		Params:   llm.Params{Temperature: new(0.7), MaxTokens: 64, Seed: new(int64(-3)), Logprobs: true, TopLogprobs: 5},
		Format:   &llm.Format{Name: "answer", Schema: json.RawMessage("{\"type\": \"object\",\n \"a\": \"<é>\"}")},
		Plain:    true, Prefix: 12, Repeat: 3,
	}
	var b strings.Builder
	for _, tt := range []struct {
		name string
		id   identity
		call *Call
	}{
		{"chat with everything", id, chat(id, full)},
		{"chat with nothing", bare, chat(bare, llm.Request{})},
		{"chat at temperature 0", bare, chat(bare, llm.Request{Role: "judge", Params: llm.Params{Temperature: new(0.0), Seed: new(int64(0))}})},
		{"embedding", bare, embedding(bare, embed.Query, "who was it?")},
		{"tokens to keep", bare, keeping(bare, "It rains.")},
		{"entailment", bare, entailment(bare, nli.Pair{Premise: "It rains.", Hypothesis: "It is wet."})},
	} {
		k, err := tt.call.key(tt.id)
		if err != nil {
			t.Fatal(err)
		}
		data, err := tt.call.form(tt.id)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n%s\n%s\n\n", tt.name, data, k)
		texts, err := tt.call.stored(tt.id)
		if err != nil {
			t.Fatal(err)
		}
		back, backID, err := restore(texts)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := back.key(backID); err != nil || again != k {
			t.Errorf("%s: the key of what is stored is %s, error %v, want %s", tt.name, again, err, k)
		}
	}
	golden.Check(t, "keys.txt", b.String())
}

package calls

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/nli"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// TestKeys pins canonical requests and their keys. A change of this golden
// loses every recording that was ever made or published.
func TestKeys(t *testing.T) {
	id := try.Get(newIdentity(Identity{Class: "openai", Provider: "api.example.com:8443", Model: "a<b>&c", Fixed: json.RawMessage(`{"z": 1.50, "a": {"y": [1, 2], "b": null}}`)}))(t)
	bare := try.Get(newIdentity(Identity{Class: "onnx", Model: "local"}))(t)
	full := llm.Request{
		Role:     "reader",
		Messages: []llm.Message{{Role: llm.System, Content: "Be brief."}, {Role: llm.User, Content: "Wer war's? “Zoë”\n\x00\xff"}, {Role: llm.Assistant}},
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
		{"chat from outside", bare, chat(bare, llm.Request{Role: "external", Wire: &llm.Wire{Rest: json.RawMessage(`{"a":1.50,"b":"<é>"}`), Raw: []int{0, 2}}})},
		{"chat from outside with nothing more", bare, chat(bare, llm.Request{Role: "external", Wire: &llm.Wire{}})},
		{"embedding", bare, embedding(bare, embed.Query, "who was it?")},
		{"entailment", bare, entailment(bare, nli.Pair{Premise: "It rains.", Hypothesis: "It is wet."})},
	} {
		k := try.Get(tt.call.key(tt.id))(t)
		data := try.Get(tt.call.form(tt.id))(t)
		fmt.Fprintf(&b, "%s\n%s\n%s\n\n", tt.name, data, k)
		texts := try.Get(tt.call.stored())(t)
		if _, _, err := restore(tt.id.json, texts, k); err != nil {
			t.Errorf("%s: what is stored comes back with %v", tt.name, err)
		}
	}
	golden.Check(t, "keys.txt", b.String())
}

// What the canonical request gained since leaves the keys of the recordings that
// ship as they were.
func TestShippedKeys(t *testing.T) {
	const dir = "../../../configs/recordings"
	stores, err := os.ReadDir(dir)
	if err != nil || len(stores) == 0 {
		t.Fatalf("%d stores, %v", len(stores), err)
	}
	for _, e := range stores {
		s := try.Get(OpenToRead(filepath.Join(dir, e.Name()), slog.New(slog.DiscardHandler)))(t)
		defer s.Close()
		if c, err := s.Verify(t.Context()); err != nil || c.Recordings == 0 || len(c.Damages) > 0 {
			t.Errorf("%s: %+v, %v", e.Name(), c, err)
		}
	}
}

// The queries of docs/recordings.md find what it says.
func TestQueries(t *testing.T) {
	manual := try.Get(os.ReadFile("../../../docs/recordings.md"))(t)
	queries := regexp.MustCompile("(?s)\\$ sqlite3 (\\S+) \"([^\"]+)\"\n(.*?)```").FindAllStringSubmatch(string(manual), -1)
	if len(queries) != 3 {
		t.Fatalf("%d queries", len(queries))
	}
	for _, q := range queries {
		var out strings.Builder
		err := (&database{path: "../../../" + q[1]}).read(func(c *conn) error {
			return c.run(q[2], func(row []any) error {
				cells := lists.Map(row, func(v any) string {
					if v == nil {
						return ""
					}
					return fmt.Sprint(v)
				})
				fmt.Fprintln(&out, strings.Join(cells, "|"))
				return nil
			})
		})
		if err != nil || out.String() != q[3] {
			t.Errorf("%s: error %v, got\n%s", q[2], err, out.String())
		}
	}
}

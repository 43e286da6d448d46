package semanticxpath

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"recallbench/internal/door/prompt"
	"recallbench/internal/door/token"
	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
	"recallbench/methods/internal/handler"
)

// TestPrompts prints what a model is asked in each stage, with its size.
func TestPrompts(t *testing.T) {
	tokens := try.Get(token.New("o200k_base"))(t)
	s := newScript(t).
		request(res(handler.Delete, "Take out the thyme."), `//Plant[name ~= "thyme"]`, handler.Action{Operation: handler.Delete, Answer: "Gone.", Edits: []handler.ActionEdit{{Op: handler.Delete, Node: "p2"}}}).
		request(resolution{Operation: handler.Read, Version: before, About: "thyme", Task: "What was the thyme?"}, `//Plant[name ~= "thyme"]`, handler.Action{Operation: handler.Read, Nodes: []string{"p2"}, Answer: "A herb."})
	m := open(t, s, true)
	m.k = 1
	var b strings.Builder
	for _, text := range []string{"Take out the thyme.", "What was the thyme that I took out?"} {
		from := len(s.asked)
		try.Get(m.Answer(t.Context(), request(text)))(t)
		fmt.Fprintf(&b, "# %s\n\n", text)
		for _, r := range s.asked[from:] {
			size := 0
			for _, msg := range r.Messages {
				size += tokens.Count(msg.Content)
			}
			fmt.Fprintf(&b, "## %s: %d tokens\n\n", r.Role, size)
			for _, msg := range r.Messages {
				fmt.Fprintf(&b, "%s:\n\n%s\n\n", msg.Role, msg.Content)
			}
		}
	}
	golden.Check(t, "prompts.md", b.String())
}

var example = regexp.MustCompile(`(?m)^[A-Z][^\n]*[?.] -> (.+)$`)

// TestExamples checks that the queries which the prompt shows are queries, of
// the schema that it shows, in their canonical spelling.
func TestExamples(t *testing.T) {
	prompts := try.Get(prompt.Load(Spec.Name, Spec.Prompts, nil))(t)
	fields := func(names ...string) (out []tree.FieldType) {
		for _, name := range names {
			out = append(out, tree.FieldType{Name: name})
		}
		return out
	}
	schema := &tree.Schema{Root: "Garden", Types: []tree.Type{
		{Name: "Garden", Fields: fields("owner"), Children: []string{"Bed"}},
		{Name: "Bed", Key: "index", Fields: fields("index", "place"), Children: []string{"Plant"}},
		{Name: "Plant", Key: "name", Fields: fields("name", "notes", "height", "planted")},
	}}
	messages := try.Get(prompts.Render("translate", translateData{Request: "x", Operation: handler.Read, Schema: "y"}))(t)
	text := messages[1].Content
	if !strings.Contains(text, strings.TrimSpace(schema.Text())) {
		t.Errorf("the prompt does not show the schema of its examples:\n%s", schema.Text())
	}
	found := example.FindAllStringSubmatch(text, -1)
	if len(found) < 10 {
		t.Errorf("%d examples", len(found))
	}
	for _, e := range found {
		q, err := semxpath.Parse(e[1])
		if err == nil {
			err = semxpath.Check(q, schema)
		}
		if err != nil {
			t.Errorf("%s: %v", e[1], err)
		} else if q.String() != e[1] {
			t.Errorf("%s is spelled %s", e[1], q)
		}
	}
}

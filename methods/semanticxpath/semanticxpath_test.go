package semanticxpath

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/nli"
	"recallbench/internal/door/prompt"
	"recallbench/internal/door/token"
	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/methods/internal/handler"
)

func res(op handler.Operation, task string) resolution {
	return resolution{Operation: op, Version: latest, Task: task}
}

func TestRead(t *testing.T) {
	s := newScript(t).request(res(handler.Read, "Which herbs like sun?"), "```\n//Plant[node =~ 'herb']\n```",
		handler.Action{Operation: handler.Read, Nodes: []string{"p1"}, Answer: "Rosemary."})
	m := open(t, s, true)
	got := try.Get(m.Answer(t.Context(), request("Which herbs like sun?")))(t)
	if got.Text != "Rosemary." || !slices.Equal(got.Nodes, []string{"p1"}) || got.Tree != nil {
		t.Errorf("response %+v", got)
	}
	var ids, steps []string
	for _, e := range got.Evidence {
		ids = append(ids, e.ID)
	}
	for _, step := range got.Trace {
		steps = append(steps, step.Name)
	}
	try.Equal(t, "evidence", []string{"p1", "p2", "p3"}, ids)
	if want := "resolve query matches handle"; strings.Join(steps, " ") != want {
		t.Errorf("steps %v, want %s", steps, want)
	}
	want := `in Bed 1 (b1)
<Plant id="p1"><name>Rosemary</name><notes>herb, likes sun</notes></Plant>`
	try.Equal(t, "text", want, got.Evidence[0].Text)
	var roles []string
	for _, r := range s.asked {
		roles = append(roles, r.Role)
	}
	if want := []string{"resolve", "translate", "handle"}; !slices.Equal(roles, want) {
		t.Errorf("roles %v, want %v", roles, want)
	}
	if n := len(m.state.Versions()); n != 1 {
		t.Errorf("a read makes %d versions", n-1)
	}
}

// TestQueryRepair scripts translations: what cannot be read is asked for again
// with what is wrong.
func TestQueryRepair(t *testing.T) {
	action := handler.Action{Operation: handler.Read, Nodes: []string{}, Answer: "ok", Edits: []handler.ActionEdit{}}
	s := newScript(t).say("resolve", res(handler.Read, "x")).say("translate", "I cannot.", "//Plants", "//Plant[1]").say("handle", action)
	try.Get(open(t, s, false).Answer(t.Context(), request("x")))(t)
	last := s.asked[3]
	if n := len(last.Messages); n != len(s.asked[1].Messages)+4 || last.Messages[n-2].Content != "//Plants" || !strings.Contains(last.Messages[n-1].Content, "Plants") {
		t.Errorf("third attempt: %+v", last.Messages)
	}

	s = newScript(t).say("resolve", res(handler.Read, "x")).say("translate", "no", "//", "/Garden[")
	got, err := open(t, s, false).Answer(t.Context(), request("x"))
	if fault.KindOf(err) != fault.Schema || !strings.Contains(err.Error(), "no query in 3 attempts") {
		t.Errorf("after three attempts: %v", err)
	}
	if len(got.Trace) != 4 {
		t.Errorf("trace of the failure %v, want resolve and three attempts", got.Trace)
	}
}

func TestReadQuery(t *testing.T) {
	schema := gardenTree(t).Schema()
	for _, tt := range []struct{ reply, want string }{
		{"//Plant", "//Plant"},
		{"  `//Plant[2]`\n", "//Plant[2]"},
		{"```xpath\n//Bed[1]/Plant\n```", "//Bed[1]/Plant"},
		{"```//Bed```", "//Bed"},
		{"Sure! The query is:\n\n//Bed[avg(/Plant[node ~= \"herb\"])]\n\nIt takes beds.", `//Bed[avg(/Plant[node ~= "herb"])]`},
		{"Query: //Plant[-1]", "//Plant[-1]"},
		{"Use `//Bed[2]` and not `//Bed[3]`.", "//Bed[2]"},
	} {
		q, _, err := read(tt.reply, schema)
		if err != nil || q.String() != tt.want {
			t.Errorf("%q: %v, %v, want %s", tt.reply, q, err, tt.want)
		}
	}
	for _, reply := range []string{"", "no", "//Tree", strings.Repeat("(", 100_000), "\xff\xfe", "```", "/"} {
		if q, _, err := read(reply, schema); err == nil {
			t.Errorf("%.20q is read as %s", reply, q)
		}
	}
}

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

const garden = `<Garden id="g">
  <owner>Mara</owner>
  <Bed id="b1"><index>1</index><place>by the wall</place>
    <Plant id="p1"><name>Rosemary</name><notes>herb, likes sun</notes></Plant>
    <Plant id="p2"><name>Thyme</name><notes>herb</notes></Plant>
  </Bed>
  <Bed id="b2"><index>2</index><place>at the pond</place>
    <Plant id="p3"><name>Iris</name><notes>wet feet</notes></Plant>
  </Bed>
</Garden>`

func gardenTree(t *testing.T) *tree.Tree {
	t.Helper()
	g := try.Get(tree.ParseXML("garden.xml", strings.NewReader(garden), tree.XMLOptions{}))(t)
	return g
}

// A script answers calls of a role with one text after another.
type script struct {
	t       *testing.T
	replies map[string][]string
	asked   []llm.Request
}

func (s *script) Generate(_ context.Context, r llm.Request) (llm.Reply, error) {
	s.asked = append(s.asked, r)
	left := s.replies[r.Role]
	if len(left) == 0 {
		return llm.Reply{}, fmt.Errorf("the script has no further reply for %s", r.Role)
	}
	s.replies[r.Role] = left[1:]
	return llm.Reply{Text: left[0], Model: "script"}, nil
}

func (s *script) say(role string, values ...any) *script {
	for _, v := range values {
		text, ok := v.(string)
		if !ok {
			b := try.Get(json.Marshal(v))(s.t)
			text = string(b)
		}
		s.replies[role] = append(s.replies[role], text)
	}
	return s
}

// request scripts the three calls of a request.
func (s *script) request(res resolution, query string, a handler.Action) *script {
	if a.Edits == nil {
		a.Edits = []handler.ActionEdit{}
	}
	for i := range a.Edits {
		if a.Edits[i].Fields == nil {
			a.Edits[i].Fields = []handler.ActionSetting{}
		}
	}
	if a.Nodes == nil {
		a.Nodes = []string{}
	}
	return s.say("resolve", res).say("translate", query).say("handle", a)
}

// noNLI stands for a door that tests do not use.
type noNLI struct{}

func (noNLI) Entail(context.Context, []nli.Pair) ([]float64, error) {
	return nil, errors.New("not asked for")
}

// words scores by the share of a condition's words that a text has.
type words struct{}

func (words) Score(_ context.Context, pairs []semxpath.Pair) ([]float64, error) {
	scores := make([]float64, len(pairs))
	for i, p := range pairs {
		text, said := strings.ToLower(p.Text), strings.Fields(strings.ToLower(p.Condition))
		for _, w := range said {
			if strings.Contains(text, w) {
				scores[i] += 1 / float64(len(said))
			}
		}
	}
	return scores, nil
}

// open opens a memory of the garden over a script.
func open(t *testing.T, s *script, dialogue bool) *memory {
	t.Helper()
	prompts := try.Get(prompt.Load(Spec.Name, Spec.Prompts, nil))(t)
	tokens := try.Get(token.New("o200k_base"))(t)
	made := try.Get(newMethod(methods.Env{LLM: s, NLI: noNLI{}, Prompts: prompts, Tokens: tokens}, Defaults()))(t)
	made.(*method).scorer = words{}
	m := try.Get(made.Build(t.Context(), datasets.Sample{ID: "garden", Tree: gardenTree(t), Dialogue: dialogue}))(t)
	return m.(*memory)
}

func newScript(t *testing.T) *script {
	t.Helper()
	return &script{t: t, replies: make(map[string][]string)}
}

func request(text string) datasets.Request {
	return datasets.Request{ID: "q", Text: text, Time: time.Date(2026, 5, 11, 0, 0, 0, 0, time.UTC)}
}

func set(pairs ...string) (fields []handler.ActionSetting) {
	for i := 0; i < len(pairs); i += 2 {
		fields = append(fields, handler.ActionSetting{Name: pairs[i], Value: pairs[i+1]})
	}
	return fields
}

func outline(t *tree.Tree) string {
	var b strings.Builder
	for n := range t.All() {
		b.WriteString(n.ID + " ")
	}
	return strings.TrimSpace(b.String())
}

// TestEdits scripts one request of each operation in a dialogue.
func TestEdits(t *testing.T) {
	s := newScript(t).
		request(res(handler.Create, "Plant mint before the thyme."), `//Bed[1]`, handler.Action{Operation: handler.Create, Edits: []handler.ActionEdit{
			{Op: handler.Create, Parent: "b1", Position: 2, Type: "plant", Fields: set("NAME", "Mint", "notes", "")},
		}}).
		request(res(handler.Update, "The iris is blue."), `//Plant[name ~= "iris"]`, handler.Action{Operation: handler.Update, Answer: "Noted.", Edits: []handler.ActionEdit{
			{Op: handler.Update, Node: "p3", Fields: set("notes", "wet feet, blue")},
		}}).
		request(res(handler.Delete, "Take out the rosemary."), `//Plant[node ~= "rosemary"]`, handler.Action{Operation: handler.Delete, Answer: "Gone.", Edits: []handler.ActionEdit{
			{Op: handler.Delete, Node: "p1"},
		}}).
		request(res(handler.Move, "Thyme goes to the pond."), `//Plant[node ~= "thyme"]`, handler.Action{Operation: handler.Move, Answer: "Moved.", Edits: []handler.ActionEdit{
			{Op: handler.Move, Node: "p2", Parent: "b2", Position: 1},
		}}).say("translate", `//Bed[place ~= "pond"]`).
		request(res(handler.Create, "A third bed with sage in it."), `/Garden`, handler.Action{Operation: handler.Create, Answer: "Made.", Edits: []handler.ActionEdit{
			{Op: handler.Create, Node: "bed", Parent: "g", Type: "Bed", Fields: set("index", "3")},
			{Op: handler.Create, Parent: "bed", Type: "Plant", Fields: set("name", "Sage")},
		}})
	m := open(t, s, true)
	for i, want := range []struct{ nodes, outline string }{
		{"b1", "g b1 p1 n1 p2 b2 p3"},
		{"p3", "g b1 p1 n1 p2 b2 p3"},
		{"p1", "g b1 n1 p2 b2 p3"},
		{"p2", "g b1 n1 b2 p2 p3"},
		{"g", "g b1 n1 b2 p2 p3 n2 n3"},
	} {
		got := try.Get(m.Answer(t.Context(), request("x")))(t)
		if got.Tree != m.state.Latest() || got.Tree.Number != i+2 {
			t.Errorf("request %d: version %v is not the newest", i, got.Tree)
		}
		if nodes := strings.Join(got.Nodes, " "); nodes != want.nodes || got.Text == "" {
			t.Errorf("request %d: nodes %s, want %s; text %q", i, nodes, want.nodes, got.Text)
		}
		if diff := cmp.Diff(want.outline, outline(got.Tree.Tree)); diff != "" {
			t.Errorf("request %d (-want +got):\n%s", i, diff)
		}
	}
	iris, _ := m.state.Latest().Tree.Node("p3")
	if notes, _ := iris.Field("notes"); notes != "wet feet, blue" {
		t.Errorf("the notes of the iris are %q", notes)
	}
}

// TestRefused scripts replies that cannot be carried out: each is asked for
// once more and then an error, and the memory stays as it was.
func TestRefused(t *testing.T) {
	edit := func(op handler.Operation, e handler.ActionEdit) handler.Action {
		e.Op = op
		if e.Fields == nil {
			e.Fields = []handler.ActionSetting{}
		}
		return handler.Action{Operation: op, Nodes: []string{}, Answer: "ok", Edits: []handler.ActionEdit{e}}
	}
	for _, tt := range []struct {
		name, query string
		action      any
		want        string
	}{
		{"prose", "//Plant", "Done, I took it out!", "there is no JSON object in it"},
		{"missing node", "//Plant", edit(handler.Delete, handler.ActionEdit{Node: "p9"}), `node "p9" is none of those shown`},
		{"not retrieved", "//Bed[2]", edit(handler.Delete, handler.ActionEdit{Node: "p1"}), `node "p1" is none of those shown`},
		{"above", "//Bed[2]/Plant", edit(handler.Delete, handler.ActionEdit{Node: "b2"}), `node "b2" is none of those shown`},
		{"cyclic", "/Garden", edit(handler.Move, handler.ActionEdit{Node: "b1", Parent: "p1"}), "b1"},
		{"unknown type", "//Bed[1]", edit(handler.Create, handler.ActionEdit{Parent: "b1", Type: "Tree"}), `there is no type "Tree"`},
		{"wrong place", "/Garden", edit(handler.Create, handler.ActionEdit{Parent: "g", Type: "Plant", Fields: set("name", "x")}), "Plant"},
		{"parent not seen", "//Bed[2]/Plant", edit(handler.Create, handler.ActionEdit{Parent: "b1", Type: "Plant", Fields: set("name", "x")}), `parent "b1" is none of the nodes shown`},
		{"unknown field", "//Plant", edit(handler.Update, handler.ActionEdit{Node: "p1", Fields: set("colour", "red")}), "colour"},
		{"no fields", "//Plant", edit(handler.Update, handler.ActionEdit{Node: "p1"}), "no fields to set"},
		{"root", "/Garden", edit(handler.Delete, handler.ActionEdit{Node: "g"}), "root"},
		{"no edits", "//Plant", handler.Action{Operation: handler.Delete, Nodes: []string{"p1"}, Edits: []handler.ActionEdit{}}, "has no edits"},
		{"a read that edits", "//Plant", edit(handler.Delete, handler.ActionEdit{Node: "p1"}), "the request only reads"},
		{"negative", "//Bed[1]", edit(handler.Create, handler.ActionEdit{Parent: "b1", Type: "Plant", Position: -1}), "position is -1"},
		{"nothing earlier", "//Plant", handler.Action{Operation: handler.Restore, Nodes: []string{"p1"}, Edits: []handler.ActionEdit{}}, "nothing to restore"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			op := handler.Delete
			if tt.name == "a read that edits" {
				op = handler.Read
			}
			s := newScript(t).say("resolve", res(op, "x")).say("translate", tt.query).say("handle", tt.action, tt.action)
			m := open(t, s, true)
			before := outline(m.state.Latest().Tree)
			got, err := m.Answer(t.Context(), request("x"))
			if fault.KindOf(err) != fault.Schema || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if len(m.state.Versions()) != 1 || outline(m.state.Latest().Tree) != before || got.Tree != nil {
				t.Error("the memory has changed")
			}
			if last := s.asked[len(s.asked)-1]; len(last.Messages) != len(s.asked[2].Messages)+2 {
				t.Errorf("the second call has %d messages", len(last.Messages))
			}
		})
	}
}

// TestUnchanged checks that edits which change nothing make no version.
func TestUnchanged(t *testing.T) {
	s := newScript(t).request(res(handler.Update, "The iris has wet feet."), "//Plant", handler.Action{Operation: handler.Update, Edits: []handler.ActionEdit{
		{Op: handler.Update, Node: "p3", Fields: set("notes", "wet feet")},
	}})
	m := open(t, s, true)
	got, err := m.Answer(t.Context(), request("x"))
	if err != nil || got.Tree != nil || len(m.state.Versions()) != 1 || !slices.Equal(got.Nodes, []string{"p3"}) || got.Text != "It is so already." {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestVersions goes back to what earlier versions had.
func TestVersions(t *testing.T) {
	s := newScript(t).
		request(res(handler.Delete, "Take out the thyme."), `//Plant[name ~= "thyme"]`, handler.Action{Operation: handler.Delete, Answer: "Gone.", Edits: []handler.ActionEdit{{Op: handler.Delete, Node: "p2"}}}).
		request(res(handler.Delete, "Take out the iris."), `//Plant[name ~= "iris"]`, handler.Action{Operation: handler.Delete, Answer: "Gone.", Edits: []handler.ActionEdit{{Op: handler.Delete, Node: "p3"}}})
	m := open(t, s, true)
	for _, text := range []string{"Take out the thyme.", "Take out the iris."} {
		try.Get(m.Answer(t.Context(), request(text)))(t)
	}

	// A read of what was deleted.
	s.request(resolution{Operation: handler.Read, Version: before, About: "thyme", Task: "What is the thyme?"}, `//Plant[name ~= "thyme"]`,
		handler.Action{Operation: handler.Read, Nodes: []string{"p2"}, Answer: "A herb."})
	got, err := m.Answer(t.Context(), request("What was the thyme that I took out?"))
	if err != nil || got.Evidence[0].ID != "p2 in version 1" || got.Tree != nil {
		t.Fatalf("read: %+v, %v", got, err)
	}

	// What one change took away comes back alone, to its old place.
	s.say("resolve", resolution{Operation: handler.Restore, Version: before, About: "thyme", Task: "Bring back the thyme."})
	got, err = m.Answer(t.Context(), request("I want the thyme back."))
	if err != nil || outline(got.Tree.Tree) != "g b1 p1 p2 b2" || !slices.Equal(got.Nodes, []string{"p2"}) || got.Text == "" {
		t.Fatalf("restore: %+v, %v", got, err)
	}

	// A part of an earlier version is chosen by the model.
	s.request(resolution{Operation: handler.Restore, Version: number, Number: 1, Task: "Bring back the iris."}, `//Plant[name ~= "iris"]`,
		handler.Action{Operation: handler.Restore, Nodes: []string{"p3"}, Answer: "The iris is back."})
	got, err = m.Answer(t.Context(), request("Put in the iris that we had at first."))
	if err != nil || outline(got.Tree.Tree) != "g b1 p1 p2 b2 p3" || !slices.Equal(got.Nodes, []string{"p3"}) {
		t.Fatalf("restore a part: %+v, %v", got, err)
	}

	// Everything goes back.
	s.say("resolve", resolution{Operation: handler.Restore, Version: number, Number: 2, Task: "everything"})
	got, err = m.Answer(t.Context(), request("Back to version 2."))
	if err != nil || outline(got.Tree.Tree) != "g b1 p1 b2 p3" || !slices.Equal(got.Nodes, []string{"g"}) || got.Tree.Number != 6 {
		t.Fatalf("restore all: %+v, %v", got, err)
	}

	// An edit with the values of an earlier version changes the newest.
	s.request(resolution{Operation: handler.Delete, Version: "at", About: "iris", Task: "Take out the iris."}, `//Plant[name ~= "rosemary"]`,
		handler.Action{Operation: handler.Delete, Answer: "Gone.", Edits: []handler.ActionEdit{{Op: handler.Delete, Node: "p1"}}})
	got, err = m.Answer(t.Context(), request("x"))
	if err != nil || outline(got.Tree.Tree) != "g b1 b2 p3" {
		t.Fatalf("edit by an earlier version: %+v, %v", got, err)
	}
}

// TestMoveBack puts what an earlier version has into another place.
func TestMoveBack(t *testing.T) {
	s := newScript(t).
		request(res(handler.Delete, "Take out the thyme."), `//Plant[name ~= "thyme"]`, handler.Action{Operation: handler.Delete, Answer: "Gone.", Edits: []handler.ActionEdit{{Op: handler.Delete, Node: "p2"}}}).
		request(resolution{Operation: handler.Move, Version: before, About: "thyme", Task: "Put the thyme by the pond."}, `//Plant[name ~= "thyme"]`,
			handler.Action{Operation: handler.Move, Answer: "Back.", Edits: []handler.ActionEdit{{Op: handler.Move, Node: "p2", Parent: "b2", Position: 1, Fields: set("notes", "dry herb")}}}).
		say("translate", `//Bed[place ~= "pond"]`)
	m := open(t, s, true)
	var last string
	for range 2 {
		got := try.Get(m.Answer(t.Context(), request("x")))(t)
		last = outline(got.Tree.Tree)
	}
	thyme, _ := m.state.Latest().Tree.Node("p2")
	notes, _ := thyme.Field("notes")
	if last != "g b1 p1 b2 p2 p3" || notes != "dry herb" {
		t.Errorf("%s, notes %q", last, notes)
	}
}

func TestNothingToRestore(t *testing.T) {
	s := newScript(t).say("resolve", resolution{Operation: handler.Restore, Version: number, Number: -2, Task: "everything"})
	got, err := open(t, s, true).Answer(t.Context(), request("Undo that."))
	if err != nil || got.Tree != nil || got.Text != "There is no earlier version to go back to." {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestBeforeRestore asks for what a restore undid: the version before it is the
// one that was newest then, and not the one that it went back to.
func TestBeforeRestore(t *testing.T) {
	s := newScript(t).
		request(res(handler.Delete, "Take out the thyme."), `//Plant[name ~= "thyme"]`, handler.Action{Operation: handler.Delete, Answer: "Gone.", Edits: []handler.ActionEdit{{Op: handler.Delete, Node: "p2"}}}).
		say("resolve", resolution{Operation: handler.Restore, Version: number, Number: 1, Task: "everything"}).
		say("resolve", resolution{Operation: handler.Restore, Version: before, About: "restored"})
	m := open(t, s, true)
	var last string
	for _, text := range []string{"Take out the thyme.", "Go back.", "I should not have gone back."} {
		got := try.Get(m.Answer(t.Context(), request(text)))(t)
		last = outline(got.Tree.Tree)
	}
	if last != "g b1 p1 b2 p3" {
		t.Errorf("%s, want the memory without the thyme", last)
	}
}

package semanticxpath

import (
	"slices"
	"strings"
	"testing"

	"recallbench/internal/door/fault"
	"recallbench/internal/testkit/try"
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

package semanticxpath

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/fault"
	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/try"
	"recallbench/methods/internal/handler"
)

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

package tree

import (
	"strings"
	"testing"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// trip has two edits and a restored version.
func trip(tb testing.TB) *History {
	tb.Helper()
	h := NewHistory(parse(tb, editDocument))
	commit := func(base int, request string, edits ...Edit) {
		tb.Helper()
		try.Get(h.Commit(base, edits, request, ""))(tb)
	}
	commit(-1, "Drop B, and A costs 3 now.", Edit{Op: Delete, ID: "b"},
		Edit{Op: Update, ID: "a", Set: []Field{{"cost", []string{"3"}}}})
	commit(-1, "Add a pier on day 1 and visit C first.",
		Edit{Op: Create, Parent: "d1", At: -1, Node: &Node{Type: "POI", Fields: []Field{{"name", []string{"Pier"}}}}},
		Edit{Op: Move, ID: "c", Parent: "d1", At: 0})
	try.Get(h.Restore(1, "Undo all that."))(tb)
	return h
}

func TestHistory(t *testing.T) {
	h := trip(t)
	var b strings.Builder
	for _, v := range h.Versions() {
		b.WriteString(line(v.Tree) + " " + v.Summary + "\n")
		checkTree(t, v.Tree)
	}
	golden.Check(t, "history.txt", b.String())
	v1, _ := h.At(1)
	v4, ok := h.At(-1)
	if !ok || v4 != h.Latest() || v4.Number != 4 || v4.Base != 1 || v4.Tree.Root() != v1.Tree.Root() {
		t.Errorf("the latest is %+v, want version 4 with the tree of version 1", v4)
	}
	for _, number := range []int{0, 5, -5} {
		if _, ok := h.At(number); ok {
			t.Errorf("there is a version %d", number)
		}
		_, err := h.Commit(number, nil, "", "")
		wantError(t, err, "there is no version", "have 1 to 4, or -1 for the newest")
	}

	// The id of the pier of version 3 does not come again on another branch.
	pier := &Node{Type: "POI"}
	v, err := h.Preview(1, []Edit{{Op: Create, Parent: "d1", Node: pier}}, "", "")
	if err != nil || line(v.Tree) != "p(d1(n9 a b c) d2(n7))" || len(h.Versions()) != 4 {
		t.Errorf("got %s, %v and %d versions", line(v.Tree), err, len(h.Versions()))
	}
	next, err := h.Reconcile(1, &Node{Type: "Plan", Children: []*Node{{Type: "Day", Children: []*Node{pier}}}})
	if err != nil || line(next) != "p(n9(n10))" {
		t.Errorf("got %v, %v", next, err)
	}

	_, err = h.Commit(2, []Edit{{Op: Delete, ID: "b"}}, "", "")
	wantError(t, err, `version 2: delete: there is no node with the id "b"`)
	if len(h.Versions()) != 4 {
		t.Error("a rejected edit made a version")
	}
}

func TestPut(t *testing.T) {
	h := NewHistory(parse(t, editDocument))
	_, err := h.Put(1, parse(t, "<Plan id='q'/>"), "", "")
	wantError(t, err, "the new root is Plan q, want Plan p")
	v := try.Get(h.Put(1, parse(t, "<Plan id='p'><Day id='d1' index='3'/></Plan>"), "Empty it.", ""))(t)
	checkTree(t, v.Tree)
	want := "Updated: Plan > Day 1: index: 1 -> 3; Deleted: Plan > Day 3 > A; Deleted: Plan > Day 3 > B; " +
		"Deleted: Plan > Day 3 > C; Deleted: Plan > Day 2"
	if v.Summary != want {
		t.Errorf("got summary %s, want %s", v.Summary, want)
	}
}

func TestRoot(t *testing.T) {
	text := try.Get(XML(trip(t).Root(), &Schema{}, WriteOptions{IDs: true, Indent: true}))(t)
	golden.Check(t, "root.xml", text)
}

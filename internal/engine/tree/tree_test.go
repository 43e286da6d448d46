package tree

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

func TestName(t *testing.T) {
	for _, test := range []struct{ doc, want string }{
		{"<a/>", "a"},
		{"<a index='2'/>", "a 2"},
		{"<a number='3'/>", "a 3"},
		{"<a index='2' label='l'/>", "l"},
		{"<a label='l' Title='t'/>", "t"},
		{"<a title='t' name='n'/>", "n"},
		{"<a title='t' name=''/>", "t"},
	} {
		if got := parse(t, test.doc).Root().Name(); got != test.want {
			t.Errorf("%s: got name %q, want %q", test.doc, got, test.want)
		}
	}
	tr := parse(t, editDocument)
	if got, want := Label(tr.Path("b")), "Plan > Day 1 > B"; got != want {
		t.Errorf("got label %q, want %q", got, want)
	}
}

func TestField(t *testing.T) {
	n := &Node{Fields: []Field{{"Cost", []string{"1"}}, {"cost", []string{"2", "3"}}, {"none", nil}}}
	for name, want := range map[string]string{"Cost": "1", "cost": "2, 3", "COST": "1", "none": ""} {
		if got, ok := n.Field(name); !ok || got != want {
			t.Errorf("field %s: got %q, %v, want %q", name, got, ok, want)
		}
	}
	if _, ok := n.Field("price"); ok {
		t.Error("there is a field price")
	}
}

// Nodes of one schema may also be summed up in few words.
func TestSummarise(t *testing.T) {
	tr := parse(t, editDocument)
	sum := func(want string, edits ...Edit) {
		t.Helper()
		if got := Summarise(tr, edits); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	sum("")
	sum("", Edit{Op: Delete, ID: "nowhere"})
	sum("Deleted: Plan > Day 1 > A", Edit{Op: Delete, ID: "a"}, Edit{Op: Delete, ID: "a"})
	sum("Created: Plan > Day 1 > POI", Edit{Op: Create, Parent: "d1", Node: &Node{Type: "POI"}})
	sum("Moved: Plan > Day 1 > A -> place 3 of 3", Edit{Op: Move, ID: "a", Parent: "d1", At: -1})
	sum("Updated: Plan > Day 1 > A: cost: 1 -> none, name: A -> B", Edit{
		Op: Update, ID: "a", Unset: []string{"cost", "name"}, Set: []Field{{"name", []string{"B"}}},
	})
	sum("Updated: Plan > Day 1 > A: as it was", Edit{Op: Update, ID: "a", Set: []Field{{"cost", []string{"1"}}}})
	sum("Updated: Plan > Day 2 > Note: text: x -> "+strings.Repeat("é", 80)+"...",
		Edit{Op: Update, ID: "n7", Text: new(strings.Repeat("é", 90))})
	var many []Edit
	for range 7 {
		many = append(many, Edit{Op: Create, Parent: "d1", Node: &Node{Type: "POI"}})
	}
	sum(strings.Repeat("Created: Plan > Day 1 > POI; ", 5)+"and 2 more", many...)
	two := parse(t, `<P id="p"><D id="d" index="1"><A id="a"/></D><D id="e" index="2"><A/></D></P>`)
	if got, want := Summarise(two, []Edit{{Op: Move, ID: "a", Parent: "e"}}), "Moved: P > D 1 > A -> P > D 2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestInfer(t *testing.T) {
	tr := parse(t, `<Plan title="x">
  <Task status="open" name="a" code="aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" step="1"/>
  <Task status="done" name="b" code="aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" step="2"/>
  <Task status="open" name="c" step="3" number="1"><Task status="open" name="d" step="4"/></Task>
  <Meta><Title>t</Title><by>me</by><by>you</by></Meta>
</Plan>`)
	want := &Schema{Root: "Plan", Types: []Type{
		{Name: "Plan", Key: "title", Fields: []FieldType{{Name: "title", Attribute: true}}, Children: []string{"Task", "Meta"}},
		{Name: "Task", Key: "name", Children: []string{"Task"}, Fields: []FieldType{
			{Name: "status", Attribute: true, Values: []string{"open", "done"}},
			{Name: "name", Attribute: true},
			{Name: "code", Attribute: true},
			{Name: "step", Attribute: true},
			{Name: "number", Attribute: true},
		}},
		{Name: "Meta", Key: "Title", Fields: []FieldType{{Name: "Title"}, {Name: "by", List: true}}},
	}}
	if d := cmp.Diff(want, tr.Schema(), equateEmpty); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	golden.Check(t, "inferred.schema", tr.Schema().Text())
}

func TestSchemaText(t *testing.T) {
	golden.Check(t, "test.schema", testSchema.Text())
	if got := (&Schema{}).Text(); got != "" {
		t.Errorf("a schema without types is %q", got)
	}
}

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

package tree

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// A model is a tree that is changed in place, the plain way.
type model struct{ root *Node }

// find returns the node of an id and its parent.
func (m model) find(id string) (n, parent *Node) {
	for _, up := range Walk(m.root) {
		for _, c := range up.Children {
			if c.ID == id {
				return c, up
			}
		}
	}
	return m.root, nil
}

// apply makes an edit that can be made. The tree after it gives the ids of
// nodes that were created and the shape of fields, which have tests of their
// own.
func (m model) apply(e Edit, after *Tree) {
	insert := func(n *Node) {
		p, _ := m.find(e.Parent)
		at := e.At
		if at < 0 {
			at = len(p.Children)
		}
		p.Children = slices.Insert(p.Children, at, n)
	}
	leave := func(n, parent *Node) {
		parent.Children = slices.DeleteFunc(parent.Children, func(c *Node) bool { return c == n })
	}
	n, parent := m.find(e.ID)
	switch e.Op {
	case Create:
		p, _ := after.Node(e.Parent)
		at := e.At
		if at < 0 {
			at = len(p.Children) - 1
		}
		insert(p.Children[at].copy())
	case Delete:
		leave(n, parent)
	case Move:
		leave(n, parent)
		insert(n)
	case Update:
		n.Fields = slices.Clone(n.Fields)
		for _, name := range e.Unset {
			n.Fields = slices.DeleteFunc(n.Fields, func(f Field) bool { return f.Name == name })
		}
		for _, f := range e.Set {
			if i := fieldIndex(n.Fields, f.Name); i >= 0 {
				n.Fields[i] = f
			} else {
				n.Fields = append(n.Fields, f)
			}
		}
		if e.Text != nil {
			n.Text = clean(*e.Text)
		}
		n.Fields = cleanFields(n.Fields)
		after.schema.arrange(n)
	}
	m.root.settleAll()
}

// Edits do what they do to a model and leave the tree before as it was; and what cannot be done in a batch is not done at all.
func TestApplyModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := genTree(t)
		before := first.Root().copy()
		m := model{first.Root().copy()}
		edits := genEdits(t, first, rapid.IntRange(1, 8).Draw(t, "edits"))
		var made []Edit
		tr := first
		for _, e := range edits {
			next, err := tr.Apply(e)
			if err != nil {
				continue
			}
			made = append(made, e)
			m.apply(e, next)
			if d := diffNodes(m.root, next.Root()); d != "" {
				t.Fatalf("%+v: (-model +tree):\n%s", e, d)
			}
			checkTree(t, next)
			tr = next
		}
		if d := diffNodes(before, first.Root()); d != "" {
			t.Fatalf("the first tree changed:\n%s", d)
		}
		checkTree(t, first)
		all := try.Get(first.Apply(made...))(t)
		checkTree(t, all)
		if d := diffNodes(tr.Root(), all.Root()); d != "" {
			t.Fatalf("one by one or in a batch: %s", d)
		}
		if len(made) < len(edits) {
			if _, err := first.Apply(edits...); err == nil {
				t.Fatal("a batch with an edit that cannot be made was taken")
			}
		}
	})
}

const editDocument = `<Plan id="p"><Day id="d1" index="1"><POI id="a" name="A" cost="1"/><POI id="b" name="B" cost="1"/>
<POI id="c" name="C" cost="2"/></Day><Day id="d2" index="2"><Note id="n7">x</Note></Day></Plan>`

// line writes a tree in short.
func line(tr *Tree) string {
	var write func(n *Node) string
	write = func(n *Node) string {
		s := n.ID
		if len(n.Children) > 0 {
			var kids []string
			for _, c := range n.Children {
				kids = append(kids, write(c))
			}
			s += "(" + strings.Join(kids, " ") + ")"
		}
		return s
	}
	return write(tr.Root())
}

func TestApplyPlaces(t *testing.T) {
	tr := parse(t, editDocument)
	poi := func(id string) *Node { return &Node{Type: "POI", ID: id} }
	for _, test := range []struct {
		edits []Edit
		want  string
	}{
		{nil, "p(d1(a b c) d2(n7))"},
		{[]Edit{{Op: Create, Parent: "d1", At: 0, Node: poi("x")}}, "p(d1(x a b c) d2(n7))"},
		{[]Edit{{Op: Create, Parent: "d1", At: 3, Node: poi("x")}}, "p(d1(a b c x) d2(n7))"},
		{[]Edit{{Op: Create, Parent: "d1", At: -1, Node: poi("x")}}, "p(d1(a b c x) d2(n7))"},
		{[]Edit{{Op: Create, Parent: "d1", At: 1, Node: poi("")}}, "p(d1(a n8 b c) d2(n7))"},
		{[]Edit{{Op: Move, ID: "a", Parent: "d1", At: 2}}, "p(d1(b c a) d2(n7))"},
		{[]Edit{{Op: Move, ID: "c", Parent: "d1", At: 0}}, "p(d1(c a b) d2(n7))"},
		{[]Edit{{Op: Move, ID: "d1", Parent: "p", At: -1}}, "p(d2(n7) d1(a b c))"},
		{[]Edit{{Op: Delete, ID: "d1"}}, "p(d2(n7))"},
		{[]Edit{{Op: Delete, ID: "n7"}, {Op: Create, Parent: "d1", Node: poi("")}}, "p(d1(n8 a b c) d2)"},
		{[]Edit{
			{Op: Create, Parent: "p", At: 1, Node: &Node{Type: "day", ID: "n", Children: []*Node{poi(""), poi("n8")}}},
			{Op: Move, ID: "a", Parent: "n", At: 0},
		}, "p(d1(b c) n(a n9 n8) d2(n7))"},
	} {
		next, err := tr.Apply(test.edits...)
		if err != nil {
			t.Errorf("%+v: %v", test.edits, err)
			continue
		}
		checkTree(t, next)
		if got := line(next); got != test.want {
			t.Errorf("%+v: got %s, want %s", test.edits, got, test.want)
		}
	}
}

func TestApplyRefuses(t *testing.T) {
	tr := parse(t, editDocument)
	strict, err := made(&Node{Type: "Plan", ID: "p", Children: []*Node{
		{Type: "Day", ID: "d", Fields: []Field{{"index", []string{"1"}}}},
		{Type: "Task", ID: "t", Fields: []Field{{"status", []string{"open"}}, {"description", []string{"x"}}}},
	}}, testSchema)
	try.Do(t, err)
	var b strings.Builder
	refuse := func(tr *Tree, edits ...Edit) {
		t.Helper()
		next, err := tr.Apply(edits...)
		if err == nil || next != nil {
			t.Fatalf("%+v: got %v, %v, want an error", edits, next, err)
		}
		fmt.Fprintln(&b, err)
	}
	poi := &Node{Type: "POI"}
	refuse(tr, Edit{Op: "drop", ID: "a"})
	refuse(tr, Edit{Op: Delete})
	refuse(tr, Edit{Op: Delete, ID: "zz"})
	refuse(tr, Edit{Op: Delete, ID: "p"})
	refuse(tr, Edit{Op: Move, ID: "p", Parent: "d1"})
	refuse(tr, Edit{Op: Move, ID: "d1", Parent: "d1"})
	refuse(tr, Edit{Op: Move, ID: "d1", Parent: "a"})
	refuse(tr, Edit{Op: Move, ID: "d1", Parent: "d2"})
	refuse(tr, Edit{Op: Move, ID: "a", Parent: "d1", At: 3})
	refuse(tr, Edit{Op: Move, ID: "a", Parent: "nowhere"})
	refuse(tr, Edit{Op: Create, Parent: "d1"})
	refuse(tr, Edit{Op: Create, Parent: "", Node: poi})
	refuse(tr, Edit{Op: Create, Parent: "d1", At: 4, Node: poi})
	refuse(tr, Edit{Op: Create, Parent: "d1", At: -2, Node: poi})
	refuse(tr, Edit{Op: Create, Parent: "a", Node: poi})
	refuse(tr, Edit{Op: Create, Parent: "p", Node: poi})
	refuse(tr, Edit{Op: Create, Parent: "d1", Node: &Node{Type: "PIO"}})
	refuse(tr, Edit{Op: Create, Parent: "d1", Node: &Node{Type: "POI", ID: "b"}})
	refuse(tr, Edit{Op: Create, Parent: "p", Node: &Node{Type: "Day", ID: "x", Children: []*Node{{Type: "POI", ID: "x"}}}})
	refuse(tr, Edit{Op: Create, Parent: "d1", Node: &Node{Type: "POI", Fields: []Field{
		{"costs", []string{"1"}}, {"name", []string{"a", "b"}}, {"cost", nil}, {"COST", nil},
	}}})
	refuse(tr, Edit{Op: Update, ID: "a"})
	refuse(tr, Edit{Op: Update, ID: "a", Set: []Field{{"nam", []string{"x"}}}, Unset: []string{"price"}})
	refuse(tr, Edit{Op: Delete, ID: "a"}, Edit{Op: Delete, ID: "a"}, Edit{Op: Delete, ID: "p"})
	refuse(strict, Edit{Op: Update, ID: "t", Set: []Field{{"due", []string{"a", "b"}}}})
	golden.Check(t, "refused.txt", b.String())
	if got := line(tr); got != "p(d1(a b c) d2(n7))" {
		t.Errorf("the tree changed: %s", got)
	}
}

// Drafts and moves cannot make a tree deeper than a walk can bear.
func TestApplyDepth(t *testing.T) {
	chain := func(n int) *Node {
		top := &Node{Type: "a"}
		for range n - 1 {
			top = &Node{Type: "a", Children: []*Node{top}}
		}
		return top
	}
	tr, err := made(chain(MaxDepth), nil)
	try.Do(t, err)
	last := generate(MaxDepth)
	_, err = tr.Apply(Edit{Op: Create, Parent: last, Node: &Node{Type: "a"}})
	wantError(t, err, "at depth 1001, want at most 1000")
	next, err := tr.Apply(Edit{Op: Create, Parent: "n1", At: -1, Node: chain(5)})
	try.Do(t, err)
	_, err = next.Apply(Edit{Op: Move, ID: "n1001", Parent: generate(MaxDepth - 4)})
	wantError(t, err, "would have depth 1001, want at most 1000")
	if _, err = next.Apply(Edit{Op: Move, ID: "n1001", Parent: generate(MaxDepth - 5)}); err != nil {
		t.Error(err)
	}
}

var equateEmpty = cmp.Options{cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(Node{})}

// Edits of a diff turn one version into the other, and back.
func TestDiffReplays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := genTree(t)
		b := a
		for _, e := range genEdits(t, a, rapid.IntRange(0, 10).Draw(t, "edits")) {
			if next, err := b.Apply(e); err == nil {
				b = next
			}
		}
		for range 2 {
			replay(t, a, b)
			a, b = b, a
		}
		replay(t, a, plantTree(t, b.Root(), testSchema)) // nothing shared
	})
}

func replay(t *rapid.T, a, b *Tree) {
	edits := Diff(a, b)
	got, err := a.Apply(edits...)
	if err != nil {
		t.Fatalf("%v\n%+v", err, edits)
	}
	if d := diffNodes(b.Root(), got.Root()); d != "" {
		t.Fatalf("after %+v (-want +got):\n%s", edits, d)
	}
	checkTree(t, got)
}

// Ids may also stand for other nodes, of any type and at any place.
func TestDiffReplaysAnyIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := genTree(t)
		d := genDraft(t, testSchema, "Plan", 4)
		ids := []string{"n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9", "n10", "n11", "n12"}
		ids = rapid.Permutation(ids).Draw(t, "ids")
		var name func(n *Node)
		name = func(n *Node) {
			for _, c := range n.Children {
				if len(ids) > 0 {
					c.ID, ids = ids[0], ids[1:]
				}
				name(c)
			}
		}
		name(d)
		d.ID = "n1"
		replay(t, a, plantTree(t, d, testSchema))
	})
}

func TestDiffIsSmall(t *testing.T) {
	tr := parse(t, editDocument)
	for _, edits := range [][]Edit{
		{},
		{{Op: Delete, ID: "d1"}},
		{{Op: Move, ID: "a", Parent: "d1", At: 2}},
		{{Op: Move, ID: "c", Parent: "d1", At: 0}},
		{{Op: Move, ID: "d2", Parent: "p", At: 0}},
		{{Op: Update, ID: "b", Set: []Field{{"cost", []string{"9"}}}}},
		{{Op: Update, ID: "b", Unset: []string{"cost"}}},
		{{Op: Update, ID: "n7", Text: new("now")}},
		{{Op: Create, Parent: "d1", At: 1, Node: &Node{Type: "POI", ID: "n8"}}},
		{{Op: Create, Parent: "p", At: 2, Node: &Node{Type: "Day", ID: "n8", Children: []*Node{{Type: "POI", ID: "n9"}}}}},
	} {
		next := try.Get(tr.Apply(edits...))(t)
		if d := cmp.Diff(edits, Diff(tr, next), equateEmpty); d != "" {
			t.Errorf("(-made +found):\n%s", d)
		}
	}
	other := parse(t, `<Plan id="q"/>`)
	if _, err := tr.Apply(Diff(tr, other)...); err == nil {
		t.Error("another root was reached by edits")
	}
}

func TestReconcile(t *testing.T) {
	old := parse(t, `<Plan id="p"><Day id="d1" index="1"><POI id="a" name="A" cost="1"/><POI id="b" name="B"/></Day>
<Day id="d2" index="2"><POI id="c" name="C"/></Day><Note id="t1" say="x"/><Note id="t2" say="y"/></Plan>`)
	for _, test := range []struct{ name, doc, want string }{
		{"the same", `<Plan><Day index="1"><POI name="A" cost="1"/><POI name="B"/></Day><Day index="2"><POI name="C"/></Day><Note say="x"/><Note say="y"/></Plan>`, "p(d1(a b) d2(c) t1 t2)"},
		{"by key, in other words and order", `<Plan><Day index="1"><POI name=" b "/><POI name="a" cost="9"/></Day></Plan>`, "p(d1(b a))"},
		{"by id, wherever", `<Plan><Day id="d2" index="5"><POI id="a" name="Z"/></Day></Plan>`, "p(d2(a))"},
		{"by id before key", `<Plan><Day index="1"><POI name="B"/><POI id="b" name="A"/></Day></Plan>`, "p(d1(n1 b))"},
		{"ids of another type", `<Plan><Day id="a" index="9"/></Plan>`, "p(n1)"},
		{"ids made up or given twice", `<Plan><Day id="zz" index="9"/><Day id="d1" index="9"/><Day id="d1" index="8"/></Plan>`, "p(n1 d1 n2)"},
		{"not in the same place", `<Plan><Day index="1"><POI name="C"/></Day></Plan>`, "p(d1(n1))"},
		{"without key by content, then the last", `<Plan><Note say="z"/><Note say="x"/></Plan>`, "p(t2 t1)"},
		{"without key, several left", `<Plan><Note say="z"/><Note say="w"/></Plan>`, "p(n1 n2)"},
	} {
		d := try.Get(ParseDraft("new.xml", strings.NewReader(test.doc), old.Schema()))(t)
		got, err := Reconcile(old, d)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		checkTree(t, got)
		if line(got) != test.want {
			t.Errorf("%s: got %s, want %s", test.name, line(got), test.want)
		}
	}
	_, err := Reconcile(old, &Node{Type: "Day"})
	wantError(t, err, "the root is a Day, want a Plan")
	_, err = Reconcile(old, &Node{Type: "Plan", Children: []*Node{{Type: "Day", Fields: []Field{{"indx", []string{"1"}}}}}})
	wantError(t, err, `unknown field of Day "indx"; did you mean "index"?`)
}

// A tree that a model writes out with its ids, whole or in part, is the tree
// that it wrote.
func TestReconcileKeeps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old := genTree(t)
		next := old
		for _, e := range genEdits(t, old, 4) {
			if n, err := next.Apply(e); err == nil {
				next = n
			}
		}
		got := try.Get(Reconcile(old, next.Root()))(t)
		checkTree(t, got)
		for n := range next.All() {
			if _, ok := old.Node(n.ID); !ok {
				continue
			}
			if kept, ok := got.Node(n.ID); !ok || kept.Type != n.Type {
				t.Fatalf("%s has gone", n.describe())
			}
		}
		same, err := Reconcile(old, old.Root())
		if err != nil || len(Diff(old, same)) > 0 {
			t.Fatalf("the same draft gives another tree: %v", err)
		}
	})
}

func TestParseDraft(t *testing.T) {
	_, err := ParseDraft("m", strings.NewReader(`<Plan id="a"><Day id="a" idx="1"><PIO/></Day>
<Task><description>x<b/></description></Task></Plan>`), testSchema)
	if err == nil {
		t.Fatal("no error")
	}
	golden.Check(t, "draft_errors.txt", err.Error()+"\n")
	_, err = ParseDraft("m", strings.NewReader(`<Dya/>`), testSchema)
	wantError(t, err, `m:1:1: unknown type "Dya"; did you mean "Day"?`)
	_, err = ParseDraft("m", strings.NewReader(`Sure! Here is the plan.`), testSchema)
	wantError(t, err, "m:1:1:", "outside the root")
	d, err := ParseDraft("m", strings.NewReader(`<POI name="a"><cost>3</cost></POI>`), testSchema)
	if err != nil || d.Type != "POI" || d.ID != "" || len(d.Fields) != 2 {
		t.Errorf("got %+v, %v", d, err)
	}
}

// FuzzParseDraft checks that what a model writes never makes the reader panic,
// and that a draft that is taken can be reconciled or is refused.
func FuzzParseDraft(f *testing.F) {
	f.Add(`<Plan title="x"><Day index="1"><POI><name>a</name><highlights><highlight/></highlights></POI></Day></Plan>`)
	f.Add(`<Plan id="n1"><Task id="n2" status="open"><Task/></Task></Plan>`)
	old, err := made(&Node{Type: "Plan", Children: []*Node{{Type: "Task"}}}, testSchema)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		d, err := ParseDraft("fuzz", strings.NewReader(doc), testSchema)
		if err != nil {
			return
		}
		if next, err := Reconcile(old, d); err == nil {
			checkTree(t, next)
		}
	})
}

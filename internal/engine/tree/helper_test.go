package tree

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"recallbench/internal/testkit/try"
)

// diffNodes compares subtrees, with what nodes know about those below.
func diffNodes(want, got *Node) string {
	if sameNodes(want, got) {
		return "" // cmp takes a hundred times as long
	}
	return cmp.Diff(want, got, cmp.AllowUnexported(Node{}), cmpopts.EquateEmpty())
}

func sameNodes(a, b *Node) bool {
	return a.Type == b.Type && a.ID == b.ID && a.Text == b.Text && a.size == b.size &&
		slices.EqualFunc(a.Fields, b.Fields, Field.equal) && slices.EqualFunc(a.Children, b.Children, sameNodes)
}

func parse(tb testing.TB, text string) *Tree {
	tb.Helper()
	return try.Get(ParseXML("test.xml", strings.NewReader(text), XMLOptions{}))(tb)
}

// wantError fails unless an error says all of parts.
func wantError(tb testing.TB, err error, parts ...string) {
	tb.Helper()
	if err == nil {
		tb.Fatalf("no error, want one that says %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			tb.Errorf("error %q does not say %q", err, p)
		}
	}
}

// testSchema has what the language of schemas can say: both styles, lists of
// both kinds, values and a type below itself.
var testSchema = &Schema{Root: "Plan", Types: []Type{
	{Name: "Plan", Fields: []FieldType{{Name: "title", Attribute: true}, {Name: "note"}}, Children: []string{"Day", "Task"}},
	{Name: "Day", Key: "index", Fields: []FieldType{{Name: "index", Attribute: true}}, Children: []string{"POI", "Task"}},
	{Name: "POI", Key: "name", Fields: []FieldType{
		{Name: "name"},
		{Name: "cost", Attribute: true},
		{Name: "highlights", Item: "highlight", List: true},
		{Name: "tag", List: true},
	}},
	{Name: "Task", Fields: []FieldType{
		{Name: "status", Attribute: true, Values: []string{"open", "done"}},
		{Name: "due", Attribute: true},
		{Name: "description"},
		{Name: "id"},
	}, Children: []string{"Task"}},
}}

// texts that are hard to write and to read back.
var hardTexts = []string{
	"a", "two words", "", "<b>&amp;\"'", "line\nline\r\nend", "tab\tend", "  around  ", "]]>", "é 漢字 😀",
	"\x00\x01control\x1f", "bad\xff\xfeutf8", "\uFFFE\uFFFF", "\u0085\u2028", "&#10;", "<!-- -->", "\r",
}

func genText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom(hardTexts), rapid.String())
}

// genFields draws fields of a type.
func genFields(t *rapid.T, typ *Type) []Field {
	var fields []Field
	for _, f := range typ.Fields {
		if !rapid.Bool().Draw(t, "has "+f.Name) {
			continue
		}
		n := 1
		if f.List {
			n = rapid.IntRange(0, 3).Draw(t, "values of "+f.Name)
		}
		field := Field{Name: f.Name}
		for range n {
			v := genText()
			if len(f.Values) > 0 {
				v = rapid.SampledFrom(f.Values)
			}
			field.Values = append(field.Values, v.Draw(t, f.Name))
		}
		fields = append(fields, field)
	}
	if len(fields) < 2 {
		return fields
	}
	return rapid.Permutation(fields).Draw(t, "order")
}

// genDraft draws a subtree of a schema.
func genDraft(t *rapid.T, s *Schema, typ string, depth int) *Node {
	tt := s.Type(typ)
	n := &Node{Type: typ, Fields: genFields(t, tt)}
	if rapid.IntRange(0, 3).Draw(t, "has text") == 0 {
		n.Text = genText().Draw(t, "text")
	}
	if depth > 1 && len(tt.Children) > 0 {
		for range rapid.IntRange(0, 4).Draw(t, "children") {
			n.Children = append(n.Children, genDraft(t, s, rapid.SampledFrom(tt.Children).Draw(t, "type"), depth-1))
		}
	}
	return n
}

// made returns the tree of nodes, as XML brings it back.
func made(root *Node, s *Schema) (*Tree, error) {
	if s == nil {
		s = infer(root, func(_ string, f *FieldType) {
			if f.List {
				f.Item = "item"
			}
			f.Attribute = !f.List && f.Name != "id"
		})
	}
	text, err := XML(root, s, WriteOptions{IDs: true})
	if err != nil {
		return nil, err
	}
	return parseBy(text, s)
}

// parseBy reads a tree of a schema.
func parseBy(text string, s *Schema) (*Tree, error) {
	d, err := ParseDraft("again.xml", strings.NewReader(text), s)
	if err != nil {
		return nil, err
	}
	p := planter{schema: s, ids: map[string]bool{}}
	root := p.plant(d, nil, 1)
	if err := p.faults.err(); err != nil {
		return nil, err
	}
	return newTree(root, s, nameNodes(root, 1, func(id string) bool { return p.ids[id] })), nil
}

// plantTree makes a tree of nodes.
func plantTree(t *rapid.T, root *Node, s *Schema) *Tree { return try.Get(made(root, s))(t) }

// genTree draws a tree of testSchema.
func genTree(t *rapid.T) *Tree { return plantTree(t, genDraft(t, testSchema, "Plan", 4), testSchema) }

// genEdits draws edits of a tree, of which some cannot be made, each for the
// tree as the ones before leave it.
func genEdits(t *rapid.T, tr *Tree, count int) []Edit {
	var edits []Edit
	for range count {
		e := genEdit(t, tr)
		edits = append(edits, e)
		if next, err := tr.Apply(e); err == nil {
			tr = next
		}
	}
	return edits
}

func genEdit(t *rapid.T, tr *Tree) Edit {
	var ids []string
	for n := range tr.All() {
		ids = append(ids, n.ID)
	}
	ids = append(ids, "nowhere")
	id := rapid.SampledFrom(ids)
	e := Edit{Op: rapid.SampledFrom([]Op{Create, Create, Update, Update, Delete, Move, Move}).Draw(t, "op")}
	switch e.Op {
	case Create:
		e.Parent = id.Draw(t, "parent")
		typ := rapid.SampledFrom([]string{"Day", "POI", "Task"}).Draw(t, "type")
		e.Node = genDraft(t, tr.Schema(), typ, 2)
		e.At = rapid.IntRange(-1, 3).Draw(t, "at")
	case Move:
		e.ID, e.Parent = id.Draw(t, "id"), id.Draw(t, "parent")
		e.At = rapid.IntRange(-1, 3).Draw(t, "at")
	case Update:
		e.ID = id.Draw(t, "id")
		if n, ok := tr.Node(e.ID); ok {
			e.Set = genFields(t, tr.Schema().Type(n.Type))
			for _, f := range n.Fields {
				if rapid.IntRange(0, 3).Draw(t, "unset") == 0 {
					e.Unset = append(e.Unset, f.Name)
				}
			}
		}
		if rapid.Bool().Draw(t, "has text") {
			e.Text = new(genText().Draw(t, "text"))
		}
	case Delete:
		e.ID = id.Draw(t, "id")
	}
	return e
}

// checkTree fails unless what a tree knows about itself is true.
func checkTree(tb interface {
	Helper()
	Fatalf(string, ...any)
}, tr *Tree,
) {
	tb.Helper()
	seen := map[string]bool{}
	at := 0
	var path []*Node
	var visit func(n *Node) int
	visit = func(n *Node) int {
		path = append(path, n)
		if seen[n.ID] || n.ID == "" {
			tb.Fatalf("id %q is doubled or empty", n.ID)
		}
		seen[n.ID] = true
		if got := tr.Path(n.ID); !slices.Equal(got, path) {
			tb.Fatalf("path of %s: got %v, want %v", n.ID, got, path)
		}
		if got := PathAt(tr.Root(), at); !slices.Equal(got, path) {
			tb.Fatalf("path at %d: got %v, want %v", at, got, path)
		}
		at++
		size := 1
		for _, c := range n.Children {
			if p, _ := tr.Parent(c.ID); p != n {
				tb.Fatalf("parent of %s: got %v, want %s", c.ID, p, n.ID)
			}
			size += visit(c)
		}
		if n.Size() != size {
			tb.Fatalf("%s has the size %d, want %d", n.ID, n.Size(), size)
		}
		path = path[:len(path)-1]
		return size
	}
	visit(tr.Root())
	if err := errOf(made(tr.root, tr.schema)); err != nil {
		tb.Fatalf("%v", err)
	}
	for i := range 3 {
		id := fmt.Sprint("nowhere", i)
		if _, ok := tr.Node(id); ok || tr.Path(id) != nil {
			tb.Fatalf("there is a node %s", id)
		}
	}
}

func errOf(_ *Tree, err error) error { return err }

package tree

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// mixedDocument has all ways to spell fields and nodes.
const mixedDocument = `<?xml version="1.0" encoding="UTF-8"?>
<!-- comment -->
<Plan title="Trip &amp; more">
  <note>Two
lines</note>
  Some text <!-- cut --> of the plan
  <Day index="1">
    <POI>
      <name>Pier</name>
      <highlights><highlight>Sea</highlight><highlight> Wind </highlight></highlights>
      <tag>a</tag><tag>b</tag>
    </POI>
    <POI id="x" cost="5"><name><![CDATA[<Tower>]]></name><highlights/></POI>
    and after
  </Day>
  <Day index="2"/>
  <Break/>
</Plan>`

func TestParseMixed(t *testing.T) {
	tr := parse(t, mixedDocument)
	checkTree(t, tr)
	want := &Node{
		Type: "Plan", ID: "n1", Text: "Some text  of the plan",
		Fields: []Field{{"title", []string{"Trip & more"}}, {"note", []string{"Two\nlines"}}},
		Children: []*Node{
			{Type: "Day", ID: "n2", Text: "and after", Fields: []Field{{"index", []string{"1"}}}, Children: []*Node{
				{Type: "POI", ID: "n3", Fields: []Field{
					{"name", []string{"Pier"}}, {"highlights", []string{"Sea", "Wind"}}, {"tag", []string{"a", "b"}},
				}},
				{Type: "POI", ID: "x", Fields: []Field{{"cost", []string{"5"}}, {"name", []string{"<Tower>"}}, {"highlights", nil}}},
			}},
			{Type: "Day", ID: "n4", Fields: []Field{{"index", []string{"2"}}}},
			{Type: "Break", ID: "n5"},
		},
	}
	if d := cmp.Diff(want, tr.Root(), cmpopts.IgnoreUnexported(Node{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	golden.Check(t, "mixed.schema", tr.Schema().Text())
}

// What the elements of a name are the whole document decides.
func TestNodesAndFields(t *testing.T) {
	for _, test := range []struct{ doc, nodes, want string }{
		{"<r><a>x</a></r>", "", "r: a\n"},
		{"<r><a>x</a></r>", "a", "r\n  a\n"},
		{"<r><a>x</a><a>y</a></r>", "", "r: a (list)\n"},
		{"<r><a/></r>", "", "r\n  a\n"},
		{"<r><a/><a>x</a></r>", "", "r: a (list; x)\n"},
		{"<r><a k='1'/><b><a>x</a></b></r>", "", "r\n  a: k\n  b\n    a (as above)\n"},
		{"<r><w><i>x</i><i>y</i></w></r>", "", "r: w (list)\n"},
		{"<r><w><i>x</i></w><s><w/></s></r>", "", "r: w (list)\n  s: w (list)\n"},
		{"<r><w><i>x</i><j>y</j></w></r>", "", "r\n  w: i, j\n"},
		{"<r><w><i>x</i></w><s><w><j>y</j></w></s></r>", "", "r\n  w: i, j\n  s\n    w (as above)\n"},
		{"<r><w><i>x</i></w><w><i>y</i></w></r>", "", "r\n  w: i\n"},
		{"<r><w>text<i>x</i></w></r>", "", "r\n  w: i\n"},
		{"<r><w><i>x</i></w></r>", "i", "r\n  w\n    i\n"},
		{"<r a='1'><a>2</a></r>", "", "r: a (list)\n"},
		{"<r><t><t>x</t></t></r>", "", "r\n  t\n    t (as above)\n"},
		{"<x:r><x:a>1</x:a></x:r>", "", "x:r: x:a\n"},
	} {
		tr, err := ParseXML("t", strings.NewReader(test.doc), XMLOptions{Nodes: strings.Fields(test.nodes)})
		if err != nil {
			t.Errorf("%s: %v", test.doc, err)
			continue
		}
		checkTree(t, tr)
		if got := tr.Schema().Text(); got != test.want {
			t.Errorf("%s: got schema\n%swant\n%s", test.doc, got, test.want)
		}
		again := reparse(t, tr, WriteOptions{IDs: true})
		if d := diffNodes(tr.Root(), again.Root()); d != "" {
			t.Errorf("%s: (-before +after):\n%s", test.doc, d)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	deep := strings.Repeat("<a>", MaxDepth+1)
	var attrs strings.Builder
	attrs.WriteString("<a")
	for i := range maxAttributes + 1 {
		attrs.WriteString(" a" + generate(i) + "='1'")
	}
	for _, test := range []struct{ doc, want string }{
		{"", "t:1:1: the document ends before its root does; want one root element"},
		{"text", `text "text" stands outside the root`},
		{"<a/>\ntext", `stands outside the root`},
		{"<a/>\n<b/>", "t:2:1: <b> stands after the end of the root <a>; want one root"},
		{"<a>\n<b>\n</a>", "t:3:1: </a> stands where <b> of line 2 is open; want </b>"},
		{"<a>", "t:1:4: the document ends before its root does"},
		{"</a>", "</a> ends nothing"},
		{"<a x='1' x='2'/>", "<a> has the attribute x twice"},
		{"<a>\n<b id='1'/><b id='2'/>\n<b id='1'/></a>", `t:3:1: the id "1" is that of line 2 too; ids are unique`},
		{"<!DOCTYPE a [<!ENTITY x 'yy'>]><a>&x;</a>", "t:1:1: a DTD"},
		{"<a>&x;</a>", "invalid character entity &x;"},
		{"<a>&#0;</a>", "illegal character code"},
		{"<a>\xff</a>", "invalid UTF-8"},
		{"<?xml version='1.0' encoding='latin1'?><a/>", `encoding "latin1" declared`},
		{"<a>\n<:b/></a>", "t:2:1: the element <:b> has no name; want letters"},
		{"<a :b='1'/>", "t:1:1: the attribute :b has no name; want letters"},
		{"<a b=1/>", "unquoted or missing attribute value"},
		{"<a", "unexpected EOF"},
		{deep, "is at depth 1001, want at most 1000"},
		{attrs.String() + "/>", "has 257 attributes, want at most 256"},
	} {
		_, err := ParseXML("t", strings.NewReader(test.doc), XMLOptions{})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.60s: got error %v, want %q", test.doc, err, test.want)
		}
	}
}

func TestParseWithSchema(t *testing.T) {
	read := func(doc string) (*Tree, error) {
		return parseBy(doc, testSchema)
	}
	tr, err := read(`<plan note="n"><title>T</title><Task><status>open</status></Task>
		<Day index="1"><POI name="A" highlights="one"/></Day></plan>`)
	try.Do(t, err)
	checkTree(t, tr)
	golden.Check(t, "both_styles.xml", mustXML(t, tr))

	_, err = read(`<Plan titel="x">
<Day><POI><nam>B</nam><highlights><high>1</high></highlights><name><b/></name></POI></Day>
<Task status="opened" due="1"><due>2</due></Task><POI/><Dya index="1"/></Plan>`)
	if err == nil {
		t.Fatal("no error")
	}
	golden.Check(t, "schema_errors.txt", err.Error()+"\n")

	_, err = read("<Plan title='a' Title='b'/>")
	wantError(t, err, "the field title is given twice")
	_, err = read("<Trip/>")
	wantError(t, err, `again.xml:1:1: unknown type "Trip"`)
}

func mustXML(t *testing.T, tr *Tree) string {
	t.Helper()
	return try.Get(XML(tr.Root(), tr.Schema(), WriteOptions{IDs: true, Indent: true}))(t)
}

// The trees of the paper's authors, in both styles.
func TestFixtures(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(realdata.Fixtures(t), "semantic-xpath", "trees", "*.xml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no trees: %v", err)
	}
	for _, file := range files {
		data := try.Get(os.ReadFile(file))(t)
		tr := parse(t, string(data))
		checkTree(t, tr)
		again := reparse(t, tr, WriteOptions{IDs: true, Indent: true})
		if d := diffNodes(tr.Root(), again.Root()); d != "" {
			t.Errorf("%s: after writing and reading:\n%s", file, d)
		}
	}
}

func reparse(tb testing.TB, tr *Tree, o WriteOptions) *Tree {
	tb.Helper()
	text := try.Get(XML(tr.Root(), tr.Schema(), o))(tb)
	again, err := parseBy(text, tr.Schema())
	if err != nil {
		tb.Fatalf("%v in\n%s", err, text)
	}
	return again
}

// FuzzParseXML checks that no document makes the reader panic, and that what it
// takes it reads back the same from what is written.
func FuzzParseXML(f *testing.F) {
	f.Add(mixedDocument)
	f.Add("<r><w><i>x</i></w><w/><a b='&#9;'>&#13;</a></r>")
	f.Add("<a:b c:d='1'>x<e/>y</a:b>")
	f.Fuzz(func(t *testing.T, doc string) {
		tr, err := ParseXML("fuzz", strings.NewReader(doc), XMLOptions{})
		if err != nil {
			return
		}
		again := reparse(t, tr, WriteOptions{IDs: true})
		if d := diffNodes(tr.Root(), again.Root()); d != "" {
			t.Errorf("(-before +after):\n%s", d)
		}
	})
}

// TestLooseIDs reads ids that begin anew below each parent, as fields.
func TestLooseIDs(t *testing.T) {
	const text = `<List id="1"><Item id="1" name="oak"/><Item id="2" name="elm"/></List>`
	if _, err := ParseXML("list.xml", strings.NewReader(text), XMLOptions{}); err == nil || !strings.Contains(err.Error(), "ids are unique") {
		t.Errorf("ids that come twice: %v", err)
	}
	loose := try.Get(ParseXML("list.xml", strings.NewReader(text), XMLOptions{LooseIDs: true}))(t)
	if n, ok := loose.Node("n3"); !ok || n.Name() != "elm" {
		t.Errorf("node n3 is %+v, want the elm", n)
	} else if id, _ := n.Field("id"); id != "2" {
		t.Errorf("the elm has the id %q, want 2", id)
	}
	out := try.Get(XML(loose.Root(), loose.Schema(), WriteOptions{}))(t)
	again := try.Get(parseBy(out, loose.Schema()))(t)
	if second, err := XML(again.Root(), again.Schema(), WriteOptions{}); err != nil || second != out {
		t.Errorf("written and read again it is %s, was %s (%v)", second, out, err)
	}
	unique := try.Get(ParseXML("list.xml", strings.NewReader(`<List id="a"><Item id="b"/></List>`), XMLOptions{LooseIDs: true}))(t)
	if _, ok := unique.Node("b"); !ok {
		t.Error("ids that come once are not kept")
	}
}

// What is written reads back the same with the schema that it was written by.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := genTree(t)
		checkTree(t, tr)
		for _, o := range []WriteOptions{{IDs: true}, {IDs: true, Indent: true}} {
			text := try.Get(XML(tr.Root(), tr.Schema(), o))(t)
			again, err := parseBy(text, tr.Schema())
			if err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			if d := diffNodes(tr.Root(), again.Root()); d != "" {
				t.Fatalf("(-before +after):\n%s\n%s", d, text)
			}
			checkTree(t, again)
		}
	})
}

func TestWriteGolden(t *testing.T) {
	tr := parse(t, mixedDocument)
	for name, o := range map[string]WriteOptions{
		"plain.xml": {}, "indent.xml": {IDs: true, Indent: true}, "depth.xml": {Indent: true, Depth: 1},
	} {
		got := try.Get(XML(tr.Root(), tr.Schema(), o))(t)
		golden.Check(t, name, got)
	}
}

// Nodes that no tree has checked are written well-formed or not at all.
func TestWriteAnyNode(t *testing.T) {
	for _, name := range []string{"", "1a", "a b", "a>", "a:b:c", "-x", "é ", "\xff", "x\u00d7"} {
		_, err := XML(&Node{Type: name}, &Schema{}, WriteOptions{})
		wantError(t, err, "type")
		_, err = XML(&Node{Type: "a", Fields: []Field{{name, []string{"v"}}}}, &Schema{}, WriteOptions{})
		wantError(t, err, "field")
	}
	got, err := XML(&Node{Type: "a", Fields: []Field{{"x", []string{"\x00<\xff\n"}}}, Text: "\x1b&\uFFFF"}, &Schema{}, WriteOptions{})
	want := "<a x=\"\uFFFD&lt;\uFFFD&#10;\">\uFFFD&amp;\uFFFD</a>"
	if err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

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

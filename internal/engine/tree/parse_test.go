package tree

import (
	"os"
	"path/filepath"
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

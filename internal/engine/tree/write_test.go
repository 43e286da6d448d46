package tree

import (
	"testing"

	"pgregory.net/rapid"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

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

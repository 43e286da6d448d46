package semxpath

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/antchfx/xmlquery"
	"github.com/antchfx/xpath"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"recallbench/internal/engine/tree"
)

// TestSelectsLikeXPath compares the released profile with XPath on random trees
// and queries without conditions.
func TestSelectsLikeXPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := newTree(t, trees.Draw(t, "tree"))
		q := queries(false).Draw(t, "query")
		r, err := q.Run(t.Context(), root, Options{Profile: Released})
		if err != nil {
			t.Fatal(err)
		}
		doc := xmlOf(t, root)
		path := xpathOf(q, root.Type)
		want := inDocument(selectXPath(t, doc, path))
		if q.global != nil {
			want = slice(want, q.global)
		}
		if diff := cmp.Diff(want, positions(r.Matches)); diff != "" {
			t.Fatalf("%s over %s selects other nodes than %s:\n%s", q, sketch(root), path, diff)
		}
	})
}

// xpathOf writes the XPath of a query without conditions over a tree whose root
// has a type; without the position of a group.
func xpathOf(q *Query, root string) string {
	var b strings.Builder
	for i, s := range q.steps {
		if i == 0 && s.name != root && s.name != anyType {
			b.WriteString("/*") // the name of the root may be left out
		}
		b.WriteString("/")
		if s.axis == descendant {
			b.WriteString("/")
		}
		b.WriteString(s.name + predicateOf(s.position))
	}
	return b.String()
}

// slice returns the places that a position selects, one by one.
func slice[T any](of []T, p *position) []T {
	var selected []T
	for i, x := range of {
		from, to := p.from, p.to
		if from < 0 {
			from += len(of) + 1
		}
		if to < 0 {
			to += len(of) + 1
		}
		if from <= i+1 && i+1 <= to {
			selected = append(selected, x)
		}
	}
	return selected
}

func predicateOf(p *position) string {
	number := func(i int) string {
		switch {
		case i == -1:
			return "last()"
		case i < 0:
			return "last()-" + strconv.Itoa(-i-1)
		}
		return strconv.Itoa(i)
	}
	switch {
	case p == nil:
		return ""
	case p.from == p.to:
		return "[" + number(p.from) + "]"
	}
	return "[position()>=" + number(p.from) + " and position()<=" + number(p.to) + "]"
}

// selectXPath returns the nodes that an XPath selects from a node.
func selectXPath(t *rapid.T, from *xmlquery.Node, path string) []*xmlquery.Node {
	expr, err := xpath.Compile(path)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return xmlquery.QuerySelectorAll(from, expr)
}

// inDocument returns the positions of nodes, in order and each once.
func inDocument(nodes []*xmlquery.Node) []int {
	var at []int
	for _, n := range nodes {
		at = append(at, place(n))
	}
	slices.Sort(at)
	return slices.Compact(at)
}

func place(n *xmlquery.Node) int {
	at, err := strconv.Atoi(n.SelectAttr("at"))
	if err != nil {
		panic(err)
	}
	return at
}

// xmlOf returns types and positions of nodes as XML.
func xmlOf(t *rapid.T, root *tree.Node) *xmlquery.Node {
	var b strings.Builder
	at := 0
	var write func(n *tree.Node)
	write = func(n *tree.Node) {
		fmt.Fprintf(&b, "<%s at='%d'>", n.Type, at)
		at++
		for _, c := range n.Children {
			write(c)
		}
		fmt.Fprintf(&b, "</%s>", n.Type)
	}
	write(root)
	doc, err := xmlquery.Parse(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// trees draws trees of few types, which stand below each other in any order.
var trees = rapid.Custom(func(t *rapid.T) *tree.Node {
	left := rapid.IntRange(0, 30).Draw(t, "nodes")
	var draw func(depth int) *tree.Node
	draw = func(depth int) *tree.Node {
		n := &tree.Node{Type: rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "type")}
		if name := rapid.SampledFrom([]string{"", "x", "X", "y"}).Draw(t, "name"); name != "" {
			n.Fields = []tree.Field{{Name: "name", Values: []string{name}}}
		}
		for depth < 8 && left > 0 && rapid.IntRange(0, 2).Draw(t, "more") > 0 {
			left--
			n.Children = append(n.Children, draw(depth+1))
		}
		return n
	}
	return draw(0)
})

// newTree makes a tree of nodes, for tests that look at its root only.
func newTree(t interface{ Fatal(args ...any) }, root *tree.Node) *tree.Node {
	schema := &tree.Schema{} // of lists: other fields are attributes
	var types []string
	for _, n := range tree.Walk(root) {
		types = append(types, n.Type)
		for _, f := range n.Fields {
			if len(f.Values) > 1 {
				schema.Types = append(schema.Types, tree.Type{Name: n.Type, Fields: []tree.FieldType{{Name: f.Name}}})
			}
		}
	}
	text, err := tree.XML(root, schema, tree.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	made, err := tree.ParseXML("nodes", strings.NewReader(text), tree.XMLOptions{Nodes: types})
	if err != nil {
		t.Fatal(err)
	}
	return made.Root()
}

func positions(matches []Match) []int {
	var at []int
	for _, m := range matches {
		at = append(at, m.At)
	}
	return at
}

// sketch writes the types of a tree.
func sketch(n *tree.Node) string {
	if len(n.Children) == 0 {
		return n.Type
	}
	var below []string
	for _, c := range n.Children {
		below = append(below, sketch(c))
	}
	return n.Type + "(" + strings.Join(below, " ") + ")"
}

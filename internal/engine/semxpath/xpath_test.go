package semxpath

import (
	stdcmp "cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/antchfx/xmlquery"
	"github.com/antchfx/xpath"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/try"
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

// queries draws queries, with conditions where they are asked for.
func queries(conditions bool) *rapid.Generator[*Query] {
	return rapid.Custom(func(t *rapid.T) *Query {
		q := &Query{}
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			q.steps = append(q.steps, drawStep(t, conditions, 3))
		}
		if rapid.IntRange(0, 4).Draw(t, "group") == 0 {
			q.global = drawPosition(t)
		}
		return q
	})
}

func drawStep(t *rapid.T, conditions bool, depth int) *step {
	s := &step{
		axis: rapid.SampledFrom([]axis{child, descendant}).Draw(t, "axis"),
		name: rapid.SampledFrom([]string{"A", "B", "C", anyType}).Draw(t, "type"),
	}
	if rapid.Bool().Draw(t, "positioned") {
		s.position = drawPosition(t)
	}
	if conditions && rapid.Bool().Draw(t, "conditional") {
		s.cond = drawCondition(t, depth)
		s.sibling = rapid.SampledFrom([]int{0, 0, 0, 1, -1, 2}).Draw(t, "sibling")
	}
	return s
}

func drawPosition(t *rapid.T) *position {
	draw := func(label string) int {
		return rapid.SampledFrom([]int{1, 1, 2, 2, 3, 5, -1, -1, -2, -3, -5}).Draw(t, label)
	}
	p := &position{from: draw("from")}
	p.to = p.from
	if rapid.IntRange(0, 2).Draw(t, "range") == 0 {
		p.to = draw("to")
	}
	return p
}

func drawCondition(t *rapid.T, depth int) *condition {
	kind := 0
	if depth > 0 {
		kind = rapid.IntRange(0, 3).Draw(t, "condition")
	}
	joining := []operator{mean, minimum, maximum, geometric}
	c := &condition{op: similar}
	switch kind {
	case 1:
		c.op, c.of = inverse, []*condition{drawCondition(t, depth-1)}
	case 2:
		c.op = rapid.SampledFrom(append(joining, product)).Draw(t, "operator")
		for range rapid.IntRange(2, 3).Draw(t, "conditions") {
			c.of = append(c.of, drawCondition(t, depth-1))
		}
	case 3:
		c.op, c.evidence = rapid.SampledFrom(joining).Draw(t, "aggregation"), drawStep(t, false, 0)
		c.evidence.cond = drawCondition(t, depth-1)
	default:
		c.attr = rapid.SampledFrom([]string{wholeNode, contentWord, "name", "cost"}).Draw(t, "attribute")
		c.value = rapid.OneOf(rapid.SampledFrom([]string{"x", "y", "red"}), rapid.String()).Draw(t, "value")
		if c.attr == "name" && rapid.Bool().Draw(t, "exact") {
			c.op = equal
		}
	}
	return c
}

func TestPrintedQueriesParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := queries(true).Draw(t, "query")
		got := try.Get(Parse(q.String()))(t)
		if diff := cmp.Diff(q, got, ignorePlaces); diff != "" {
			t.Fatalf("%s parses as another query:\n%s", q, diff)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, q := range []string{
		`//Day[avg(/POI[node~="conference"])]`, `//Day[3]/POI[1-[node~="workshop"]]`,
		`(//A[-2:][(name≈“x” + @b = 'y')/2])[1]`, `/A[agg_max(//*[1 - a =~ "x" · b ~= "\"\\"])][@-2]`,
		`/descendant::A[last()]`, `/A[node ~= "x AND`, "/日\t[0]\xff",
	} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Parse(text)
		if err != nil {
			if err.Error() == "" {
				t.Error("the error says nothing")
			}
			return
		}
		printed := q.String()
		again, err := Parse(printed)
		if err != nil {
			t.Fatalf("%q is printed as %q: %v", text, printed, err)
		}
		if diff := cmp.Diff(q, again, ignorePlaces); diff != "" {
			t.Fatalf("%q is printed as %q, which is another query:\n%s", text, printed, diff)
		}
		if again.String() != printed {
			t.Fatalf("%q is printed as %q and then as %q", text, printed, again)
		}
	})
}

// TestPaperProfile compares the engine with appendix A of the paper, written
// down as it stands: sets of weighted nodes, and no care for speed.
func TestPaperProfile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := newTree(t, trees.Draw(t, "tree"))
		q := queries(true).Draw(t, "query")
		r := try.Get(q.Run(t.Context(), root, Options{Scorer: hashed{}, Explain: 200, Text: hashedText}))(t)
		a := newAppendix(root)
		want := a.query(q)
		if len(r.Matches) != len(want) {
			t.Fatalf("%s over %s selects %v, want %v", q, sketch(root), r.Matches, want)
		}
		for i, m := range r.Matches {
			if m.At != want[i].u || math.Abs(m.Weight-want[i].w) > 1e-12 || m.Node != a.nodes[m.At] {
				t.Fatalf("%s over %s: match %d is %v, want %v", q, sketch(root), i, m, want[i])
			}
		}
		checkExplanation(t, q, r)
	})
}

// checkExplanation checks that the numbers of an explanation fit together.
func checkExplanation(t *rapid.T, q *Query, r Result) {
	for i, s := range r.Steps {
		if s.Reached < s.Tested || s.Tested < s.Selected || s.Selected != len(s.Candidates)+s.Omitted {
			t.Fatalf("%s: the counts of step %d do not fit: %+v", q, i+1, s)
		}
		for _, c := range s.Candidates {
			if c.Weight != c.Previous*c.Score || s.Weighted != (c.Detail != nil) || c.Detail != nil && c.Detail.Score != c.Score {
				t.Fatalf("%s: the weights of step %d do not fit: %+v", q, i+1, c)
			}
		}
	}
}

// A hashed scorer gives each pair an arbitrary score, at times 0 or 1.
type hashed struct{}

func (hashed) Score(_ context.Context, pairs []Pair) ([]float64, error) {
	scores := make([]float64, len(pairs))
	for i, p := range pairs {
		scores[i] = p.score()
	}
	return scores, nil
}

func (p Pair) score() float64 {
	h := fnv.New32a()
	h.Write([]byte(p.Text + "\x00" + p.Condition))
	return float64(h.Sum32()%11) / 10
}

// hashedText tells places apart that the path leads to.
func hashedText(path []*tree.Node) string { return path[len(path)-1].ID }

type weighted struct {
	u int // position
	w float64
}

// An appendix evaluates queries over a tree whose nodes are known by position.
type appendix struct {
	nodes  []*tree.Node
	parent []int
}

func newAppendix(root *tree.Node) *appendix {
	a := &appendix{}
	var add func(n *tree.Node, parent int)
	add = func(n *tree.Node, parent int) {
		at := len(a.nodes)
		a.nodes, a.parent = append(a.nodes, n), append(a.parent, parent)
		for _, c := range n.Children {
			add(c, at)
		}
	}
	add(root, -1)
	return a
}

func (a *appendix) query(q *Query) []weighted {
	w := []weighted{{0, 1}}
	for i, s := range q.steps {
		from := w
		w = a.axis(s.axis, from)
		if i == 0 && s.name == a.nodes[0].Type {
			// The one departure: a first step may name the root.
			w = []weighted{{0, 1}}
			if s.axis == descendant {
				w = append(w, a.axis(descendant, from)...)
			}
		}
		w = a.test(s, w)
		if s.cond != nil {
			for i := range w {
				w[i].w *= a.rel(w[i].u, s.cond)
			}
		}
		if s.sibling != 0 {
			w = a.siblings(w, s.sibling)
		}
	}
	if q.Conditions() {
		slices.SortStableFunc(w, func(x, y weighted) int { return stdcmp.Compare(y.w, x.w) })
	}
	if q.global != nil {
		w = slice(w, q.global)
	}
	return w
}

// axis: all u with a (v, w) in W so that u is a child or descendant of v; of
// several the highest weight.
func (a *appendix) axis(x axis, from []weighted) []weighted {
	var out []weighted
	for u := range a.nodes {
		best, found := 0.0, false
		for _, v := range from {
			for p := a.parent[u]; p >= 0; p = a.parent[p] {
				if p == v.u {
					best, found = max(best, v.w), true
				}
				if x == child {
					break
				}
			}
		}
		if found {
			out = append(out, weighted{u, best})
		}
	}
	return out
}

// test applies the node test and then the position.
func (a *appendix) test(s *step, w []weighted) []weighted {
	var out []weighted
	for _, v := range w {
		if s.name == anyType || a.nodes[v.u].Type == s.name {
			out = append(out, v)
		}
	}
	if s.position != nil {
		out = slice(out, s.position)
	}
	return out
}

func (a *appendix) siblings(w []weighted, k int) []weighted {
	var out []weighted
	for _, v := range w {
		var among []int
		for u, p := range a.parent {
			if p == a.parent[v.u] && p >= 0 {
				among = append(among, u)
			}
		}
		if i := slices.Index(among, v.u) + k; i >= 0 && i < len(among) && slices.Contains(among, v.u) {
			out = append(out, weighted{among[i], v.w})
		}
	}
	slices.SortFunc(out, func(x, y weighted) int { return stdcmp.Compare(x.u, y.u) })
	return out
}

func (a *appendix) rel(u int, c *condition) float64 {
	if c.op == similar || c.op == equal {
		value, ok := a.nodes[u].Field(c.attr)
		switch {
		case c.op == equal && ok && value == c.value:
			return 1
		case c.op == similar && (c.attr == wholeNode || !ok && c.attr == contentWord):
			return Pair{a.nodes[u].ID, c.value}.score()
		case c.op == equal, !ok:
			return 0
		}
		return Pair{value, c.value}.score()
	}
	var of []float64
	for _, c := range c.of {
		of = append(of, a.rel(u, c))
	}
	if c.evidence != nil {
		for _, x := range a.test(c.evidence, a.axis(c.evidence.axis, []weighted{{u, 1}})) {
			of = append(of, a.rel(x.u, c.evidence.cond))
		}
	}
	return naive(c.op, of)
}

func naive(op operator, of []float64) float64 {
	if len(of) == 0 {
		return 0
	}
	sum, prod := 0.0, 1.0
	for _, x := range of {
		sum += x
		prod *= x
	}
	switch op {
	case inverse:
		return 1 - sum
	case mean:
		return sum / float64(len(of))
	case geometric:
		return math.Pow(prod, 1/float64(len(of)))
	case product:
		return prod
	case minimum:
		return slices.Min(of)
	case maximum:
		return slices.Max(of)
	default:
		panic("no such operator")
	}
}

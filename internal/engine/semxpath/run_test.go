package semxpath

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// node makes a node: its type, or type=name.
func node(what string, children ...*tree.Node) *tree.Node {
	typ, name, _ := strings.Cut(what, "=")
	n := &tree.Node{Type: typ, Children: children}
	if name != "" {
		n.Fields = []tree.Field{{Name: "name", Values: []string{name}}}
	}
	return n
}

// byName is the text of nodes in these tests.
func byName(path []*tree.Node) string { return path[len(path)-1].Name() }

// A table scores pairs written "text/condition", and others 0.5.
type table map[string]float64

func (s table) Score(_ context.Context, pairs []Pair) ([]float64, error) {
	scores := make([]float64, len(pairs))
	for i, p := range pairs {
		x, ok := s[p.Text+"/"+p.Condition]
		if !ok {
			x = 0.5
		}
		scores[i] = x
	}
	return scores, nil
}

func trip(t *testing.T) *tree.Node {
	t.Helper()
	root := node("Plan=trip",
		node("Day=one", node("POI=a"), node("POI=b"), node("Hotel=c")),
		node("Day=two", node("POI=d"), node("Hotel=e")),
		node("Day=three"))
	root.Children[0].Children[0].Fields = append(root.Children[0].Children[0].Fields, tree.Field{Name: "tags", Values: []string{"Sea", "sun"}})
	root.Children[0].Children[1].Fields = append(root.Children[0].Children[1].Fields, tree.Field{Name: "note"})
	return newTree(t, root)
}

func TestRun(t *testing.T) {
	scores := table{
		"a/x": 0.9, "b/x": 0.2, "c/x": 0, "d/x": 0.7, "e/x": 1,
		"one/x": 0.4, "two/x": 0.8, "three/x": 0.1, "Sea, sun/x": 0.3,
	}
	const paper, released = Paper, Released
	tests := []struct {
		profile Profile
		query   string
		o       Options
		want    string
	}{
		{paper, `//POI[2]`, Options{}, "b 1"},
		{paper, `/Plan/Day/POI[-1]`, Options{}, "d 1"},
		{released, `/Plan/Day/POI[-1]`, Options{}, "b 1, d 1"},
		{released, `/Day[2:]/*`, Options{}, "d 1, e 1"},
		{paper, `/Plan`, Options{}, "trip 1"},
		{paper, `//Plan[2]`, Options{}, ""},
		{paper, `/*[1]`, Options{}, "one 1"},
		{released, `/*[1]`, Options{}, "trip 1"},
		{paper, `/Nothing/POI[node ~= "x"]`, Options{}, ""},

		{paper, `//POI[node ~= "x"]`, Options{}, "a 0.9, d 0.7, b 0.2"},
		{paper, `//POI[node ~= "x"]`, Options{Threshold: 0.7}, "a 0.9, d 0.7"},
		{paper, `//POI[node ~= "x"]`, Options{K: 1}, "a 0.9"},
		{paper, `//POI`, Options{K: 1, Threshold: 1}, "a 1, b 1, d 1"},
		{paper, `(//POI[node ~= "x"])[2]`, Options{}, "d 0.7"},
		{paper, `(//POI[node ~= "x"])[-1]`, Options{Threshold: 0.5}, "d 0.7"},
		{paper, `(//POI)[-1]`, Options{}, "d 1"},
		{paper, `//POI[2:][node ~= "x"]`, Options{}, "d 0.7, b 0.2"},
		{paper, `/Day[node ~= "x"]/POI[node ~= "x"]`, Options{}, "d 0.56, a 0.36, b 0.08"},
		{released, `/Day[node ~= "x"]/POI`, Options{}, "d 0.8, a 0.4, b 0.4"},

		{paper, `//Hotel[node ~= "x"]`, Options{}, "e 1, c 0"},
		{released, `//Hotel[node ~= "x"]`, Options{}, "e 0.999999999, c 1e-09"},
		{paper, `//Hotel[(node ~= "x") * (node ~= "y")]`, Options{}, "e 0.5, c 0"},
		{paper, `//Hotel[1-(avg(node ~= "x", node ~= "y"))]`, Options{}, "c 0.75, e 0.25"},
		{paper, `//Hotel[gmean(node ~= "x", node ~= "z")]`, Options{}, "e 0.707106781, c 0"},
		{paper, `//Hotel[max(min(node ~= "x", node ~= "y"), node ~= "x")]`, Options{}, "e 1, c 0"},

		{paper, `/Day[avg(/POI[node ~= "x"])]`, Options{}, "two 0.7, one 0.55, three 0"},
		{paper, `/Day[min(/*[node ~= "x"])]`, Options{}, "two 0.7, one 0, three 0"},
		{paper, `/Day[1-(max(/POI[node ~= "x"]))]`, Options{}, "three 1, two 0.3, one 0.1"},
		{released, `/Day[1-(max(/POI[node ~= "x"]))]`, Options{}, "three 0.999999999, two 0.3, one 0.1"},
		{paper, `/Plan[max(/Day[avg(/POI[-1][node ~= "x"])])]`, Options{}, "trip 0.7"},
		{paper, `/Plan[gmean(//POI[node ~= "x"])]`, Options{}, "trip 0.501329793"},

		{paper, `//POI[tags ~= "x"]`, Options{}, "a 0.3, b 0, d 0"},
		{released, `//POI[tags ~= "x"]`, Options{}, "d 0.7, b 0.2, a 1e-09"},
		{released, `//POI[tags ~= "SEA"]`, Options{}, "a 0.999999999, b 0.5, d 0.5"},
		{released, `//POI[TAGS ~= "sea, Sun"]`, Options{K: 1}, "a 0.999999999"},
		{paper, `//POI[note ~= "x"]`, Options{Threshold: 1e-9}, ""},
		{paper, `//POI[content ~= "x"]`, Options{K: 1}, "a 0.9"},
		{paper, `//POI[@name = "a"]`, Options{}, "a 1, b 0, d 0"},
		{released, `//POI[@name = "A"]`, Options{K: 1}, "a 1e-09"},
		{paper, `//POI[@node = "a"]`, Options{K: 1}, "a 0"},

		{paper, `//POI[node ~= "x"][@+1]`, Options{}, "b 0.9, e 0.7, c 0.2"},
		{released, `/Day[node ~= "x"][@-1]/POI`, Options{}, "a 0.8, b 0.8, d 0.1"},
		{paper, `/Plan[node ~= "x"][@+1]`, Options{}, ""},
	}
	root := trip(t)
	for _, test := range tests {
		q := try.Get(Parse(test.query))(t)
		test.o.Profile, test.o.Scorer, test.o.Text = test.profile, scores, byName
		r, err := q.Run(t.Context(), root, test.o)
		if err != nil {
			t.Errorf("%s: %v", test.query, err)
			continue
		}
		var got []string
		for _, m := range r.Matches {
			got = append(got, fmt.Sprintf("%s %.9g", m.Node.Name(), m.Weight))
		}
		if s := strings.Join(got, ", "); s != test.want {
			t.Errorf("%s %s: got %s, want %s", test.profile, test.query, s, test.want)
		}
	}
}

// TestWeightFromAbove has nodes of a type below each other. The paper's profile
// hands down the best weight, the released one that of the nearest weighed node,
// and never multiplies within a step.
func TestWeightFromAbove(t *testing.T) {
	root := newTree(t, node("R", node("A=1", node("A=2", node("B=3"), node("C", node("B=4"))))))
	scores := table{"1/x": 0.9, "2/x": 0.5, "3/x": 0.2, "4/x": 0.4}
	for _, test := range []struct {
		profile     Profile
		query, want string
	}{
		{Paper, `//A[node ~= "x"]`, "0.9 0.5"},
		{Released, `//A[node ~= "x"]`, "0.9 0.5"},
		{Paper, `//A[node ~= "x"]//B`, "0.9 0.9"},
		{Released, `//A[node ~= "x"]//B`, "0.5 0.5"},
		{Paper, `//A[node ~= "x"]/B`, "0.5"},
		{Paper, `//A[node ~= "x"]//A[node ~= "x"]`, "0.45"},
		{Released, `//A[node ~= "x"]//A[node ~= "x"]`, "0.25"},
		{Released, `//A[node ~= "x"]/C/B`, "0.5"},
	} {
		q := try.Get(Parse(test.query))(t)
		r := try.Get(q.Run(t.Context(), root, Options{Profile: test.profile, Scorer: scores, Text: byName}))(t)
		var got []string
		for _, m := range r.Matches {
			got = append(got, fmt.Sprintf("%.3g", m.Weight))
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s %s: got %s, want %s", test.profile, test.query, s, test.want)
		}
	}
}

// A counter remembers what it is asked.
type counter struct {
	calls int
	pairs []Pair
}

func (c *counter) Score(_ context.Context, pairs []Pair) ([]float64, error) {
	c.calls++
	c.pairs = append(c.pairs, pairs...)
	return make([]float64, len(pairs)), nil
}

// TestBatch wants one call for the whole query, and each pair in it once.
func TestBatch(t *testing.T) {
	q, err := Parse(`/Day[max(avg(/*[node ~= "x"]), avg(//POI[1-(node ~= "y")]))]/POI[avg(node ~= "x", name ~= "y")]`)
	try.Do(t, err)
	var c counter
	if _, err := q.Run(t.Context(), trip(t), Options{Scorer: &c, Text: byName}); err != nil {
		t.Fatal(err)
	}
	seen := map[Pair]bool{}
	for _, p := range c.pairs {
		seen[p] = true
	}
	if want := 5 + 3; c.calls != 1 || len(c.pairs) != want || len(seen) != want {
		t.Errorf("got %d calls with %d pairs, %d of them different; want 1 call with %d", c.calls, len(c.pairs), len(seen), want)
	}
}

// A constant scorer gives a value for each pair, and one more.
type constant struct {
	value float64
	more  int
	err   error
}

func (c constant) Score(_ context.Context, pairs []Pair) ([]float64, error) {
	scores := make([]float64, len(pairs)+c.more)
	for i := range scores {
		scores[i] = c.value
	}
	return scores, c.err
}

func TestRunErrors(t *testing.T) {
	down := errors.New("the model is down")
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	chain := node("A")
	for range 900 {
		chain = node("A", chain)
	}
	deep := newTree(t, chain)
	bushy := node("A", node("Z"))
	for range 900 {
		bushy = node("A", append(slices.Repeat([]*tree.Node{node("B")}, 150), bushy)...)
	}
	wide := node("A")
	for range 2 * checkEvery {
		wide.Children = append(wide.Children, node("B"), node("C"))
	}
	tests := []struct {
		what, query string
		cancelled   bool
		root        *tree.Node
		o           Options
		want        string
		is          error
	}{
		{"no root", `/A`, false, nil, Options{}, "not part of a tree", nil},
		{"a node of no tree", `/A`, false, &tree.Node{Type: "A"}, Options{}, "not part of a tree", nil},
		{"no scorer", `/A[node ~= "x"]`, false, deep, Options{}, "needs a scorer", nil},
		{"options", `/A`, false, deep, Options{Profile: "papre", Threshold: math.NaN(), K: -1}, "unknown profile \"papre\"; did you mean \"paper\"? have paper, released\nthreshold is NaN, want it from 0 to 1\nk is -1", nil},
		{"NaN", `/A[node ~= "x"]`, false, deep, Options{Scorer: constant{value: math.NaN()}}, `gave NaN for the condition "x" and the text "A: A"`, nil},
		{"above 1", `/A[node ~= "x"]`, false, deep, Options{Scorer: constant{value: 1.5}}, `gave 1.5 for`, nil},
		{"below 0", `/A[node ~= "x"]`, false, deep, Options{Scorer: constant{value: -0.1}}, `gave -0.1 for`, nil},
		{"too many scores", `/A[node ~= "x"]`, false, deep, Options{Scorer: constant{more: 1}}, `gave 2 scores for 1 pairs`, nil},
		{"a scorer's error", `/A[node ~= "x"]`, false, deep, Options{Scorer: constant{err: down}}, "scoring 1 pairs", down},
		{"visits", `//A[avg(//Z[node ~= "x"])]`, false, newTree(t, bushy), Options{Scorer: table{}}, "more than 50000000 nodes", ErrLimit},
		{"pairs", `//*[max(node ~= "a", node ~= "b", node ~= "c", node ~= "d")]`, false, newTree(t, wide), Options{Scorer: table{}, Text: hashedText}, "more than 100000 pairs", ErrLimit},
		{"a context cancelled before", `/A`, true, deep, Options{}, "", context.Canceled},
		{"a cancelled context", `//B`, true, newTree(t, wide), Options{}, "", context.Canceled},
	}
	for _, test := range tests {
		q, err := Parse(test.query)
		try.Do(t, err)
		ctx := t.Context()
		if test.cancelled {
			ctx = canceled
		}
		_, err = q.Run(ctx, test.root, test.o)
		if err == nil || !strings.Contains(err.Error(), test.want) || test.is != nil && !errors.Is(err, test.is) {
			t.Errorf("%s: got error %v, want one with %q", test.what, err, test.want)
		}
	}
}

func TestExplain(t *testing.T) {
	q := try.Get(Parse(`/Plan/Day[:2][max(avg(/POI[1-(node ~= "x")]), (@name = "two") * (tags ~= "sea"))][@+1]`))(t)
	r := try.Get(q.Run(t.Context(), trip(t), Options{Scorer: table{"a/x": 0.9, "b/x": 0.2, "d/x": 0.4}, Text: byName, Explain: 200, K: 1}))(t)
	got := try.Get(json.MarshalIndent(r.Steps, "", "  "))(t)
	golden.Check(t, "explain.json", string(got)+"\n")
}

// TestExplainIsBounded explains a query over many nodes.
func TestExplainIsBounded(t *testing.T) {
	root := node("R")
	for range 1000 {
		d := node("D")
		for range 60 {
			d.Children = append(d.Children, node("P"))
		}
		root.Children = append(root.Children, d)
	}
	q := try.Get(Parse(`/D[avg(/P[max(node ~= "x", node ~= "y")])]`))(t)
	r := try.Get(q.Run(t.Context(), newTree(t, root), Options{Scorer: table{}, Explain: 50}))(t)
	s := r.Steps[0]
	if s.Selected != 1000 || len(s.Candidates) != 50 || s.Omitted != 950 {
		t.Errorf("got %d candidates and %d omitted", len(s.Candidates), s.Omitted)
	}
	if d := s.Candidates[0].Detail; *d.Nodes != 60 || len(d.Evidence) != 50 || d.Omitted != 10 || d.Score != 0.5 {
		t.Errorf("got %d of %d nodes of evidence, %d omitted, score %v", len(d.Evidence), *d.Nodes, d.Omitted, d.Score)
	}
	if last := s.Candidates[len(s.Candidates)-1]; last.Score != 0.5 || last.Weight != 0.5 {
		t.Errorf("the last candidate has no score: %+v", last)
	}
}

func TestTexts(t *testing.T) {
	day := node("Day",
		node("POI=Museum"), node("Hotel=Hotel Sea"), node("Note"))
	day.Fields = []tree.Field{{Name: "index", Values: []string{"2"}}}
	poi := day.Children[0]
	poi.Fields = append(poi.Fields,
		tree.Field{Name: "description", Values: []string{"Old ships."}},
		tree.Field{Name: "tags", Values: []string{"sea", "rain"}},
		tree.Field{Name: "cost"})
	day.Children[2].Text = "Bring a coat"
	root := newTree(t, node("Plan", day))
	tests := []struct {
		form     string
		text     TextOf
		day, poi string
	}{
		{
			"fields", FieldText,
			"Day 2: POI Museum, Hotel Sea, Note",
			"POI Museum; description: Old ships.; tags: sea, rain",
		},
		{
			"experiment", experimentText,
			"Day: Day 2 - POI: Museum - Old ships.; Hotel: Hotel Sea; Note: Note",
			"POI: Museum - name: Museum | description: Old ships. | tags: sea, rain",
		},
	}
	for _, test := range tests {
		if got := test.text(tree.PathAt(root, 1)); got != test.day {
			t.Errorf("%s: got %q, want %q", test.form, got, test.day)
		}
		if got := test.text(tree.PathAt(root, 2)); got != test.poi {
			t.Errorf("%s: got %q, want %q", test.form, got, test.poi)
		}
	}
	many := node("A")
	for range briefNodes + 1 {
		many.Children = append(many.Children, node("B"))
	}
	if got := FieldText([]*tree.Node{many}); !strings.HasSuffix(got, "B, B, ...") || strings.Count(got, "B") != briefNodes {
		t.Errorf("the text of many children is %q", got)
	}
}

// experimentText returns the form that writes a node as the premises of the
// authors' recorded experiments: type, name and fields, or for a node that has
// no fields but the one that numbers it, its children with their descriptions.
//
//	POI: CN Tower - name: CN Tower | time_block: 9:00 AM | highlights: View, Lift
//	Day: Day 2 - POI: CN Tower - A tower.; Restaurant: Alo - Small plates.
func experimentText(path []*tree.Node) string {
	n := path[len(path)-1]
	fields := n.Fields
	var parts []string
	between := " | "
	if len(fields) == 1 && n.Name() == n.Type+" "+fields[0].Value() {
		fields, between = nil, "; "
		for _, c := range n.Children {
			part := c.Type + ": " + c.Name()
			if d, ok := c.Field("description"); ok && d != "" {
				part += " - " + d
			}
			parts = append(parts, part)
		}
	}
	for _, f := range fields {
		if v := f.Value(); v != "" {
			parts = append(parts, f.Name+": "+v)
		}
	}
	text := n.Type + ": " + n.Name()
	if len(parts) > 0 {
		text += " - " + strings.Join(parts, between)
	}
	return text
}

// BenchmarkDescendants searches a tree of a million nodes, every tenth a Task.
func BenchmarkDescendants(b *testing.B) {
	var xml strings.Builder
	xml.WriteString("<Root>")
	for range 1000 {
		xml.WriteString("<Day>")
		for range 99 {
			xml.WriteString("<Task><Note/><Note/><Note/><Note/><Note/><Note/><Note/><Note/><Note/></Task>")
		}
		xml.WriteString("</Day>")
	}
	xml.WriteString("</Root>")
	t := try.Get(tree.ParseXML("tasks.xml", strings.NewReader(xml.String()), tree.XMLOptions{}))(b)
	q := try.Get(Parse("//Task"))(b)
	b.ResetTimer()
	for b.Loop() {
		r := try.Get(q.Run(b.Context(), t.Root(), Options{}))(b)
		if len(r.Matches) != 99000 {
			b.Fatal(len(r.Matches))
		}
	}
}

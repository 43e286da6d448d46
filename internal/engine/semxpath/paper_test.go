package semxpath

import (
	"cmp"
	"context"
	"hash/fnv"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/try"
)

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
		slices.SortStableFunc(w, func(x, y weighted) int { return cmp.Compare(y.w, x.w) })
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
	slices.SortFunc(out, func(x, y weighted) int { return cmp.Compare(x.u, y.u) })
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

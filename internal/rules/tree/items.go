package tree

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/treetask"
)

// An item is a node that was found, with the words by which it is known.
type item struct {
	node  *tree.Node
	label string
	path  []*tree.Node
	place int // among all, in the order of the tree
	name  map[string]bool
	text  map[string]bool // stems of all fields
	above map[string]bool // stems of the names above
	shown bool            // found, or below what was
}

// labelOf returns what people call a node: its name, or where the type has none
// the field that tells its nodes apart.
func labelOf(n *tree.Node, schema *tree.Schema) string {
	if n.Name() != n.Type {
		return n.Name()
	}
	if t, ok := schema.Type(n.Type); ok {
		if v, ok := n.Field(t.Key); ok && v != "" {
			return v
		}
	}
	for _, f := range n.Fields {
		if len(f.Values) == 1 && f.Values[0] != "" {
			return f.Values[0]
		}
	}
	return n.Type
}

// itemsOf returns the nodes that were found, what is below them and what they
// stand in, each once.
func itemsOf(found []treetask.Found, schema *tree.Schema) []*item {
	var all []*item
	seen := make(map[*tree.Node]bool)
	add := func(path []*tree.Node) {
		n := path[len(path)-1]
		if seen[n] {
			return
		}
		seen[n] = true
		label := labelOf(n, schema)
		it := &item{node: n, label: label, path: path, name: stemsOf(label), text: map[string]bool{}, above: map[string]bool{}}
		for _, f := range n.Fields {
			for s := range stemsOf(f.Value()) {
				it.text[s] = true
			}
		}
		for s := range stemsOf(n.Text) {
			it.text[s] = true
		}
		for _, up := range path[:len(path)-1] {
			for _, f := range up.Fields {
				if len(f.Value()) < 60 {
					for s := range stemsOf(f.Value()) {
						it.above[s] = true
					}
				}
			}
		}
		all = append(all, it)
	}
	var walk func(path []*tree.Node)
	walk = func(path []*tree.Node) {
		add(path)
		for _, c := range path[len(path)-1].Children {
			walk(append(slices.Clip(path), c))
		}
	}
	for _, f := range found {
		walk(f.Path)
	}
	for _, it := range all {
		it.shown = true
	}
	for _, f := range found {
		for i := 1; i < len(f.Path); i++ {
			add(f.Path[:i:i])
		}
	}
	inOrder(all)
	return all
}

// inOrder puts items into the order of the tree.
func inOrder(all []*item) {
	if len(all) == 0 {
		return
	}
	at := make(map[*tree.Node]int)
	root := all[0].path[0]
	i := 0
	for _, n := range tree.Walk(root) {
		at[n] = i
		i++
	}
	for _, it := range all {
		it.place = at[it.node]
	}
	slices.SortStableFunc(all, func(a, b *item) int { return cmp.Compare(a.place, b.place) })
}

// stemsOf returns the stems of the words of a text that say something.
func stemsOf(s string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range scan(s) {
		if !w.mark && (content(w) || len(w.low) > 3) {
			m[w.stem] = true
		}
	}
	return m
}

// parent returns what an item stands in; nil for the root.
func (it *item) parent() *tree.Node {
	if len(it.path) < 2 {
		return nil
	}
	return it.path[len(it.path)-2]
}

// quantity reads the value of a field as a number: days, minutes, money.
func quantity(f *field, n *tree.Node, today time.Time, want fieldKind) (float64, bool) {
	value, ok := n.Field(f.name)
	if !ok || value == "" {
		return 0, false
	}
	switch want {
	case kindDate:
		d, ok := dateOf(value, today)
		return float64(d.Unix() / 86400), ok
	case kindTime:
		if c := clocks(value); len(c) > 0 {
			return float64(c[0].minutes), true
		}
		return 0, false
	case kindDuration:
		if f.kind == kindTime {
			if c := clocks(value); len(c) > 1 {
				return math.Mod(float64(c[1].minutes-c[0].minutes+24*60), 24*60), true
			}
			return 0, false
		}
		m, _, ok := length(value)
		if !ok {
			return firstNumber(value)
		}
		return m, true
	case kindMoney:
		if v, ok := money(value); ok {
			return v, true
		}
	case kindPriority:
		for i, s := range []string{"low", "medium", "high"} {
			for _, p := range phrases("state." + s) {
				if strings.EqualFold(p, value) {
					return float64(i), true
				}
			}
		}
		return 0, false
	default:
	}
	return firstNumber(value)
}

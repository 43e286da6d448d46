package tree

import (
	"cmp"
	"slices"
	"strings"
)

// Bounds of the values that an inferred schema names.
const (
	maxValues    = 8  // distinct ones of a field
	maxValueSize = 40 // bytes of each
	minRepeats   = 2  // how often each occurs on average
)

// keyFields are the fields that may be a key, the likeliest first.
var keyFields = slices.Concat(numberFields, nameFields)

// infer reads a schema off a tree: types and fields in the order of their first
// appearance, below each type those that occur there. Values are those of fields with
// at most 8 distinct short ones that occur twice or more on average. The key is the
// field index, number, name, title or label, the first that all nodes of the type
// have. Style says how XML has a field.
func infer(style func(*Type, *FieldType), root *Node) *Schema {
	in := inference{types: map[string]*seenType{}}
	for _, n := range Walk(root) {
		in.see(n)
	}
	s := &Schema{Root: root.Type, Types: make([]Type, len(in.order))}
	for i, t := range in.order {
		s.Types[i] = t.describe(style)
	}
	return s
}

type inference struct {
	types map[string]*seenType
	order []*seenType
}

// A seenType is what is known of a type so far.
type seenType struct {
	name     string
	nodes    int
	fields   map[string]*seenField
	order    []*seenField
	children []string
	below    map[string]bool
}

type seenField struct {
	name   string
	nodes  int // how many have it
	values int
	list   bool
	counts map[string]int // nil when they are too many or too long
	first  []string       // values in order
}

func (in *inference) of(name string) *seenType {
	t := in.types[name]
	if t == nil {
		t = &seenType{name: name, fields: map[string]*seenField{}, below: map[string]bool{}}
		in.types[name] = t
		in.order = append(in.order, t)
	}
	return t
}

func (in *inference) see(n *Node) {
	t := in.of(n.Type)
	t.nodes++
	for i, f := range n.Fields {
		// Mostly the fields of a type come in one order.
		var sf *seenField
		if i < len(t.order) && t.order[i].name == f.Name {
			sf = t.order[i]
		} else if sf = t.fields[f.Name]; sf == nil {
			sf = &seenField{name: f.Name, counts: map[string]int{}}
			t.fields[f.Name] = sf
			t.order = append(t.order, sf)
		}
		sf.see(f.Values)
	}
	for i, c := range n.Children {
		if i > 0 && c.Type == n.Children[i-1].Type || t.below[c.Type] {
			continue
		}
		t.below[c.Type] = true
		t.children = append(t.children, c.Type)
	}
}

func (f *seenField) see(values []string) {
	f.nodes++
	f.values += len(values)
	f.list = f.list || len(values) != 1
	for _, v := range values {
		if f.counts == nil {
			return
		}
		if v == "" || f.counts[v] > 0 {
			f.counts[v]++
			continue
		}
		if len(v) > maxValueSize || len(f.first) == maxValues {
			f.counts = nil
			return
		}
		f.counts[v] = 1
		f.first = append(f.first, v)
	}
}

func (t *seenType) describe(style func(*Type, *FieldType)) Type {
	out := Type{Name: t.name, Children: t.children, Key: t.key()}
	for _, f := range t.order {
		ft := FieldType{Name: f.name, List: f.list}
		if f.counts != nil && f.values >= minRepeats*len(f.first) {
			ft.Values = f.first
		}
		style(&out, &ft)
		out.Fields = append(out.Fields, ft)
	}
	return out
}

// key is the first of keyFields that all nodes have, or else that most have.
func (t *seenType) key() string {
	best := slices.MaxFunc(append([]*seenField{{}}, t.keys()...), func(a, b *seenField) int {
		return cmp.Compare(a.nodes, b.nodes)
	})
	return best.name
}

func (t *seenType) keys() []*seenField {
	var keys []*seenField
	for _, name := range keyFields {
		for _, f := range t.order {
			if strings.EqualFold(f.name, name) && !f.list {
				keys = append(keys, f)
			}
		}
	}
	return keys
}

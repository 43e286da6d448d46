package tree

import (
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
)

// A Schema says which types of nodes a tree has, what fields they carry and
// what may be below them. Names of types and fields are looked up ignoring case
// if none has the same spelling. Do not change a schema that a tree has.
type Schema struct {
	Root  string // type of the root
	Types []Type // the root's first, each before those below it
}

// A Type describes nodes of a type.
type Type struct {
	Name string
	// Key is the field that distinguishes its nodes for people, such as "index"
	// or "name"; empty for none.
	Key      string
	Fields   []FieldType
	Children []string // types that may be below
}

// A FieldType describes a field.
type FieldType struct {
	Name string
	// Attribute is set if XML has the field as an attribute, and Item is the
	// element of each value if it has a list. Otherwise it is an element with
	// text.
	Attribute bool
	Item      string
	// List is set if the field may have several values, or none: with Item, and
	// without it if the element is repeated for each value.
	List bool
	// Values are those seen, if they are few.
	Values []string
}

// lookup returns the element of a name, or else the first whose name differs in case
// only; nil for none.
func lookup[T any](list []T, name string, nameOf func(*T) string) *T {
	var alike *T
	for i := range list {
		switch have := nameOf(&list[i]); {
		case have == name:
			return &list[i]
		case alike == nil && strings.EqualFold(have, name):
			alike = &list[i]
		}
	}
	return alike
}

// Type returns the type with the given name; nil for none.
func (s *Schema) Type(name string) *Type {
	return lookup(s.Types, name, func(t *Type) string { return t.Name })
}

// Names returns the names of the types.
func (s *Schema) Names() []string {
	return lists.Map(s.Types, func(t Type) string { return t.Name })
}

// Field returns the field with the given name; nil for none.
func (t *Type) Field(name string) *FieldType {
	return lookup(t.Fields, name, func(f *FieldType) string { return f.Name })
}

// FieldNames returns the names of the type's fields.
func (t *Type) FieldNames() []string {
	return lists.Map(t.Fields, func(f FieldType) string { return f.Name })
}

// child returns the name of a type that may stand below t, as t has it, or "".
func (t *Type) child(name string) string {
	if c := lookup(t.Children, name, func(c *string) string { return *c }); c != nil {
		return *c
	}
	return ""
}

// Text writes the schema for a prompt: one line per type, indented by depth,
// with key, fields and known values.
//
//	Itinerary: title
//	  Day: index (key), date
//	    POI: name (key), cost, highlights (list), status (open | done)
//
// A type that may stand in several places is described in the first.
func (s *Schema) Text() string {
	var b strings.Builder
	s.write(&b, s.Root, 0, map[string]bool{})
	return b.String()
}

func (s *Schema) write(b *strings.Builder, name string, depth int, done map[string]bool) {
	t := s.Type(name)
	if t == nil {
		return
	}
	b.WriteString(strings.Repeat("  ", depth) + t.Name)
	if done[t.Name] {
		if len(t.Fields)+len(t.Children) > 0 {
			b.WriteString(" (as above)")
		}
		b.WriteByte('\n')
		return
	}
	done[t.Name] = true
	fields := make([]string, len(t.Fields))
	for i, f := range t.Fields {
		var notes []string
		if f.Name == t.Key {
			notes = append(notes, "key")
		}
		if f.List {
			notes = append(notes, "list")
		}
		if len(f.Values) > 0 {
			notes = append(notes, strings.Join(f.Values, " | "))
		}
		if fields[i] = f.Name; len(notes) > 0 {
			fields[i] += " (" + strings.Join(notes, "; ") + ")"
		}
	}
	if len(fields) > 0 {
		b.WriteString(": " + strings.Join(fields, ", "))
	}
	b.WriteByte('\n')
	for _, c := range t.Children {
		s.write(b, c, depth+1, done)
	}
}

// Bounds of the values that an inferred schema names.
const (
	maxValues    = 8  // distinct ones of a field
	maxValueSize = 40 // bytes of each
	minRepeats   = 2  // how often each occurs on average
)

// A seenType is what is known of a type so far.
type seenType struct {
	Type
	fields []*seenField
}

type seenField struct {
	FieldType
	nodes, values int  // how many nodes have it, with how many values
	many          bool // of too many different values, or too long ones
}

// infer reads a schema off a tree: types and fields in the order of their first
// appearance, below each type those that occur there. Values are those of fields with
// at most 8 distinct short ones that occur twice or more on average. The key is the
// field index, number, name, title or label, the first that all nodes of the type
// have. Style says how XML has a field of a type.
func infer(root *Node, style func(typ string, f *FieldType)) *Schema {
	types := map[string]*seenType{}
	var order []*seenType
	for _, n := range Walk(root) {
		t := types[n.Type]
		if t == nil {
			t = &seenType{Type: Type{Name: n.Type}}
			types[n.Type] = t
			order = append(order, t)
		}
		t.see(n)
	}
	s := &Schema{Root: root.Type}
	for _, t := range order {
		t.Key = t.key()
		for _, f := range t.fields {
			if f.many || f.values < minRepeats*len(f.Values) {
				f.Values = nil
			}
			style(t.Name, &f.FieldType)
			t.Fields = append(t.Fields, f.FieldType)
		}
		s.Types = append(s.Types, t.Type)
	}
	return s
}

func (t *seenType) see(n *Node) {
	for _, f := range n.Fields {
		i := slices.IndexFunc(t.fields, func(s *seenField) bool { return s.Name == f.Name })
		if i < 0 {
			i = len(t.fields)
			t.fields = append(t.fields, &seenField{FieldType: FieldType{Name: f.Name}})
		}
		t.fields[i].see(f.Values)
	}
	for i, c := range n.Children {
		if (i == 0 || c.Type != n.Children[i-1].Type) && !slices.Contains(t.Children, c.Type) {
			t.Children = append(t.Children, c.Type)
		}
	}
}

func (f *seenField) see(values []string) {
	f.nodes++
	f.values += len(values)
	f.List = f.List || len(values) != 1
	for _, v := range values {
		if f.many || v == "" || slices.Contains(f.Values, v) {
			continue
		}
		f.many = len(v) > maxValueSize || len(f.Values) == maxValues
		f.Values = append(f.Values, v)
	}
}

// key is the first of the fields for keys that all nodes have, or else that most have.
func (t *seenType) key() string {
	key, most := "", 0
	for _, name := range slices.Concat(numberFields, nameFields) {
		for _, f := range t.fields {
			if strings.EqualFold(f.Name, name) && !f.List && f.nodes > most {
				key, most = f.Name, f.nodes
			}
		}
	}
	return key
}

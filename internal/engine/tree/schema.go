package tree

import (
	"slices"
	"strings"
)

// A Schema says which types of nodes a tree has, what fields they carry and
// what may stand below them. Names of types and fields are looked up without
// regard to case where none is spelled the same. Do not change a schema that a
// tree has.
type Schema struct {
	Root  string // type of the root
	Types []Type // the root's first, each before those below it
}

// A Type describes nodes of a type.
type Type struct {
	Name string
	// Key is the field that tells its nodes apart for people, such as "index"
	// or "name"; empty for none.
	Key      string
	Fields   []FieldType
	Children []string // types that may stand below
}

// A FieldType describes a field.
type FieldType struct {
	Name string
	// Attribute is set when XML has the field as an attribute, and Item is the
	// element of each value where it has a list. Else it is an element with
	// text.
	Attribute bool
	Item      string
	// List is set when the field may have several values, or none: with Item,
	// and without it where the element stands once for each value.
	List bool
	// Values are those seen, where they are few.
	Values []string
}

// Type returns the type of a name.
func (s *Schema) Type(name string) (Type, bool) {
	if t := s.find(name); t != nil {
		return *t, true
	}
	return Type{}, false
}

func (s *Schema) find(name string) *Type {
	for i := range s.Types {
		if s.Types[i].Name == name {
			return &s.Types[i]
		}
	}
	for i := range s.Types {
		if strings.EqualFold(s.Types[i].Name, name) {
			return &s.Types[i]
		}
	}
	return nil
}

// Names returns the names of the types.
func (s *Schema) Names() []string {
	names := make([]string, len(s.Types))
	for i, t := range s.Types {
		names[i] = t.Name
	}
	return names
}

// Field returns the field of a name.
func (t *Type) Field(name string) (FieldType, bool) {
	if f := t.find(name); f != nil {
		return *f, true
	}
	return FieldType{}, false
}

func (t *Type) find(name string) *FieldType {
	for i := range t.Fields {
		if t.Fields[i].Name == name {
			return &t.Fields[i]
		}
	}
	for i := range t.Fields {
		if strings.EqualFold(t.Fields[i].Name, name) {
			return &t.Fields[i]
		}
	}
	return nil
}

// FieldNames returns the names of the type's fields.
func (t *Type) FieldNames() []string {
	names := make([]string, len(t.Fields))
	for i, f := range t.Fields {
		names[i] = f.Name
	}
	return names
}

// child returns the name of a type that may stand below t.
func (t *Type) child(name string) (string, bool) {
	if slices.Contains(t.Children, name) {
		return name, true
	}
	for _, c := range t.Children {
		if strings.EqualFold(c, name) {
			return c, true
		}
	}
	return "", false
}

// Text writes the schema for a prompt: a line a type, indented by depth, with
// key, fields and known values.
//
//	Itinerary: title
//	  Day: index (key), date
//	    POI: name (key), cost, highlights (list), status (open | done)
//
// A type that may stand in several places is described in the first.
func (s *Schema) Text() string {
	var b strings.Builder
	w := schemaWriter{schema: s, b: &b, done: map[string]bool{}}
	w.write(s.Root, 0)
	return b.String()
}

type schemaWriter struct {
	schema *Schema
	b      *strings.Builder
	done   map[string]bool
}

func (w *schemaWriter) write(name string, depth int) {
	t := w.schema.find(name)
	if t == nil {
		return
	}
	w.b.WriteString(strings.Repeat("  ", depth))
	w.b.WriteString(t.Name)
	if w.done[t.Name] {
		if len(t.Fields)+len(t.Children) > 0 {
			w.b.WriteString(" (as above)")
		}
		w.b.WriteByte('\n')
		return
	}
	w.done[t.Name] = true
	for i, f := range t.Fields {
		if i == 0 {
			w.b.WriteString(": ")
		} else {
			w.b.WriteString(", ")
		}
		w.b.WriteString(f.Name)
		if notes := f.notes(t.Key); len(notes) > 0 {
			w.b.WriteString(" (" + strings.Join(notes, "; ") + ")")
		}
	}
	w.b.WriteByte('\n')
	for _, c := range t.Children {
		w.write(c, depth+1)
	}
}

// notes says what is special about a field.
func (f *FieldType) notes(key string) []string {
	var notes []string
	if f.Name == key {
		notes = append(notes, "key")
	}
	if f.List {
		notes = append(notes, "list")
	}
	if len(f.Values) > 0 {
		notes = append(notes, strings.Join(f.Values, " | "))
	}
	return notes
}

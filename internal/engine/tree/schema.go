package tree

import (
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/files/strictyaml"
	"recallbench/internal/text/suggest"
)

// A Schema says which types of nodes a tree has, what fields they carry and
// what may stand below them. Names of types and fields are looked up without
// regard to case where none is spelled the same. Do not change a schema that a
// tree has.
type Schema struct {
	Root  string `yaml:"root"`  // type of the root
	Types []Type `yaml:"types"` // the root's first, each before those below it
	// Inferred is set when the schema was read off a tree.
	Inferred bool `yaml:"-"`
}

// A Type describes nodes of a type.
type Type struct {
	Name string `yaml:"name"`
	// Key is the field that tells its nodes apart for people, such as "index"
	// or "name"; empty for none.
	Key      string      `yaml:"key,omitempty"`
	Fields   []FieldType `yaml:"fields,omitempty"`
	Children []string    `yaml:"children,omitempty"` // types that may stand below
}

// A FieldType describes a field.
type FieldType struct {
	Name string `yaml:"name"`
	// Attribute is set when XML has the field as an attribute, and Item is the
	// element of each value where it has a list. Else it is an element with
	// text.
	Attribute bool   `yaml:"attribute,omitempty"`
	Item      string `yaml:"item,omitempty"`
	// List is set when the field may have several values, or none: with Item,
	// and without it where the element stands once for each value.
	List     bool `yaml:"list,omitempty"`
	Required bool `yaml:"required,omitempty"`
	// Values are all that the field may say, where they are few: in a schema
	// that is inferred, those seen.
	Values []string `yaml:"values,omitempty"`
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

// sound reports a schema that was made in code and cannot be used. It is nil
// for none, which has one inferred.
func (s *Schema) sound() error {
	if s == nil {
		return nil
	}
	if err := s.Validate(); err != nil {
		return fmt.Errorf("the schema: %w", err)
	}
	return nil
}

// Validate implements the check of package strictyaml.
func (s *Schema) Validate() error {
	var bad faults
	names := s.Names()
	switch {
	case len(s.Types) == 0:
		bad.addf("types is empty, want at least that of the root")
	case s.Root == "":
		bad.addf("root is missing, want the type of the root")
	case !slices.Contains(names, s.Root):
		bad.addf("root: %s", suggest.Unknown("type", s.Root, names))
	}
	for i, t := range s.Types {
		at := fmt.Sprintf("types[%d]", i)
		if !validName(t.Name) {
			bad.addf("%s.name is %q, want letters, digits, _, - and .", at, t.Name)
		}
		if slices.Index(names, t.Name) < i {
			bad.addf("%s.name: there are two types %q", at, t.Name)
		}
		for j, c := range t.Children {
			if !slices.Contains(names, c) {
				bad.addf("%s.children[%d]: %s", at, j, suggest.Unknown("type", c, names))
			}
		}
		t.validate(at, &bad)
	}
	return bad.err()
}

func (t *Type) validate(at string, bad *faults) {
	fields := t.FieldNames()
	if t.Key != "" && !slices.Contains(fields, t.Key) {
		bad.addf("%s.key: %s", at, suggest.Unknown("field", t.Key, fields))
	}
	for i, f := range t.Fields {
		at := fmt.Sprintf("%s.fields[%d]", at, i)
		switch {
		case !validName(f.Name):
			bad.addf("%s.name is %q, want letters, digits, _, - and .", at, f.Name)
		case slices.Index(fields, f.Name) < i:
			bad.addf("%s.name: there are two fields %q", at, f.Name)
		case !f.Attribute && slices.Contains(t.Children, f.Name):
			bad.addf("%s.name is %q, which is a type of children too; make it an attribute", at, f.Name)
		case f.Attribute && f.Name == "id":
			bad.addf("%s.attribute: the attribute id is the id of the node; make the field an element", at)
		}
		switch {
		case f.Attribute && (f.List || f.Item != ""):
			bad.addf("%s.attribute: an attribute has one value; a list wants elements", at)
		case f.Item != "" && !validName(f.Item):
			bad.addf("%s.item is %q, want letters, digits, _, - and .", at, f.Item)
		}
	}
}

// ParseSchema reads a schema from YAML. The error tells all faults, each with
// its line.
func ParseSchema(name string, data []byte) (*Schema, error) {
	doc, err := strictyaml.Parse(name, data)
	if err != nil {
		return nil, err
	}
	s := &Schema{}
	doc.Root().Decode(s)
	if err := doc.Err(); err != nil {
		return nil, err
	}
	for _, t := range s.Types {
		for i := range t.Fields {
			t.Fields[i].List = t.Fields[i].List || t.Fields[i].Item != ""
		}
	}
	return s, nil
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
	if f.Required {
		notes = append(notes, "required")
	}
	if len(f.Values) > 0 {
		notes = append(notes, strings.Join(f.Values, " | "))
	}
	return notes
}

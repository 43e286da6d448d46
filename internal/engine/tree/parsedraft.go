package tree

import (
	"io"
	"slices"
	"strings"

	"recallbench/internal/text/suggest"
)

// ParseDraft reads a subtree of any type of a schema from XML in either style,
// such as a model wrote. Nodes need no id, and one that comes twice is left to
// [Reconcile], as are fields and places that the schema does not have.
func ParseDraft(name string, r io.Reader, s *Schema) (Draft, error) {
	doc, err := read(name, r)
	if err != nil {
		return Draft{}, err
	}
	b := newBuilder(doc)
	t := s.find(doc.root.tag.name)
	if t == nil {
		b.faultf(doc.root, "%s", suggest.Unknown("type", doc.root.tag.name, s.Names()))
		return Draft{}, b.err()
	}
	d := b.draft(s, doc.root, t)
	return d, b.err()
}

// draft reads an element of a type.
func (b *builder) draft(s *Schema, e *element, t *Type) Draft {
	d := Draft{Type: t.Name, Text: e.text}
	for _, a := range e.attrs {
		if a.Name.Local == "id" {
			d.ID = a.Value
		} else {
			d.Fields = append(d.Fields, Field{a.Name.Local, []string{a.Value}})
		}
	}
	elements := make(map[string]int) // fields that are elements, by name
	for c := e.first; c != nil; c = c.next {
		f, child := t.find(c.tag.name), s.find(c.tag.name)
		switch {
		case child != nil && below(t, f, c.tag.name):
			d.Children = append(d.Children, b.draft(s, c, child))
			continue
		case f == nil:
			b.faultf(c, "%s", suggest.Unknown("element below "+t.Name, c.tag.name, slices.Concat(t.FieldNames(), t.Children)))
			continue
		}
		i, ok := elements[strings.ToLower(c.tag.name)]
		if !ok {
			i = len(d.Fields)
			elements[strings.ToLower(c.tag.name)] = i
			d.Fields = append(d.Fields, Field{Name: c.tag.name})
		}
		d.Fields[i].Values = append(d.Fields[i].Values, b.values(c, f)...)
	}
	return d
}

// below reports whether an element of the name of a type stands for a node, and not
// for the field f of that name.
func below(t *Type, f *FieldType, name string) bool {
	child, ok := t.child(name)
	return f == nil || ok && (f.Attribute || child == name || f.Name != name)
}

// values returns what an element says of a field.
func (b *builder) values(e *element, f *FieldType) (values []string) {
	list := f.Item != ""
	for c := e.first; c != nil; c = c.next {
		if !list || !strings.EqualFold(f.Item, c.tag.name) || c.first != nil || len(c.attrs) > 0 {
			b.faultf(c, "field %s holds <%s>; want text, or the elements of a list", e.tag.name, c.tag.name)
		}
		values = append(values, c.text)
	}
	if len(e.attrs) > 0 || list && e.first != nil && e.text != "" {
		b.faultf(e, "field %s has attributes or text beside a list; want text alone", e.tag.name)
	}
	if e.first == nil && (e.text != "" || !list) {
		values = append(values, e.text)
	}
	return values
}

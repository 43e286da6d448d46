package tree

import (
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/text/suggest"
)

// checkType reports a type that the schema does not have.
func (s *Schema) checkType(name string) (*Type, error) {
	if t := s.find(name); t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("%s", suggest.Unknown("type", name, s.Names()))
}

// checkField reports a field that the type does not have.
func (t *Type) checkField(name string) (*FieldType, error) {
	if f := t.find(name); f != nil {
		return f, nil
	}
	if len(t.Fields) == 0 {
		return nil, fmt.Errorf("unknown field %q; a %s has no fields", name, t.Name)
	}
	return nil, fmt.Errorf("%s", suggest.Unknown("field of "+t.Name, name, t.FieldNames()))
}

// checkValues reports more values than a field can have: an attribute has one.
func (f *FieldType) checkValues(values []string) error {
	if len(values) > 1 && f.Attribute {
		return fmt.Errorf("field %s has %d values, want one", f.Name, len(values))
	}
	return nil
}

// checkChild reports a type that must not stand below a node.
func (s *Schema) checkChild(parent *Node, typ string) error {
	t := s.find(parent.Type)
	if t == nil || s.find(typ) == nil {
		return nil // a fault of its own
	}
	return t.checkChild(typ, parent.describe())
}

// checkChild reports a type that must not stand below nodes of type t; the message
// names one.
func (t *Type) checkChild(typ, parent string) error {
	if _, ok := t.child(typ); ok {
		return nil
	}
	if len(t.Children) == 0 {
		return fmt.Errorf("a %s cannot stand below %s, which has no children", typ, parent)
	}
	return fmt.Errorf("a %s cannot stand below %s; want one of %s", typ, parent, strings.Join(t.Children, ", "))
}

// arrange brings the fields of a node into the shape in which XML gives them
// back: attributes before elements, and a value where a list of none cannot be
// told from no field. The fields are replaced, not changed.
func (s *Schema) arrange(n *Node) {
	t := s.find(n.Type)
	if t == nil || t.arranged(n.Fields) {
		return
	}
	var attributes, elements []Field
	for _, f := range n.Fields {
		ft := t.find(f.Name)
		if len(f.Values) == 0 && ft.Item == "" {
			f.Values = []string{""}
		}
		if ft.Attribute {
			attributes = append(attributes, f)
		} else {
			elements = append(elements, f)
		}
	}
	n.Fields = slices.Concat(attributes, elements)
}

// arranged reports whether fields are in shape.
func (t *Type) arranged(fields []Field) bool {
	element := false
	for _, f := range fields {
		ft := t.find(f.Name)
		switch {
		case len(f.Values) == 0 && ft.Item == "", ft.Attribute && element:
			return false
		case !ft.Attribute:
			element = true
		}
	}
	return true
}

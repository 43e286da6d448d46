package tree

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/text/suggest"
)

// A planter copies a subtree as the schema spells it and finds all that is wrong with it.
type planter struct {
	schema *Schema
	places map[string]place // whose ids are taken
	ids    map[string]bool  // ids that the subtree names
	lax    bool             // ids may be given twice
	nodes  int
	faults faults
}

// plant returns the node that is to stand for another below parent at a depth counted
// from 1. It is of use only when there are no faults.
func (p *planter) plant(d, parent *Node, depth int) *Node {
	p.nodes++
	n := &Node{Type: d.Type, ID: clean(d.ID), Text: clean(d.Text)}
	switch {
	case depth > MaxDepth:
		p.faults.addf("%s is at depth %d, want at most %d", n.describe(), depth, MaxDepth)
		return n
	case p.nodes > MaxNodes:
		return n
	}
	if n.ID != "" {
		p.claim(n)
	}
	t, err := p.schema.checkType(d.Type)
	if err != nil {
		p.faults.add(err)
		return n
	}
	n.Type = t.Name
	if parent != nil {
		p.faults.add(p.schema.checkChild(parent, n.Type))
	}
	n.Fields, err = t.setFields(nil, d.Fields)
	p.faults.add(err)
	for _, c := range d.Children {
		n.Children = append(n.Children, p.plant(c, n, depth+1))
	}
	if len(p.faults) == 0 {
		p.schema.arrange(n)
		n.settle()
	}
	return n
}

// claim takes an id for a new node.
func (p *planter) claim(n *Node) {
	if taken, ok := p.places[n.ID]; ok {
		p.faults.addf("the id %q is taken by a %s; leave it out to get a new one", n.ID, taken.node.Type)
	}
	if p.ids[n.ID] && !p.lax {
		p.faults.addf("the id %q is given twice; ids are unique", n.ID)
	}
	p.ids[n.ID] = true
}

// setFields returns fields with others set, by the names and with the values
// that the type allows. The fields given are not changed.
func (t *Type) setFields(fields, set []Field) ([]Field, error) {
	fields = slices.Clone(fields)
	var bad faults
	seen := map[string]bool{}
	for _, f := range cleanFields(set) {
		ft, err := t.checkField(f.Name)
		if err != nil {
			bad.add(err)
			continue
		}
		f.Name = ft.Name
		if seen[f.Name] {
			bad.addf("the field %s is given twice", f.Name)
		}
		seen[f.Name] = true
		if len(f.Values) > 1 && ft.Attribute {
			bad.addf("field %s has %d values, want one", f.Name, len(f.Values))
		}
		if i := fieldIndex(fields, f.Name); i >= 0 {
			fields[i] = f
		} else {
			fields = append(fields, f)
		}
	}
	return fields, bad.err()
}

// update gives a node the fields and the text of an edit, or leaves it as it was.
func (s *Schema) update(n *Node, e Edit) error {
	if len(e.Set) == 0 && len(e.Unset) == 0 && e.Text == nil {
		return errors.New("there is nothing to set or to unset")
	}
	t, err := s.checkType(n.Type)
	if err != nil {
		return err
	}
	var bad faults
	fields := slices.Clone(n.Fields)
	for _, name := range e.Unset {
		ft, err := t.checkField(name)
		if err != nil {
			bad.addf("unset: %w", err)
			continue
		}
		fields = slices.DeleteFunc(fields, func(f Field) bool { return f.Name == ft.Name })
	}
	fields, err = t.setFields(fields, e.Set)
	bad.add(err)
	if err := bad.err(); err != nil {
		return err
	}
	if n.Fields = fields; e.Text != nil {
		n.Text = clean(*e.Text)
	}
	s.arrange(n)
	return nil
}

// checkType reports a type that the schema does not have.
func (s *Schema) checkType(name string) (*Type, error) {
	if t := s.Type(name); t != nil {
		return t, nil
	}
	return nil, errors.New(suggest.Unknown("type", name, s.Names()))
}

// checkField reports a field that the type does not have.
func (t *Type) checkField(name string) (*FieldType, error) {
	if f := t.Field(name); f != nil {
		return f, nil
	}
	if len(t.Fields) == 0 {
		return nil, fmt.Errorf("unknown field %q; a %s has no fields", name, t.Name)
	}
	return nil, errors.New(suggest.Unknown("field of "+t.Name, name, t.FieldNames()))
}

// checkChild reports a type that must not stand below a node.
func (s *Schema) checkChild(parent *Node, typ string) error {
	t := s.Type(parent.Type)
	if t == nil || s.Type(typ) == nil || t.child(typ) != "" {
		return nil // an unknown type is a fault of its own
	}
	if len(t.Children) == 0 {
		return fmt.Errorf("a %s cannot stand below %s, which has no children", typ, parent.describe())
	}
	return fmt.Errorf("a %s cannot stand below %s; want one of %s", typ, parent.describe(), strings.Join(t.Children, ", "))
}

// arrange brings the fields of a node into the shape in which XML gives them
// back: attributes before elements, and a value where a list of none cannot be
// told from no field. The fields are replaced, not changed.
func (s *Schema) arrange(n *Node) {
	t := s.Type(n.Type)
	if t == nil {
		return
	}
	var attributes, elements []Field
	for _, f := range n.Fields {
		ft := t.Field(f.Name)
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

// maxFaults is how many faults a message tells; of more it says the number.
const maxFaults = 20

// faults gathers all that is wrong with something.
type faults []error

func (f *faults) add(err error) {
	if err != nil {
		*f = append(*f, err)
	}
}

func (f *faults) addf(format string, args ...any) { f.add(fmt.Errorf(format, args...)) }

// err returns the faults joined, a line each, or nil.
func (f *faults) err() error {
	all := *f
	if more := len(all) - maxFaults; more > 0 {
		all = append(all[:maxFaults:maxFaults], fmt.Errorf("and %d more", more))
	}
	return errors.Join(all...)
}

package tree

import (
	"errors"
	"slices"
)

// A planting makes nodes of a draft and finds all that is wrong with it.
type planting struct {
	schema *Schema
	index  index           // ids that are taken
	ids    map[string]bool // ids that the draft names
	lax    bool            // ids may be given twice
	nodes  int
	faults faults
}

// plant returns the node of a draft that is to stand below parent at a depth
// counted from 1. It is of use only when there are no faults.
func (p *planting) plant(d Draft, parent *Node, depth int) *Node {
	p.nodes++
	n := &Node{Type: d.Type, ID: clean(d.ID), Fields: cleanFields(d.Fields), Text: clean(d.Text)}
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
	n.Fields, err = p.schema.setFields(t, nil, n.Fields)
	p.faults.add(err)
	for _, c := range d.Children {
		n.Children = append(n.Children, p.plant(c, n, depth+1))
	}
	if len(p.faults.all) == 0 {
		p.schema.arrange(n)
		n.settle()
	}
	return n
}

// claim takes an id for a new node.
func (p *planting) claim(n *Node) {
	if p.index != nil {
		if e, ok := p.index[n.ID]; ok {
			p.faults.addf("the id %q is taken by a %s; leave it out to get a new one", n.ID, e.node.Type)
		}
	}
	if p.ids[n.ID] && !p.lax {
		p.faults.addf("the id %q is given twice; ids are unique", n.ID)
	}
	p.ids[n.ID] = true
}

// setFields returns fields with others set, by the names and with the values
// that the schema allows. The fields given are not changed.
func (s *Schema) setFields(t *Type, fields, set []Field) ([]Field, error) {
	fields = slices.Clone(fields)
	var bad faults
	seen := map[string]bool{}
	for _, f := range set {
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
		bad.add(ft.checkValues(f.Values))
		f.Values = slices.Clone(f.Values)
		if i := fieldIndex(fields, f.Name); i >= 0 {
			fields[i] = f
		} else {
			fields = append(fields, f)
		}
	}
	return fields, bad.err()
}

// updated returns a node with the fields and the text that an update gives it.
func (s *Schema) updated(n *Node, e Edit) (*Node, error) {
	if len(e.Set) == 0 && len(e.Unset) == 0 && e.Text == nil {
		return nil, errors.New("there is nothing to set or to unset")
	}
	t, err := s.checkType(n.Type)
	if err != nil {
		return nil, err
	}
	var bad faults
	next := &Node{Type: n.Type, ID: n.ID, Fields: n.Fields, Text: n.Text}
	for _, name := range e.Unset {
		ft, err := t.checkField(name)
		if err != nil {
			bad.addf("unset: %w", err)
			continue
		}
		next.Fields = slices.DeleteFunc(slices.Clone(next.Fields), func(f Field) bool { return f.Name == ft.Name })
	}
	next.Fields, err = s.setFields(t, next.Fields, cleanFields(e.Set))
	bad.add(err)
	if e.Text != nil {
		next.Text = clean(*e.Text)
	}
	if err := bad.err(); err != nil {
		return nil, err
	}
	s.arrange(next)
	return next, nil
}

// An Op is what an edit does.
type Op string

// The operations.
const (
	Create Op = "create" // put Node below Parent at At
	Update Op = "update" // set the fields of ID to those in Set, and remove those in Unset
	Delete Op = "delete" // take ID and all below it away
	Move   Op = "move"   // put ID below Parent at At
)

// An Edit is one change of a tree. As JSON it stands in records.
type Edit struct {
	Op Op `json:"op"`
	// ID is the node to update, delete or move. A node that is created keeps
	// the ID of Node; where that is empty it gets a new one.
	ID     string `json:"id,omitempty"`
	Parent string `json:"parent,omitempty"`
	// At is the place among the parent's children after the edit, from 0; -1
	// is the end.
	At   int    `json:"at,omitzero"`
	Node *Draft `json:"node,omitempty"`
	// Unset is done before Set: a field in both goes to the end of the fields.
	// Else a field keeps its place, and a new one goes to the end. Attributes
	// stand before elements all the same.
	Set   []Field  `json:"set,omitempty"`
	Unset []string `json:"unset,omitempty"`
	// Text is the new character data of ID, where it changes.
	Text *string `json:"text,omitempty"`
}

// A Draft is a subtree that is not part of a tree yet.
type Draft struct {
	Type     string  `json:"type"`
	ID       string  `json:"id,omitempty"`
	Fields   []Field `json:"fields,omitempty"`
	Text     string  `json:"text,omitempty"`
	Children []Draft `json:"children,omitempty"`
}

// DraftOf returns a copy of a subtree with its ids.
func DraftOf(n *Node) Draft {
	d := shallowDraft(n)
	for _, c := range n.Children {
		d.Children = append(d.Children, DraftOf(c))
	}
	return d
}

func shallowDraft(n *Node) Draft {
	return Draft{Type: n.Type, ID: n.ID, Fields: copyFields(n.Fields), Text: n.Text}
}

package tree

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"recallbench/internal/text/suggest"
)

// An Op is what an edit does.
type Op string

// The operations.
const (
	Create Op = "create" // put Node below Parent at At
	Update Op = "update" // set the fields of ID to those in Set, and remove those in Unset
	Delete Op = "delete" // remove ID and everything below it
	Move   Op = "move"   // put ID below Parent at At
)

// An Edit is one change of a tree. As JSON it stands in records.
type Edit struct {
	Op Op `json:"op"`
	// ID is the node to update, delete or move. A created node keeps the ID of
	// Node; if that is empty it gets a new one.
	ID     string `json:"id,omitempty"`
	Parent string `json:"parent,omitempty"`
	// At is the position among the parent's children after the edit, from 0; -1
	// is the end.
	At   int   `json:"at,omitzero"`
	Node *Node `json:"node,omitempty"`
	// Unset is done before Set: a field in both goes to the end of the fields.
	// Otherwise a field keeps its place, and a new one goes to the end.
	// Attributes still come before elements.
	Set   []Field  `json:"set,omitempty"`
	Unset []string `json:"unset,omitempty"`
	// Text is the new character data of ID, if it changes.
	Text *string `json:"text,omitempty"`
}

// Apply returns the tree after edits, in order; each sees those before. Either all
// are made or none: the error names every edit that cannot be made, and why.
func (t *Tree) Apply(edits ...Edit) (*Tree, error) {
	if len(edits) == 0 {
		return t, nil
	}
	e := t.editor()
	var bad faults
	for i, edit := range edits {
		err := e.apply(edit)
		if err != nil && len(edits) > 1 {
			err = fmt.Errorf("edit %d of %d: %w", i+1, len(edits), err)
		}
		bad.add(err)
	}
	if err := bad.err(); err != nil {
		return nil, err
	}
	e.root.settleAll()
	return newTree(e.root, e.schema, e.next), nil
}

// An editor changes a copy of a tree.
type editor struct {
	schema *Schema
	root   *Node
	places map[string]place
	next   int
}

func (t *Tree) editor() *editor {
	root := t.root.copy()
	return &editor{schema: t.schema, root: root, places: placesOf(root), next: t.next}
}

func (n *Node) copy() *Node {
	c := new(*n)
	c.Children = make([]*Node, len(n.Children))
	for i, below := range n.Children {
		c.Children[i] = below.copy()
	}
	return c
}

// apply makes an edit, or leaves the tree as it is and says why.
func (e *editor) apply(edit Edit) error {
	switch edit.Op {
	case Create:
		return e.create(edit)
	case Update, Delete, Move:
	default:
		return fmt.Errorf("unknown operation %q; have %s, %s, %s, %s", edit.Op, Create, Update, Delete, Move)
	}
	at, err := e.find(edit.ID)
	if err != nil {
		return fmt.Errorf("%s: %w", edit.Op, err)
	}
	switch {
	case edit.Op == Update:
		err = e.schema.update(at.node, edit)
	case at.parent == nil:
		err = fmt.Errorf("the root cannot be %sd", edit.Op)
	case edit.Op == Move:
		err = e.move(at, edit)
	default:
		at.leave()
		for id := range placesOf(at.node) {
			delete(e.places, id)
		}
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", edit.Op, at.node.describe(), err)
	}
	return nil
}

// find returns the place of an id.
func (e *editor) find(id string) (place, error) {
	p, ok := e.places[id]
	switch {
	case id == "":
		return p, errors.New("the id is empty")
	case !ok:
		return p, fmt.Errorf("there is no node with the id %q", id)
	}
	return p, nil
}

func (e *editor) create(edit Edit) error {
	if edit.Node == nil {
		return errors.New("create: there is no node to create")
	}
	below, err := e.find(edit.Parent)
	if err != nil {
		return fmt.Errorf("create %s: parent: %w", edit.Node.Type, err)
	}
	parent := below.node
	p := planter{schema: e.schema, places: e.places, ids: map[string]bool{}}
	n := p.plant(edit.Node, parent, len(pathTo(e.places, parent.ID))+1)
	at, err := placeAmong(edit.At, len(parent.Children))
	p.faults.add(err)
	if len(e.places)+p.nodes > MaxNodes {
		p.faults.addf("the tree would have %d nodes, want at most %d", len(e.places)+p.nodes, MaxNodes)
	}
	if err := p.faults.err(); err != nil {
		return fmt.Errorf("create %s below %s: %w", edit.Node.Type, parent.describe(), err)
	}
	e.next = nameNodes(n, e.next, func(id string) bool {
		_, ok := e.places[id]
		return ok || p.ids[id]
	})
	maps.Copy(e.places, placesOf(n))
	e.insert(n, parent, at)
	return nil
}

// insert puts a node below a parent.
func (e *editor) insert(n, parent *Node, at int) {
	parent.Children = slices.Insert(parent.Children, at, n)
	e.places[n.ID] = place{n, parent}
}

// leave takes a node from its parent.
func (p place) leave() {
	i := slices.Index(p.parent.Children, p.node)
	p.parent.Children = slices.Delete(p.parent.Children, i, i+1)
}

func (e *editor) move(from place, edit Edit) error {
	to, err := e.find(edit.Parent)
	if err != nil {
		return fmt.Errorf("parent: %w", err)
	}
	path := pathTo(e.places, to.node.ID)
	if slices.Contains(path, from.node) {
		return fmt.Errorf("cyclic: %s is the node itself or below it", to.node.describe())
	}
	var bad faults
	bad.add(e.schema.checkChild(to.node, from.node.Type))
	siblings := len(to.node.Children)
	if from.parent == to.node {
		siblings--
	}
	at, err := placeAmong(edit.At, siblings)
	bad.add(err)
	if d := len(path) + from.node.Depth(); d > MaxDepth {
		bad.addf("the tree would have depth %d, want at most %d", d, MaxDepth)
	}
	if len(bad) == 0 {
		from.leave()
		e.insert(from.node, to.node, at)
	}
	return bad.err()
}

// placeAmong returns the index at which a node is put among others.
func placeAmong(at, others int) (int, error) {
	switch {
	case at == -1:
		return others, nil
	case at < -1 || at > others:
		return 0, fmt.Errorf("at is %d, want 0 to %d, or -1 for the end", at, others)
	}
	return at, nil
}

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

package tree

import (
	"errors"
	"fmt"
	"maps"
	"slices"
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

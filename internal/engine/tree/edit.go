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
	At   int    `json:"at,omitzero"`
	Node *Draft `json:"node,omitempty"`
	// Unset is done before Set: a field in both goes to the end of the fields.
	// Otherwise a field keeps its place, and a new one goes to the end.
	// Attributes still come before elements.
	Set   []Field  `json:"set,omitempty"`
	Unset []string `json:"unset,omitempty"`
	// Text is the new character data of ID, if it changes.
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
	n, parent, err := e.find(edit.ID)
	if err != nil {
		return fmt.Errorf("%s: %w", edit.Op, err)
	}
	switch edit.Op {
	case Update:
		err = e.schema.update(n, edit)
	case Delete:
		err = e.delete(n, parent)
	default:
		err = e.move(n, parent, edit)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", edit.Op, n.describe(), err)
	}
	return nil
}

// find returns the node of an id and its parent, nil for the root.
func (e *editor) find(id string) (n, parent *Node, err error) {
	p, ok := e.places[id]
	switch {
	case id == "":
		err = errors.New("the id is empty")
	case !ok:
		err = fmt.Errorf("there is no node with the id %q", id)
	}
	return p.node, p.parent, err
}

func (e *editor) create(edit Edit) error {
	if edit.Node == nil {
		return errors.New("create: there is no node to create")
	}
	parent, _, err := e.find(edit.Parent)
	if err != nil {
		return fmt.Errorf("create %s: parent: %w", edit.Node.Type, err)
	}
	p := planter{schema: e.schema, places: e.places, ids: map[string]bool{}}
	n := p.plant(*edit.Node, parent, len(pathTo(e.places, parent.ID))+1)
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

func (e *editor) delete(n, parent *Node) error {
	if parent == nil {
		return errors.New("the root cannot be deleted")
	}
	n.removeFrom(parent)
	for id := range placesOf(n) {
		delete(e.places, id)
	}
	return nil
}

func (n *Node) removeFrom(parent *Node) {
	i := slices.Index(parent.Children, n)
	parent.Children = slices.Delete(parent.Children, i, i+1)
}

func (e *editor) move(n, from *Node, edit Edit) error {
	if from == nil {
		return errors.New("the root cannot be moved")
	}
	to, _, err := e.find(edit.Parent)
	if err != nil {
		return fmt.Errorf("parent: %w", err)
	}
	path := pathTo(e.places, to.ID)
	if slices.Contains(path, n) {
		return fmt.Errorf("cyclic: %s is the node itself or below it", to.describe())
	}
	var bad faults
	bad.add(e.schema.checkChild(to, n.Type))
	siblings := len(to.Children)
	if from == to {
		siblings--
	}
	at, err := placeAmong(edit.At, siblings)
	bad.add(err)
	if d := len(path) + n.depth(); d > MaxDepth {
		bad.addf("the tree would have depth %d, want at most %d", d, MaxDepth)
	}
	if len(bad) == 0 {
		n.removeFrom(from)
		e.insert(n, to, at)
	}
	return bad.err()
}

// depth is the number of nodes from n to the deepest below it.
func (n *Node) depth() int {
	d := 0
	for _, c := range n.Children {
		d = max(d, c.depth())
	}
	return d + 1
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

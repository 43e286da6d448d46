package tree

import "errors"

var errNotYet = errors.New("tree: not yet written")

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
	At    int      `json:"at,omitzero"`
	Node  *Draft   `json:"node,omitempty"`
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

// Apply returns the tree after edits, in their order. All are made or none: the
// error names every edit that cannot be, and why. Untouched subtrees are shared.
func (t *Tree) Apply(edits ...Edit) (*Tree, error) { return nil, errNotYet }

// Diff returns edits that turn a into b: a.Apply(Diff(a, b)...) has the nodes,
// ids, fields and order of b. Subtrees that both share are not looked at.
func Diff(a, b *Tree) []Edit { return nil }

// Reconcile returns the tree of a draft that was written as a new state of old,
// by a model for example: nodes whose id old has keep it when their type is the
// same; of the others, those that are alike one of old in the same place, by
// type and key, take its id; the rest get new ones.
func Reconcile(old *Tree, next Draft) (*Tree, error) { return nil, errNotYet }

package handler

import "recallbench/internal/engine/tree"

// An Operation is what a request does to a structured memory.
type Operation string

// The operations.
const (
	Read    Operation = "read"
	Create  Operation = "create"
	Update  Operation = "update"
	Delete  Operation = "delete"
	Move    Operation = "move"
	Restore Operation = "restore" // an earlier version becomes the newest again
)

// Operations lists the operations.
func Operations() []Operation { return []Operation{Read, Create, Update, Delete, Move, Restore} }

// A Found is a node that was retrieved for a request.
type Found struct {
	Path  []*tree.Node // from the root to the node
	Score float64
}

// Node returns the node itself.
func (f Found) Node() *tree.Node { return f.Path[len(f.Path)-1] }

// An Action is what a model replies to a request.
//
// The operation restore has no edits: the nodes, which were found in an earlier
// version, become with all below them what they are there, in their old place.
type Action struct {
	Operation Operation `json:"operation"`
	// Nodes are the ids that a read is about, that are updated, deleted or
	// moved, or below which something is created.
	Nodes  []string     `json:"nodes"`
	Answer string       `json:"answer"` // to the user
	Edits  []ActionEdit `json:"edits"`  // none for a read
}

// An ActionEdit is one edit of an [Action].
type ActionEdit struct {
	Op Operation `json:"op"` // create, update, delete or move
	// Node is the id to update, delete or move. To create it is empty, or a
	// name that later edits have as Parent to create something below it.
	Node   string `json:"node"`
	Parent string `json:"parent"` // id to create or move below; empty otherwise
	// Position is the place among the parent's children, from 1; 0 is the end.
	Position int             `json:"position"`
	Type     string          `json:"type"`   // of the node to create
	Fields   []ActionSetting `json:"fields"` // to set
}

// An ActionSetting is a field with its new value.
type ActionSetting struct {
	Name string `json:"name"`
	// Value is what it says from now on. Values of a list are separated by
	// "; ", and an empty one takes the field away.
	Value string `json:"value"`
}

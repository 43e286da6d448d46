package handler

import "recallbench/internal/engine/tree"

// An Operation is what a task does to a structured memory.
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

// A Found is a node that was retrieved for a task.
type Found struct {
	Path  []*tree.Node // from the root to the node
	Score float64
}

// Node returns the node itself.
func (f Found) Node() *tree.Node { return f.Path[len(f.Path)-1] }

// An Action is a model's reply to a task.
//
// The operation restore has no edits: the nodes, found in an earlier version,
// are restored to their old place with everything below them.
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
	// Node is the id to update, delete or move. To create, it is empty or a name that
	// later edits use as Parent to create something below it.
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
	// Value is the field's new value. Values of a list are separated by "; ", and an
	// empty one removes the field.
	Value string `json:"value"`
}

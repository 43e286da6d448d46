// Package treetask holds the tasks that a method asks of a model about a
// structured memory, with the types of the replies: which version a request is
// about, which query finds its nodes, and what is answered or edited.
package treetask

import (
	"time"

	"recallbench/internal/engine/tree"
)

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

// A ResolveTask asks what a request does, about which version of the memory, and
// what is left of it without the words about versions. The reply is a
// [Resolution] as JSON.
type ResolveTask struct {
	Request  string
	Versions int // how many there are; the newest has this number
}

// Kind implements [llm.Task].
func (ResolveTask) Kind() string { return "resolve" }

// A Resolution is the reply to a [ResolveTask].
type Resolution struct {
	Operation Operation `json:"operation"`
	// Version is "latest"; "number" with Number, counted from 1, or from -1 for
	// the newest; or "at", "before" or "after" the change that About describes.
	// At is the version that the change made, before the one that it was made
	// from.
	Version string `json:"version"`
	Number  int    `json:"number"`
	About   string `json:"about"`
	// Task is the request without the words about versions.
	Task string `json:"task"`
}

// A QueryTask asks for the query that finds the nodes of a request. The reply
// is the query and nothing else.
type QueryTask struct {
	Request   string
	Operation Operation
	Today     time.Time // the zero time when unknown
	Schema    *tree.Schema
	Profile   string // semantics of positions: "paper" or "released"
	// Query is an earlier reply and Problem what was wrong with it; empty when
	// asked for the first time.
	Query, Problem string
}

// Kind implements [llm.Task].
func (QueryTask) Kind() string { return "query" }

// A Found is a node that was retrieved for a request.
type Found struct {
	Path  []*tree.Node // from the root to the node
	Score float64
}

// Node returns the node itself.
func (f Found) Node() *tree.Node { return f.Path[len(f.Path)-1] }

// A HandleTask asks for the answer to a request, or for the edits that it
// takes, from the nodes that were retrieved. The reply is an [Action] as JSON.
type HandleTask struct {
	Request string
	// Operation is what the request does; empty when that is to be found out.
	Operation Operation
	Today     time.Time // the zero time when unknown
	Schema    *tree.Schema
	Found     []Found // best first; what is below a node belongs to it
	Change    *Change // that the request speaks of; nil where it speaks of none
}

// Kind implements [llm.Task].
func (HandleTask) Kind() string { return "handle" }

// A Change is one that was made to the memory earlier and that a request speaks
// of: "before I cancelled the tour".
type Change struct {
	About   string // the change in the words of the request, as in a [Resolution]
	Summary string // what was done
	Edits   []tree.Edit
}

// An Action is the reply to a [HandleTask].
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

// An Exchange is a request of a conversation and the reply to it.
type Exchange struct{ Request, Reply string }

// A MemoryTask asks for the answer to a request, or for the memory rewritten,
// from the whole memory with its versions. The reply is a [Rewrite] as JSON.
type MemoryTask struct {
	Request  string
	Today    time.Time  // the zero time when unknown
	Earlier  []Exchange // of the conversation, the oldest first
	Versions []*tree.Version
}

// Kind implements [llm.Task].
func (MemoryTask) Kind() string { return "memory" }

// A Rewrite is the reply to a [MemoryTask].
type Rewrite struct {
	Operation Operation `json:"operation"`
	Version   int       `json:"version"` // that was read, or that the edit starts from
	Nodes     []string  `json:"nodes"`   // as in an [Action]
	Answer    string    `json:"answer"`  // to the user
	// Content is the XML of the whole memory after an edit; empty for a read.
	Content string `json:"content"`
}

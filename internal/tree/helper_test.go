package tree

import (
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// diffNodes compares subtrees, with what nodes know about those below.
func diffNodes(want, got *Node) string {
	return cmp.Diff(want, got, cmp.AllowUnexported(Node{}), cmpopts.EquateEmpty())
}

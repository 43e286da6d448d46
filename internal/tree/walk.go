package tree

import (
	"iter"
	"strings"
)

// Walk yields the nodes of a subtree in document order, each with its position
// in it: the root is 0. A node that versions share has one pointer and several
// positions, so that positions, not pointers, tell places apart.
func Walk(root *Node) iter.Seq2[int, *Node] {
	return func(yield func(int, *Node) bool) { walk(root, 0, yield) }
}

func walk(n *Node, at int, yield func(int, *Node) bool) bool {
	if !yield(at, n) {
		return false
	}
	at++
	for _, c := range n.Children {
		if !walk(c, at, yield) {
			return false
		}
		at += c.size
	}
	return true
}

// PathAt returns the nodes from root to the one at a position of [Walk]; nil
// where the subtree has no such position.
func PathAt(root *Node, at int) []*Node {
	if at < 0 || at >= root.size {
		return nil
	}
	path := []*Node{root}
	for n := root; at > 0; {
		at-- // n itself
		for _, c := range n.Children {
			if at < c.size {
				n = c
				break
			}
			at -= c.size
		}
		path = append(path, n)
	}
	return path
}

// Label writes a path for people: "Itinerary > Day 2 > Coffee break".
func Label(path []*Node) string {
	names := make([]string, len(path))
	for i, n := range path {
		names[i] = n.Name()
	}
	return strings.Join(names, " > ")
}

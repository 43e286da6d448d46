package handler

import (
	"cmp"
	"fmt"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/token"
	"recallbench/internal/engine/tree"
	"recallbench/methods"
)

// shown is what a model sees of the nodes that were retrieved.
type shown struct {
	evidence []methods.Evidence // a block for each node that is shown, best first
	leftOut  int                // retrieved nodes that did not fit
	cut      bool               // the lowest levels of the best node did not fit
	inside   map[string]bool    // nodes that are shown
	above    map[string]bool    // nodes on the way to them
}

// text joins the blocks for a prompt; it is empty if nothing was found.
func (s shown) text() string {
	texts := make([]string, len(s.evidence))
	for i, e := range s.evidence {
		texts[i] = fmt.Sprintf("[%d] %s", i+1, e.Text)
	}
	return strings.Join(texts, "\n\n")
}

// bounded says what the token limit has left out; empty if nothing.
func (s shown) bounded(limit int) string {
	var parts []string
	if s.leftOut > 0 {
		parts = append(parts, fmt.Sprintf("left out the lowest ranked %d of %d nodes", s.leftOut, s.leftOut+len(s.evidence)))
	}
	if s.cut {
		parts = append(parts, "left out the lowest levels of the best")
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s to stay within %d tokens", strings.Join(parts, " and "), limit)
}

// A Format says how a node is shown, and which of those below it.
type Format int

// The formats.
const (
	// Subtrees shows each node as XML with ids, with everything below it, under
	// the names and ids of the nodes that lead to it.
	Subtrees Format = iota
	// Items shows each node's own fields and nothing of its position.
	Items
)

// show selects what a model sees of nodes that were found in a version, best
// first: as many as have at most limit tokens together; 0 means no limit. The best
// is always shown, without its lowest levels if it is too large. A node inside
// one that is shown before it is only named.
func show(found []Found, from *tree.Version, newest int, f Format, tokens token.Counter, limit int) (shown, error) {
	s := shown{inside: make(map[string]bool), above: make(map[string]bool)}
	suffix := ""
	if from.Number != newest {
		suffix = fmt.Sprintf(" in version %d", from.Number)
	}
	room := limit
	for i, hit := range found {
		e, err := s.block(hit, from.Tree, f, 0)
		if err != nil {
			return s, err
		}
		if limit > 0 {
			size := tokens.Count(e.Text)
			for depth := hit.Node().Depth() - 2; i == 0 && size > room && depth > 0; depth-- {
				if e, err = s.block(hit, from.Tree, f, depth); err != nil {
					return s, err
				}
				size, s.cut = tokens.Count(e.Text), true
			}
			if size > room && i > 0 {
				s.leftOut = len(found) - i
				break
			}
			room -= size
		}
		for _, id := range e.Sources {
			s.inside[id] = true
		}
		for _, up := range hit.Path[:len(hit.Path)-1] {
			s.above[up.ID] = true
		}
		e.ID += suffix
		s.evidence = append(s.evidence, e)
	}
	return s, nil
}

// block writes a node with depth levels below it; 0 is all.
func (s shown) block(hit Found, t *tree.Tree, f Format, depth int) (methods.Evidence, error) {
	n := hit.Node()
	e := methods.Evidence{ID: n.ID, Sources: []string{n.ID}, Score: hit.Score}
	if f == Items {
		e.Text = Item(n)
		return e, nil
	}
	up := hit.Path[:len(hit.Path)-1]
	if len(up) > 1 {
		up = up[1:] // the root is the same for all
	}
	if len(up) > 0 {
		e.Text = "in " + strings.Join(lists.Map(up, named), " > ") + "\n"
	}
	if s.inside[n.ID] {
		e.Text += named(n) + ", shown above"
		return e, nil
	}
	xml, err := tree.XML(n, t.Schema(), tree.WriteOptions{IDs: true, Depth: depth})
	e.Text, e.Sources = e.Text+xml, ids(n, cmp.Or(depth, -1))
	return e, err
}

func named(n *tree.Node) string { return fmt.Sprintf("%s (%s)", n.Name(), n.ID) }

// ids returns the ids of a node and of those some levels below it; below 0 is all.
func ids(n *tree.Node, levels int) []string {
	list := []string{n.ID}
	if levels != 0 {
		for _, c := range n.Children {
			list = append(list, ids(c, levels-1)...)
		}
	}
	return list
}

// Item writes a node's own fields, without its position.
func Item(n *tree.Node) string {
	text := n.Type + " " + n.ID
	if len(n.Fields) > 0 {
		text += ": " + strings.Join(lists.Map(n.Fields, func(f tree.Field) string { return f.Name + " = " + f.Value() }), "; ")
	}
	if n.Text != "" {
		text += "; " + n.Text
	}
	return text
}

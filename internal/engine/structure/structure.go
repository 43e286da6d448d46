// Package structure describes memories that are more than a text, such as trees and
// their changes, in one form that pages draw.
package structure

import (
	"cmp"
	"slices"

	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/tree"
)

// A Structure is the content of a memory, or a task's changes to it.
type Structure struct {
	Kind Kind `json:"kind"`
	// Version is the number of the version shown, from 1, and Base that of the
	// one it was made from; 0 for none.
	Version int `json:"version,omitzero"`
	Base    int `json:"base,omitzero"`
	// Nodes are in drawing order, in a tree parents first.
	Nodes []Node `json:"nodes"`
	// Before are the nodes of the base; empty if nothing changed.
	Before []Node `json:"before,omitempty"`
	// Links lead from nodes to others where these have no parents: in a hierarchy to
	// what lies below, in a graph as their kinds say.
	Links []Link `json:"links,omitempty"`
	// Query is the query that was run over the tree, and Steps what it did.
	Query string          `json:"query,omitempty"`
	Steps []semxpath.Step `json:"steps,omitempty"`
	Notes []string        `json:"notes,omitempty"`
}

// A Kind says how nodes are related.
type Kind string

// The kinds.
const (
	OfTree    Kind = "tree"      // each node has one parent
	Hierarchy Kind = "hierarchy" // levels by the types of nodes; a node may lie below several
	Graph     Kind = "graph"
)

// A Link leads from a node to another, by their ids.
type Link struct {
	From string `json:"from"`
	To   string `json:"to"`
	Kind string `json:"kind,omitempty"` // such as "mentioned"
}

// A Mark says what a change did to a node.
type Mark string

// The marks.
const (
	Created  Mark = "created"
	Deleted  Mark = "deleted"
	Updated  Mark = "updated"
	MovedOff Mark = "moved-away" // at its old place
	MovedTo  Mark = "moved-here" // at its new one
)

// A Node is a row of a tree.
type Node struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Label  string `json:"label"`
	Parent string `json:"parent,omitempty"`
	Level  int    `json:"level,omitzero"` // in a tree, from 1, the root
	Mark   Mark   `json:"mark,omitempty"`
	// Ghost is set if the node was here before the change and no longer is.
	Ghost bool `json:"ghost,omitempty"`
	// Path is set above nodes that the task was about or changed.
	Path bool `json:"path,omitempty"`
	// About is set on nodes that the task was about.
	About  bool       `json:"about,omitempty"`
	Fields [][]string `json:"fields,omitempty"` // name, then values
	// Was are the former values of the fields that changed; only the name for a
	// new field.
	Was  [][]string `json:"was,omitempty"`
	Text string     `json:"text,omitempty"`
	// Weight is the relevance of the node in [0, 1]; nil if it has none.
	Weight *float64 `json:"weight,omitempty"`
}

// Tree returns the rows of a tree after a change, with the effects of the change.
// Before is nil for a tree that was not changed. About are the ids of the nodes
// that a task was about, and weights the relevance of some, by id.
func Tree(before, after *tree.Tree, about []string, weights map[string]float64) Structure {
	before = cmp.Or(before, after)
	l := layout{before: before, after: after, about: about, weights: weights, marks: map[string]Mark{}, off: map[string]bool{}}
	for _, e := range tree.Diff(before, after) {
		l.note(e)
	}
	l.add(nil, after.Root(), 1)
	s := Structure{Kind: OfTree, Nodes: l.rows}
	for i, n := range s.Nodes {
		if !n.About && n.Mark == "" {
			continue
		}
		// Parents stand before: the way up is a walk back over lower levels.
		level := n.Level
		for j := i - 1; j >= 0 && level > 1; j-- {
			if s.Nodes[j].Level < level {
				s.Nodes[j].Path, level = true, s.Nodes[j].Level
			}
		}
	}
	return s
}

// A layout puts the rows of a tree one below the other.
type layout struct {
	before, after *tree.Tree
	about         []string
	weights       map[string]float64
	marks         map[string]Mark
	off           map[string]bool // nodes that left their place
	rows          []Node
}

// note marks the nodes of an edit.
func (l *layout) note(e tree.Edit) {
	switch e.Op {
	case tree.Create:
		l.created(e.Node)
	case tree.Update:
		if l.marks[e.ID] == "" {
			l.marks[e.ID] = Updated
		}
	case tree.Move:
		l.marks[e.ID], l.off[e.ID] = MovedTo, true
	case tree.Delete:
		l.off[e.ID] = true
	}
}

func (l *layout) created(d *tree.Node) {
	l.marks[d.ID] = Created
	for _, c := range d.Children {
		l.created(c)
	}
}

// add puts a node of the new tree and what is below it into rows. Of what stood below
// it before, the ghosts come in front of the next sibling that stayed.
func (l *layout) add(parent, n *tree.Node, level int) {
	row := l.row(n, parent, level)
	row.Mark = l.marks[n.ID]
	old, _ := l.before.Node(n.ID)
	if row.Mark == Created {
		old = nil // an id of the same name was another node
	}
	if old != nil {
		row.Was = was(old, n)
	}
	l.rows = append(l.rows, row)
	var had []*tree.Node
	if old != nil {
		had = old.Children
	}
	for _, c := range n.Children {
		if at := slices.IndexFunc(had, func(o *tree.Node) bool { return o.ID == c.ID }); at >= 0 && !l.off[c.ID] {
			l.ghosts(n, had[:at], level+1)
			had = had[at+1:]
		}
		l.add(n, c, level+1)
	}
	l.ghosts(n, had, level+1)
}

// ghosts puts the nodes that left their place into rows, a deleted one with what was
// deleted below it.
func (l *layout) ghosts(parent *tree.Node, had []*tree.Node, level int) {
	for _, n := range had {
		now, there := l.after.Node(n.ID)
		there = there && now.Type == n.Type
		if there && !l.off[n.ID] {
			continue // it stays, in another order
		}
		row := l.row(n, parent, level)
		row.Ghost, row.Mark = true, Deleted
		if there {
			row.Mark = MovedOff
		}
		l.rows = append(l.rows, row)
		if row.Mark == Deleted {
			l.ghosts(n, n.Children, level+1)
		}
	}
}

func (l *layout) row(n, parent *tree.Node, level int) Node {
	row := Node{ID: n.ID, Type: n.Type, Label: n.Name(), Level: level, About: slices.Contains(l.about, n.ID), Text: n.Text}
	if parent != nil {
		row.Parent = parent.ID
	}
	if w, ok := l.weights[n.ID]; ok {
		row.Weight = &w
	}
	for _, f := range n.Fields {
		row.Fields = append(row.Fields, values(f))
	}
	return row
}

func values(f tree.Field) []string { return append([]string{f.Name}, f.Values...) }

// was returns the fields of old that n has with other values, or not at all, and the
// names of those that are new.
func was(old, n *tree.Node) (all [][]string) {
	for _, f := range old.Fields {
		i := slices.IndexFunc(n.Fields, func(g tree.Field) bool { return g.Name == f.Name })
		if i < 0 || !slices.Equal(n.Fields[i].Values, f.Values) {
			all = append(all, values(f))
		}
	}
	for _, f := range n.Fields {
		if !slices.ContainsFunc(old.Fields, func(g tree.Field) bool { return g.Name == f.Name }) {
			all = append(all, []string{f.Name})
		}
	}
	return all
}

package handler

import (
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/engine/tree"
)

// restore plans to put nodes of an earlier version back.
func (p *planner) restore(a Action, newest bool) {
	switch {
	case newest:
		p.faultf("the nodes shown are those of the newest version, so that there is nothing to restore")
		return
	case len(a.Edits) > 0:
		p.faultf("restore has no edits: nodes alone says what is put back as it was")
		return
	case len(a.Nodes) == 0:
		p.faultf("nodes is empty, want the ids of what is put back")
		return
	}
	for _, id := range a.Nodes {
		p.name(id)
	}
	if len(p.faults) > 0 {
		return
	}
	old, work := p.task.From.Tree, p.latest
	var labels []string
	for _, id := range p.plan.nodes {
		path := old.Path(id)
		if slices.ContainsFunc(path[:len(path)-1], func(up *tree.Node) bool { return slices.Contains(p.plan.nodes, up.ID) }) {
			continue // comes back with the node above
		}
		edits, err := putBack(work, old, path)
		if err == nil {
			work, err = work.Apply(edits...)
		}
		if err != nil {
			p.faults = append(p.faults, err)
			return
		}
		p.plan.edits = append(p.plan.edits, edits...)
		labels = append(labels, tree.Label(path))
	}
	p.plan.summary = fmt.Sprintf("Restored as in version %d: %s", p.task.From.Number, strings.Join(labels, "; "))
}

// putBack returns edits of now after which the last node of a path of old, and
// everything below it, is as it is in old: below its old parent, after the
// nearest of its preceding siblings that still exists.
func putBack(now, old *tree.Tree, path []*tree.Node) ([]tree.Edit, error) {
	n := path[len(path)-1]
	if len(path) == 1 {
		return tree.Diff(now, old), nil
	}
	up := path[len(path)-2]
	there, ok := now.Node(up.ID)
	if !ok {
		return nil, fmt.Errorf("%s cannot be put back alone: what it stood in, %s (%s), is gone too", n.ID, up.Name(), up.ID)
	}
	var edits []tree.Edit
	if _, ok := now.Node(n.ID); ok {
		edits = append(edits, tree.Edit{Op: tree.Delete, ID: n.ID})
	}
	others := slices.DeleteFunc(slices.Clone(there.Children), func(c *tree.Node) bool { return c.ID == n.ID }) // it is taken away first
	at := 0
	for _, before := range up.Children {
		if before.ID == n.ID {
			break
		}
		if i := slices.IndexFunc(others, func(c *tree.Node) bool { return c.ID == before.ID }); i >= 0 {
			at = i + 1
		}
	}
	return append(edits, tree.Edit{Op: tree.Create, Parent: up.ID, At: at, Node: new(tree.DraftOf(n))}), nil
}

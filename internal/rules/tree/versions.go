package tree

import (
	"context"
	"slices"
	"strings"

	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/treetask"
)

// version returns the version that a resolution speaks of, and that which the
// change made that it describes; nil where it describes none.
func (rules *Rules) version(ctx context.Context, versions []*tree.Version, r treetask.Resolution) (v, change *tree.Version, err error) {
	latest := versions[len(versions)-1]
	at := func(n int) *tree.Version {
		if n < 0 {
			n += len(versions) + 1
		}
		return versions[max(1, min(n, len(versions)))-1]
	}
	switch {
	case r.Version == "number":
		return at(r.Number), nil, nil
	case r.Version == "latest" || len(versions) == 1:
		return latest, nil, nil
	}
	texts := make([]string, 0, len(versions)-1)
	for _, v := range versions[1:] {
		texts = append(texts, v.Summary+". "+v.Request)
	}
	scores, err := rules.relevance(ctx, texts, r.About)
	if err != nil {
		return nil, nil, err
	}
	best, top := len(texts)-1, -1.0
	for i := range texts {
		if s := max(scores[i], overlap(texts[i], r.About)); s >= top {
			best, top = i, s
		}
	}
	change = versions[best+1]
	switch r.Version {
	case "before":
		return versions[best], change, nil
	case "after":
		return versions[min(best+2, len(versions)-1)], change, nil
	}
	return change, change, nil
}

// spokenOf returns the change of a request as [treetask.HandleTask] has it.
func spokenOf(versions []*tree.Version, change *tree.Version, r treetask.Resolution) *treetask.Change {
	if change == nil {
		return nil
	}
	i := slices.Index(versions, change)
	return &treetask.Change{About: r.About, Summary: change.Summary, Edits: tree.Diff(versions[i-1].Tree, change.Tree)}
}

// undo returns the newest tree after a request to restore that names no part:
// an earlier tree as a whole, or the newest without what one change did. It
// reports false for other requests, and where later edits stand in the way.
func undo(versions []*tree.Version, from, change *tree.Version, r treetask.Resolution) (*tree.Tree, []string, bool) {
	latest := versions[len(versions)-1]
	task := strings.TrimSpace(r.Task)
	switch {
	case r.Operation != treetask.Restore:
		return nil, nil, false
	case strings.EqualFold(task, everythingTask) || task == "" && change == nil:
		return from.Tree, []string{from.Tree.Root().ID}, true
	case change == nil || r.Version != "before":
		return nil, nil, false
	}
	edits := tree.Diff(change.Tree, from.Tree)
	back := 0
	var nodes []string
	for _, e := range edits {
		id := e.ID
		if e.Op == tree.Create {
			id = e.Node.ID
		}
		if e.Op != tree.Delete {
			back++
		}
		if !slices.Contains(nodes, id) {
			nodes = append(nodes, id)
		}
	}
	if task != "" && back > 1 {
		return nil, nil, false // it may mean a part
	}
	next, err := latest.Tree.Apply(edits...)
	return next, nodes, err == nil
}

// putBack returns the newest tree with nodes of an earlier one as they were:
// below their old parents, behind the nearest of the siblings before them that
// are still there.
func putBack(latest, from *tree.Tree, nodes []string) (*tree.Tree, error) {
	next := latest
	for _, id := range nodes {
		old, ok := from.Node(id)
		if !ok {
			continue
		}
		if id == from.Root().ID {
			return from, nil
		}
		up, _ := from.Parent(id)
		var edits []tree.Edit
		if _, there := next.Node(id); there {
			edits = append(edits, tree.Edit{Op: tree.Delete, ID: id})
		}
		at := 0
		if now, ok := next.Node(up.ID); ok {
			left := slices.DeleteFunc(slices.Clone(now.Children), func(c *tree.Node) bool { return c.ID == id })
			for _, c := range up.Children[:slices.IndexFunc(up.Children, func(c *tree.Node) bool { return c.ID == id })] {
				if i := slices.IndexFunc(left, func(l *tree.Node) bool { return l.ID == c.ID }); i >= 0 {
					at = i + 1
				}
			}
		}
		edits = append(edits, tree.Edit{Op: tree.Create, Parent: up.ID, At: at, Node: new(tree.DraftOf(old))})
		var err error
		if next, err = next.Apply(edits...); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// withChange adds what a change was about, where the query has not found it.
func withChange(found []treetask.Found, from, change *tree.Version) []treetask.Found {
	if change == nil || change == from {
		return found
	}
	for _, e := range tree.Diff(from.Tree, change.Tree) {
		id := e.ID
		if e.Op == tree.Create {
			id = e.Node.ID
		}
		path := from.Tree.Path(id)
		if len(path) > 1 && !slices.ContainsFunc(found, func(f treetask.Found) bool { return f.Node().ID == id }) {
			found = append(found, treetask.Found{Path: path})
		}
	}
	return found
}

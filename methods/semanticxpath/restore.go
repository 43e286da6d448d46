package semanticxpath

import (
	"fmt"
	"strings"

	"recallbench/internal/engine/tree"
	"recallbench/methods"
)

// everything is the task to restore the whole memory.
const everything = "everything"

// restore carries out what a resolution alone decides: restoring the whole
// memory, or undoing one change and keeping later ones. Done is false if a part
// has to be retrieved from the earlier version first.
func (a *answer) restore(res resolution, at place) (done bool, err error) {
	newest := a.state.Latest()
	task := strings.TrimSpace(res.Task)
	whole := strings.EqualFold(task, everything)
	if at.change == nil {
		// So many steps back, with a task that says no more than the request,
		// names no part.
		steps := res.Version != number || res.Number < 0
		whole = whole || task == "" || steps && strings.EqualFold(task, strings.TrimSpace(a.request.Text))
	}
	switch {
	case at.version.Number == newest.Number && at.change == nil:
		a.response.Text = "There is no earlier version to go back to."
		a.trace(methods.Step{Name: "restore", Note: "the version is the newest; nothing is changed"})
		return true, nil
	case whole:
		return true, a.restoreAll(at.version)
	case at.change == nil || res.Version != before:
		return false, nil
	}
	edits := tree.Diff(at.change.Tree, at.version.Tree)
	if back := returning(edits); task != "" && back > 1 {
		return false, nil // the request may mean a part of it
	}
	return a.undo(at.change, edits), nil
}

// undo undoes a change by edits of the newest version. It reports false if
// later edits prevent that; the query may find a way.
func (a *answer) undo(change *tree.Version, edits []tree.Edit) bool {
	made, err := a.state.Edit(edits, a.request.Text, "Undone: "+change.Summary)
	if err != nil {
		a.trace(methods.Step{Name: "restore", Note: "the change cannot be undone alone: " + err.Error()})
		return false
	}
	a.restored(made, touched(edits), fmt.Sprintf("undid version %d", change.Number))
	return true
}

// returning counts the edits that restore something, as opposed to those that
// remove what a change had made.
func returning(edits []tree.Edit) (n int) {
	for _, e := range edits {
		if e.Op != tree.Delete {
			n++
		}
	}
	return n
}

// touched returns the ids that edits are about.
func touched(edits []tree.Edit) (ids []string) {
	seen := make(map[string]bool)
	for _, e := range edits {
		id := e.ID
		if e.Op == tree.Create {
			id = e.Node.ID
		}
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

// restoreAll makes an earlier version the newest again.
func (a *answer) restoreAll(v *tree.Version) error {
	made, err := a.state.Replace(v.Number, v.Tree, a.request.Text, fmt.Sprintf("Restored: version %d", v.Number))
	if err != nil {
		return err
	}
	a.restored(made, []string{v.Tree.Root().ID}, fmt.Sprintf("went back to version %d", v.Number))
	return nil
}

func (a *answer) restored(made *tree.Version, nodes []string, note string) {
	a.response.Text = made.Summary + "."
	a.response.Nodes, a.response.Tree = nodes, made
	a.trace(methods.Step{Name: "restore", Note: note})
}

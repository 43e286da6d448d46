package expect

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/tree"
)

// tree returns what is wrong with the tree after the task.
func (o Outcome) tree(want *State) (faults []string) {
	reference := o.Before
	want = cmp.Or(want, &State{})
	if want.Restored {
		reference = o.First
	}
	faults, made := o.exist(want.Exists, reference)
	for _, id := range want.Absent {
		for _, n := range o.left(id) {
			faults = append(faults, o.label(n.ID)+" still exists")
		}
	}
	for _, id := range slices.Sorted(maps.Keys(want.Fields)) {
		found := o.left(id)
		for _, n := range found {
			faults = append(faults, misfits(o.label(n.ID), n, want.Fields[id])...)
		}
		if len(found) == 0 {
			faults = append(faults, o.label(id)+" is gone")
		}
	}
	for _, e := range tree.Diff(reference, o.After) {
		faults = append(faults, o.unasked(want, e, reference, made)...)
	}
	return faults
}

// left returns the nodes of an id or a name after the task.
func (o Outcome) left(id string) []*tree.Node {
	return lists.Filter(slices.Collect(o.After.All()), func(n *tree.Node) bool { return o.is(n.ID, id) })
}

// exist looks for each of the nodes; made are the ids of those found.
func (o Outcome) exist(want []Node, reference *tree.Tree) (faults, made []string) {
	for _, w := range want {
		var nearest []string
		found := false
		for n := range o.After.All() {
			_, old := reference.Node(n.ID)
			switch {
			case w.ID != "" && !o.is(n.ID, w.ID), w.ID == "" && old, w.Type != "" && !strings.EqualFold(n.Type, w.Type):
				continue
			case slices.Contains(made, n.ID):
				continue
			}
			wrong := o.misplaced(w, n)
			wrong = append(wrong, misfits(o.label(n.ID), n, w.Fields)...)
			if len(wrong) == 0 {
				made, found = append(made, n.ID), true
				break
			}
			if nearest == nil || len(wrong) < len(nearest) {
				nearest = wrong
			}
		}
		switch {
		case found:
		case nearest != nil:
			faults = append(faults, nearest...)
		case w.ID != "":
			faults = append(faults, o.label(w.ID)+" is missing")
		default:
			faults = append(faults, fmt.Sprintf("no %s was created", cmp.Or(w.Type, "node")))
		}
	}
	return faults, made
}

// misplaced returns what is wrong with the place of a node.
func (o Outcome) misplaced(w Node, n *tree.Node) (faults []string) {
	parent, ok := o.After.Parent(n.ID)
	if w.Parent != "" && (!ok || !o.is(parent.ID, w.Parent)) {
		faults = append(faults, fmt.Sprintf("%s is not below %s", o.label(n.ID), o.label(w.Parent)))
	}
	if !ok {
		return faults
	}
	at := func(id string) int { // -1 for none
		return slices.IndexFunc(parent.Children, func(c *tree.Node) bool { return id != "" && o.is(c.ID, id) })
	}
	here := at(n.ID)
	if at(w.After) > here {
		faults = append(faults, fmt.Sprintf("%s is not after %s", o.label(n.ID), o.label(w.After)))
	}
	if before := at(w.Before); before >= 0 && before < here {
		faults = append(faults, fmt.Sprintf("%s is not before %s", o.label(n.ID), o.label(w.Before)))
	}
	return faults
}

// misfits returns the fields of a node that differ from the required ones.
func misfits(label string, n *tree.Node, want map[string]Value) (faults []string) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if have, _ := n.Field(name); !want[name].met(have) {
			faults = append(faults, fmt.Sprintf("%s has the %s %q, want %s", label, name, have, want[name]))
		}
	}
	return faults
}

// unasked returns what an edit changed beyond what was wanted.
func (o Outcome) unasked(want *State, e tree.Edit, reference *tree.Tree, made []string) (faults []string) {
	id := e.ID
	if e.Op == tree.Create {
		id = e.Node.ID
	}
	if o.optional(want, id, reference) {
		return nil
	}
	label := o.label(id)
	switch e.Op {
	case tree.Create:
		if !slices.Contains(made, id) {
			return []string{label + " should not have been created"}
		}
	case tree.Delete:
		if !o.among(id, want.Absent) {
			return []string{label + " should not have been deleted"}
		}
	case tree.Move:
		if !slices.Contains(made, id) && o.displaced(want, id, reference, made) {
			return []string{label + " should not have been moved"}
		}
	case tree.Update:
		names := slices.Clone(e.Unset)
		for _, f := range e.Set {
			names = append(names, f.Name)
		}
		for _, name := range names {
			if !o.asked(want, id, name) {
				faults = append(faults, fmt.Sprintf("the %s of %s should not have been changed", name, label))
			}
		}
		if e.Text != nil {
			faults = append(faults, fmt.Sprintf("the text of %s should not have been changed", label))
		}
	}
	return faults
}

// displaced reports whether a node has another parent, or another place among
// the siblings that were not to move. Where two neighbours change places,
// [tree.Diff] may name either as moved.
func (o Outcome) displaced(want *State, id string, reference *tree.Tree, made []string) bool {
	was, _ := reference.Parent(id)
	is, _ := o.After.Parent(id)
	rest := func(n *tree.Node, other *tree.Tree) (ids []string) {
		for _, c := range n.Children {
			_, both := other.Node(c.ID)
			if both && !slices.Contains(made, c.ID) && !o.optional(want, c.ID, reference) {
				ids = append(ids, c.ID)
			}
		}
		return ids
	}
	return was.ID != is.ID || !slices.Equal(rest(was, o.After), rest(is, reference))
}

// asked reports whether the state says something of a field.
func (o Outcome) asked(want *State, id, field string) bool {
	named := slices.Clone(want.Exists)
	for node, fields := range want.Fields {
		named = append(named, Node{ID: node, Fields: fields})
	}
	same := func(name string) bool { return strings.EqualFold(name, field) }
	return slices.ContainsFunc(named, func(n Node) bool {
		return n.ID != "" && o.is(id, n.ID) && slices.ContainsFunc(slices.Collect(maps.Keys(n.Fields)), same)
	})
}

// optional reports whether the node or one above it may change in any way.
func (o Outcome) optional(want *State, id string, reference *tree.Tree) bool {
	path := slices.Concat(o.After.Path(id), reference.Path(id))
	return slices.ContainsFunc(path, func(n *tree.Node) bool { return o.among(n.ID, want.Optional) })
}

package tasks

import (
	"maps"
	"slices"
	"strings"

	"recallbench/internal/engine/expect"
	"recallbench/internal/engine/tree"
	"recallbench/internal/files/strictyaml"
)

// solve reports every expectation that its own solution does not meet, or that
// is met by doing nothing: tasks are judged by what can be met.
func (c *checker) solve(f *file) {
	root := c.doc.Root()
	for i := range f.Requests {
		c.solveRequest(root.At("requests", i), tree.NewHistory(c.tree), &f.Requests[i])
	}
	for i, conv := range f.Conversations {
		h := tree.NewHistory(c.tree)
		for j := range conv.Turns {
			if !c.solveRequest(root.At("conversations", i, "turns", j), h, &conv.Turns[j]) {
				break // later turns build on this one
			}
		}
	}
}

// solveRequest appends the version that a solution makes, and reports whether
// it could.
func (c *checker) solveRequest(at strictyaml.Value, h *tree.History, r *request) bool {
	before := h.Latest().Tree
	if err := r.Solution.commit(h, r.Text); err != nil {
		at.At("solution").Faultf("the tree cannot be edited this way: %v", err)
		return false
	}
	for i, id := range r.Solution.Nodes {
		if !slices.ContainsFunc(h.Versions(), func(v *tree.Version) bool { _, ok := v.Tree.Node(id); return ok }) {
			at.At("solution", "nodes", i).Faultf("the tree has no node %q", id)
		}
	}
	if r.Expect == nil {
		return true
	}
	met := expect.Outcome{
		Nodes: r.Solution.Nodes, Answer: r.Solution.Answer,
		First: h.Versions()[0].Tree, Before: before, After: h.Latest().Tree,
	}
	if v := expect.Check(r.Expect, met); !v.Pass() {
		at.At("expect").Faultf("the solution does not meet it: %s", strings.Join(v.Why, "; "))
		return true
	}
	idle := met
	idle.After = before
	if r.Expect.Tree == nil {
		idle.Nodes, idle.Answer = nil, ""
	}
	if expect.Check(r.Expect, idle).Pass() {
		at.At("expect").Faultf("doing nothing meets it")
	}
	return true
}

// commit appends the version that the solution makes, if it makes one.
func (s *solution) commit(h *tree.History, request string) (err error) {
	switch {
	case s.Restore != 0:
		_, err = h.Restore(s.Restore, request)
	case len(s.Edits) > 0:
		_, err = h.Commit(-1, s.edits(h.Latest().Tree), request, "")
	}
	return err
}

// edits returns the edits of a solution.
func (s *solution) edits(t *tree.Tree) []tree.Edit {
	edits := make([]tree.Edit, len(s.Edits))
	for i, e := range s.Edits {
		out := tree.Edit{Op: e.Op, ID: e.ID, Parent: e.Parent, At: -1}
		if e.At != nil {
			out.At = *e.At
		}
		if e.Op == tree.Create {
			out.ID, out.Node = "", &tree.Draft{Type: e.Type, ID: e.ID, Fields: e.fields(t, e.Type)}
		}
		if e.Op == tree.Update {
			typ := e.Type // of a node that an earlier edit makes
			if n, ok := t.Node(e.ID); ok {
				typ = n.Type
			}
			out.At, out.Set = 0, e.fields(t, typ)
		}
		edits[i] = out
	}
	return edits
}

// fields returns the fields of an edit of a node of a type, in the schema's
// order; unknown ones come last.
func (e *edit) fields(t *tree.Tree, typ string) []tree.Field {
	spec, _ := t.Schema().Type(typ)
	names := spec.FieldNames()
	for _, name := range slices.Sorted(maps.Keys(e.Fields)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var fields []tree.Field
	for _, name := range names {
		value, ok := e.Fields[name]
		if !ok {
			continue
		}
		values := []string{value}
		if f, _ := spec.Field(name); f.Item != "" {
			values = strings.Split(value, "; ")
		}
		fields = append(fields, tree.Field{Name: name, Values: values})
	}
	return fields
}

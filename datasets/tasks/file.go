package tasks

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/expect"
	"recallbench/internal/engine/tree"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/text/suggest"
)

// Names of the files of a suite.
const (
	treeFile = "tree.xml"
	heldout  = "-heldout"
)

// A file is single.yaml or multi.yaml.
type file struct {
	Today         day            `yaml:"today"` // when tasks are asked
	Requests      []request      `yaml:"requests"`
	Conversations []conversation `yaml:"conversations"`
}

// A conversation has tasks that are asked one after the other.
type conversation struct {
	ID    string    `yaml:"id"`
	Turns []request `yaml:"turns"`
}

// A request is one task with its expected outcome.
type request struct {
	ID     string            `yaml:"id"`
	Text   string            `yaml:"text"`
	Labels map[string]string `yaml:"labels"`
	// Expect is nil for a task that is not judged.
	Expect *expect.Expectation `yaml:"expect"`
	// Solution is one right outcome.
	Solution solution `yaml:"solution"`
}

// A solution is an outcome that meets an expectation. Its answer is what people
// read as the gold answer; the rest proves that the gold can be met.
type solution struct {
	Nodes  []string `yaml:"nodes"`
	Answer string   `yaml:"answer"`
	Edits  []edit   `yaml:"edits"`
	// Restore is the number of a version to go back to; 0 for none.
	Restore int `yaml:"restore"`
}

// An edit is a tree.Edit as written in the file.
type edit struct {
	Op     tree.Op           `yaml:"op"`
	ID     string            `yaml:"id"`
	Parent string            `yaml:"parent"`
	At     *int              `yaml:"at"` // from 0; none is the end
	Type   string            `yaml:"type"`
	Fields map[string]string `yaml:"fields"` // values of a list separated by "; "
}

// A day is a date such as 2026-05-11.
type day struct{ time.Time }

// UnmarshalText reads a date.
func (d *day) UnmarshalText(text []byte) (err error) {
	d.Time, err = time.Parse(time.DateOnly, string(text))
	return err
}

// operations are the values of the label operation.
var operations = []string{"read", "create", "update", "delete", "move", "restore"}

// A checker finds faults in a file of tasks.
type checker struct {
	domain string
	split  Split
	tree   *tree.Tree
	doc    *strictyaml.Document
}

// file checks all tasks of a file.
func (c *checker) file(f *file, turns Turns) {
	root := c.doc.Root()
	switch {
	case turns == Single && len(f.Conversations) > 0:
		root.At("conversations").Faultf("conversations belong in %s.yaml", Multi)
	case turns == Multi && len(f.Requests) > 0:
		root.At("requests").Faultf("single requests belong in %s.yaml", Single)
	case len(f.Requests)+len(f.Conversations) == 0:
		root.Faultf("no requests; want a list requests or conversations")
	}
	c.requests(root.At("requests"), f.Requests)
	ids := make(map[string]bool)
	for i, conv := range f.Conversations {
		at := root.At("conversations", i)
		c.id(at, conv.ID, ids)
		if len(conv.Turns) == 0 {
			at.Faultf("the conversation has no turns")
		}
		c.requests(at.At("turns"), conv.Turns)
	}
}

func (c *checker) id(at strictyaml.Value, id string, seen map[string]bool) {
	switch {
	case at.At("id").Faulty():
		return
	case id == "":
		at.Faultf("id is missing")
	case seen[id]:
		at.At("id").Faultf("id %q is listed twice", id)
	}
	seen[id] = true
}

func (c *checker) requests(list strictyaml.Value, requests []request) {
	ids := make(map[string]bool)
	for i := range requests {
		r, at := &requests[i], list.At(i)
		c.id(at, r.ID, ids)
		if strings.TrimSpace(r.Text) == "" && !at.At("text").Faulty() {
			at.Faultf("text is missing: want the text of the task")
		}
		if strings.TrimSpace(r.Solution.Answer) == "" && !at.At("solution").Faulty() {
			at.Faultf("solution.answer is missing: want the right answer for people to read")
		}
		if r.Labels == nil {
			r.Labels = make(map[string]string)
		}
		if op, ok := r.Labels["operation"]; ok && !slices.Contains(operations, op) {
			at.At("labels", "operation").Faultf("%s", suggest.Unknown("operation", op, operations))
		}
		for _, own := range []string{"split", "turn"} {
			if _, ok := r.Labels[own]; ok {
				at.At("labels", own).Faultf("the label %s is set by the loader", own)
			}
		}
		if r.Expect != nil {
			c.expectation(at.At("expect"), r.Expect)
		}
	}
}

// expectation reports expectations that the tree cannot meet. Nodes made by a solution
// have other ids elsewhere, so they are identified by name.
func (c *checker) expectation(at strictyaml.Value, e *expect.Expectation) {
	fixed := func(at strictyaml.Value, id string) {
		if _, ok := c.tree.Node(id); !ok && id != "" && !strings.HasPrefix(id, expect.ByName) {
			at.Faultf("the tree has no node %q; refer to a node that a task creates by its name, as in %q", id, expect.ByName+"Coffee break")
		}
	}
	all := func(at strictyaml.Value, ids []string) {
		for i, id := range ids {
			fixed(at.At(i), id)
		}
	}
	for i, r := range e.Accept {
		all(at.At("accept", i, "required"), r.Required)
		all(at.At("accept", i, "allowed"), r.Allowed)
	}
	if e.Tree == nil {
		return
	}
	place := at.At("tree")
	all(place.At("absent"), e.Tree.Absent)
	all(place.At("optional"), e.Tree.Optional)
	for _, id := range slices.Sorted(maps.Keys(e.Tree.Fields)) {
		fixed(place.At("fields", id), id)
	}
	for i, n := range e.Tree.Exists {
		node := place.At("exists", i)
		fixed(node.At("id"), n.ID)
		fixed(node.At("parent"), n.Parent)
		fixed(node.At("after"), n.After)
		fixed(node.At("before"), n.Before)
	}
}

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
	return lists.Map(s.Edits, func(e edit) tree.Edit {
		out := tree.Edit{Op: e.Op, ID: e.ID, Parent: e.Parent, At: -1}
		if e.At != nil {
			out.At = *e.At
		}
		switch e.Op {
		case tree.Create:
			out.ID, out.Node = "", &tree.Node{Type: e.Type, ID: e.ID, Fields: e.fields(t, e.Type)}
		case tree.Update:
			typ := e.Type // of a node that an earlier edit makes
			if n, ok := t.Node(e.ID); ok {
				typ = n.Type
			}
			out.At, out.Set = 0, e.fields(t, typ)
		case tree.Delete, tree.Move:
		}
		return out
	})
}

// fields returns the fields of an edit of a node of a type, in the schema's
// order; unknown ones come last.
func (e *edit) fields(t *tree.Tree, typ string) []tree.Field {
	spec := cmp.Or(t.Schema().Type(typ), &tree.Type{})
	names := spec.FieldNames()
	for _, name := range slices.Sorted(maps.Keys(e.Fields)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var fields []tree.Field
	for _, name := range lists.Filter(names, func(name string) bool { _, ok := e.Fields[name]; return ok }) {
		values := []string{e.Fields[name]}
		if f := spec.Field(name); f != nil && f.Item != "" {
			values = strings.Split(values[0], "; ")
		}
		fields = append(fields, tree.Field{Name: name, Values: values})
	}
	return fields
}

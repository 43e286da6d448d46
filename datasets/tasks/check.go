package tasks

import (
	"maps"
	"slices"
	"strings"

	"recallbench/internal/engine/expect"
	"recallbench/internal/engine/tree"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/text/suggest"
)

// operations are the values of the label operation.
var operations = []string{"read", "create", "update", "delete", "move", "restore"}

// A checker finds what does not fit in a file of requests.
type checker struct {
	domain string
	split  Split
	tree   *tree.Tree
	doc    *strictyaml.Document
	made   []string // ids that the solutions of a conversation have made
}

// file checks all requests of a file.
func (c *checker) file(f *file, turns Turns) {
	root := c.doc.Root()
	switch {
	case turns == Single && len(f.Conversations) > 0:
		root.At("conversations").Faultf("conversations stand in %s.yaml", Multi)
	case turns == Multi && len(f.Requests) > 0:
		root.At("requests").Faultf("single requests stand in %s.yaml", Single)
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
		c.made = nil
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
		at.At("id").Faultf("id %q is there twice", id)
	}
	seen[id] = true
}

func (c *checker) requests(list strictyaml.Value, requests []request) {
	ids := make(map[string]bool)
	for i := range requests {
		r, at := &requests[i], list.At(i)
		c.id(at, r.ID, ids)
		if strings.TrimSpace(r.Text) == "" && !at.At("text").Faulty() {
			at.Faultf("text is missing: what is asked")
		}
		if strings.TrimSpace(r.Solution.Answer) == "" && !at.At("solution").Faulty() {
			at.Faultf("solution.answer is missing: what people read as the right answer")
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
		c.solution(at.At("solution"), &r.Solution)
		if r.Expect != nil {
			c.expectation(at.At("expect"), r.Expect)
		}
	}
}

// known faults a place that names no node of the tree and none that was made.
func (c *checker) known(at strictyaml.Value, id string) {
	if _, ok := c.tree.Node(id); !ok && !slices.Contains(c.made, id) {
		at.Faultf("the tree has no node %q", id)
	}
}

// fixed is known for what methods are measured by: nodes that a solution made
// have other ids elsewhere, so that they go by their name.
func (c *checker) fixed(at strictyaml.Value, id string) {
	if _, ok := c.tree.Node(id); !ok && !strings.HasPrefix(id, expect.ByName) {
		at.Faultf("the tree has no node %q; a node that is made on the way goes by its name, as in %q", id, expect.ByName+"Coffee break")
	}
}

func (c *checker) allFixed(at strictyaml.Value, ids []string) {
	for i, id := range ids {
		c.fixed(at.At(i), id)
	}
}

func (c *checker) solution(at strictyaml.Value, s *solution) {
	for i, id := range s.Nodes {
		c.known(at.At("nodes", i), id)
	}
	for i := range s.Edits {
		e, place := &s.Edits[i], at.At("edits", i)
		if e.Op == tree.Create {
			if e.ID != "" {
				c.made = append(c.made, e.ID)
			}
		} else {
			c.known(place.At("id"), e.ID)
		}
		if e.Parent != "" {
			c.known(place.At("parent"), e.Parent)
		}
	}
}

func (c *checker) expectation(at strictyaml.Value, e *expect.Expectation) {
	for i, r := range e.Accept {
		c.allFixed(at.At("accept", i, "required"), r.Required)
		c.allFixed(at.At("accept", i, "allowed"), r.Allowed)
	}
	if e.Tree == nil {
		return
	}
	place := at.At("tree")
	c.allFixed(place.At("absent"), e.Tree.Absent)
	c.allFixed(place.At("optional"), e.Tree.Optional)
	for _, id := range slices.Sorted(maps.Keys(e.Tree.Fields)) {
		c.fixed(place.At("fields", id), id)
		if n, ok := c.tree.Node(id); ok {
			c.fields(place.At("fields", id), n.Type, e.Tree.Fields[id])
		}
	}
	for i, n := range e.Tree.Exists {
		for _, name := range []struct{ key, id string }{{"id", n.ID}, {"parent", n.Parent}, {"after", n.After}, {"before", n.Before}} {
			if name.id != "" {
				c.fixed(place.At("exists", i, name.key), name.id)
			}
		}
		if n.Type != "" {
			c.fields(place.At("exists", i, "fields"), n.Type, n.Fields)
		}
	}
}

// fields faults fields that nodes of the type do not have.
func (c *checker) fields(at strictyaml.Value, name string, fields map[string]expect.Value) {
	typ, ok := c.tree.Schema().Type(name)
	if !ok {
		at.Faultf("the tree has no nodes of type %q", name)
		return
	}
	var have []string
	for _, f := range typ.Fields {
		have = append(have, f.Name)
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if !slices.ContainsFunc(have, func(h string) bool { return strings.EqualFold(h, field) }) {
			at.At(field).Faultf("%s", suggest.Unknown("field of "+name, field, have))
		}
	}
}

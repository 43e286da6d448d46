package semxpath

import (
	"errors"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/tree"
	"recallbench/internal/text/suggest"
)

// Check reports every node type and attribute of a query that a schema does not
// have, with the one that was probably meant, as *SyntaxErrors joined. An
// attribute has to be one of the type of its step, or for * of any type.
// Every node has the attribute id.
//
// [Query.Run] does not ask for it: there a step of an unknown type selects
// nothing.
func Check(q *Query, s *tree.Schema) error {
	var faults []error
	add := func(at int, message string) {
		faults = append(faults, &SyntaxError{Query: q.source, At: at, Want: message})
	}
	types := lists.Map(s.Types, func(t tree.Type) string { return t.Name })
	for _, step := range q.all {
		if step.name != anyType && !slices.Contains(types, step.name) {
			add(step.at, suggest.Unknown("node type", step.name, types))
			continue // its attributes cannot be known
		}
		fields := append(fieldsOf(s, step.name), idWord)
		known := func(name string) bool {
			return slices.ContainsFunc(fields, func(f string) bool { return strings.EqualFold(f, name) })
		}
		for _, c := range step.cond.matches() {
			if (c.op == equal || c.attr != wholeNode && c.attr != contentWord) && !known(c.attr) {
				add(c.at, suggest.Unknown("attribute", c.attr, fields))
			}
		}
	}
	return errors.Join(faults...)
}

// matches yields the matches that a condition is made of, without those of evidence.
func (c *condition) matches() (all []*condition) {
	switch {
	case c == nil:
	case c.match():
		all = append(all, c)
	default:
		for _, of := range c.of {
			all = append(all, of.matches()...)
		}
	}
	return all
}

// fieldsOf returns the names of the fields of a type, or of all types for
// anyType.
func fieldsOf(s *tree.Schema, typ string) []string {
	var names []string
	for _, t := range s.Types {
		if typ != anyType && t.Name != typ {
			continue
		}
		for _, f := range t.Fields {
			names = lists.AddNew(names, f.Name)
		}
	}
	return names
}

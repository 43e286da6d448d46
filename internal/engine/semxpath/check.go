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
	for step := range q.allSteps() {
		if step.name != anyType && !slices.Contains(types, step.name) {
			add(step.at, suggest.Unknown("node type", step.name, types))
			continue // its attributes cannot be known
		}
		if step.cond == nil {
			continue
		}
		fields := append(fieldsOf(s, step.name), idWord)
		visit(step.cond, func(c condition) bool {
			m, ok := c.(*match)
			if ok && (m.exact || m.attr != wholeNode && m.attr != contentWord) &&
				!slices.ContainsFunc(fields, func(f string) bool { return strings.EqualFold(f, m.attr) }) {
				add(m.at, suggest.Unknown("attribute", m.attr, fields))
			}
			return true
		})
	}
	return errors.Join(faults...)
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

package tree

import (
	"io"

	"recallbench/internal/text/suggest"
)

// ParseDraft reads a subtree of any type of a schema from XML in either style,
// such as a model wrote. Nodes need no id, and one that comes twice is left to
// [Reconcile]. All that the schema does not have is an error with its line.
func ParseDraft(name string, r io.Reader, s *Schema) (Draft, error) {
	doc, err := read(name, r)
	if err != nil {
		return Draft{}, err
	}
	b := newBuilder(doc, s)
	b.lax = true
	t := s.find(doc.root.tag.name)
	if t == nil {
		b.faultf(doc.root, "%s", suggest.Unknown("type", doc.root.tag.name, s.Names()))
		return Draft{}, b.err()
	}
	n := b.node(doc.root, t)
	if err := b.err(); err != nil {
		return Draft{}, err
	}
	return DraftOf(n), nil
}

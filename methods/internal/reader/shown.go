package reader

import (
	"strings"

	"recallbench/methods"
)

// Shown collects what the reader gets, block by block: a line of text each, and
// the evidence.
type Shown struct {
	Semantic, Episodic []string
	Evidence           []methods.Evidence
}

// Add puts a block with its lines behind the others of its kind, which is
// Semantic or Episodic.
func (s *Shown) Add(kind *[]string, e methods.Evidence) {
	*kind = append(*kind, e.Text)
	s.Evidence = append(s.Evidence, e)
}

// Context returns the texts.
func (s *Shown) Context() Context {
	return Context{Semantic: strings.Join(s.Semantic, "\n"), Episodic: strings.Join(s.Episodic, "\n")}
}

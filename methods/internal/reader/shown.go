package reader

import (
	"strings"

	"recallbench/internal/door/llm"
	"recallbench/methods"
)

// Shown collects what the reader gets, block by block: a line of text each, the
// evidence and the passages.
type Shown struct {
	Semantic, Episodic []string
	Evidence           []methods.Evidence
	Passages           []llm.Passage
}

// Add puts a block with its lines behind the others of its kind, which is
// Semantic or Episodic.
func (s *Shown) Add(kind *[]string, e methods.Evidence, lines []llm.Line) {
	*kind = append(*kind, e.Text)
	s.Evidence = append(s.Evidence, e)
	s.Passages = append(s.Passages, llm.Passage{ID: e.ID, Lines: lines})
}

// Context returns the texts.
func (s *Shown) Context() Context {
	return Context{Semantic: strings.Join(s.Semantic, "\n"), Episodic: strings.Join(s.Episodic, "\n")}
}

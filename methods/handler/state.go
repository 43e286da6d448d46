package handler

import (
	"recallbench/datasets"
	"recallbench/internal/tree"
)

// A State is the structured memory of a sample. In a dialogue edits make new
// versions. Of independent requests each sees the memory as the sample has it,
// and edits show what they would make: nothing changes, so that requests may
// come at the same time.
type State struct {
	*tree.History
	dialogue bool
}

// NewState returns the memory of a sample, whose tree is its first version.
func NewState(s datasets.Sample) *State {
	return &State{tree.NewHistory(s.Tree), s.Dialogue}
}

// Edit makes edits on the newest version and returns the version that they
// make. Rejected ones change nothing.
func (s *State) Edit(edits []tree.Edit, request, summary string) (*tree.Version, error) {
	base := s.Latest().Number
	if s.dialogue {
		return s.Commit(base, edits, request, summary)
	}
	return s.Preview(base, edits, request, summary)
}

// Replace makes a tree of its own the newest version, made from base.
func (s *State) Replace(base int, next *tree.Tree, request, summary string) (*tree.Version, error) {
	if s.dialogue {
		return s.Put(base, next, request, summary)
	}
	return &tree.Version{Number: s.Latest().Number + 1, Base: base, Request: request, Summary: summary, Tree: next}, nil
}

// try reports whether edits would change anything, and why they cannot be made.
func (s *State) try(edits []tree.Edit) (changes bool, err error) {
	if len(edits) == 0 {
		return false, nil
	}
	newest := s.Latest()
	v, err := s.Preview(newest.Number, edits, "", "")
	if err != nil {
		return false, err
	}
	return len(tree.Diff(newest.Tree, v.Tree)) > 0, nil
}

package htmlreport

import (
	"encoding/json"
	"errors"
	"io"

	"recallbench/internal/engine/structure"
	"recallbench/internal/result/note"
	"recallbench/internal/result/scored"
	"recallbench/internal/result/treeview"
)

// A holding is the structure of a memory in a file. That of a conversation is there once
// for all requests about it, which differ in what they rest on.
type holding struct {
	*structure.Structure
	Like  *int     `json:"like,omitempty"` // the number of the structure
	About []string `json:"about,omitempty"`
}

// structures writes what the memories of requests hold.
type structures struct {
	*chunks
	seen map[[2]string]*int // by cell and sample: the number of the structure; nil for none
}

func (s *structures) add(run *scored.Run, q scored.Request) error {
	memory := [2]string{q.Cell.ID, q.Record.Sample}
	if like, ok := s.seen[memory]; ok {
		if like == nil {
			return s.chunks.add(nil)
		}
		return s.chunks.add(holding{Like: like, About: treeview.Evidence(q)})
	}
	held, err := treeview.Of(run, q)
	if errors.Is(err, treeview.ErrNoTree) {
		s.seen[memory] = nil
		return s.chunks.add(nil)
	}
	if err != nil {
		return err
	}
	if held.Kind != structure.OfTree {
		s.seen[memory] = new(s.n)
	}
	return s.chunks.add(holding{Structure: &held})
}

// writeNotes writes the notes of the runs, which the script knows by their numbers.
func (p *Page) writeNotes(w io.Writer) error {
	all := make([][]note.Note, len(p.Runs))
	for i, r := range p.Runs {
		notes, err := note.Read(r.Folder)
		if err != nil {
			return err
		}
		all[i] = note.Standing(notes)
	}
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return writeData(w, "notes", data)
}

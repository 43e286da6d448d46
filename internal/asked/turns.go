package asked

import (
	"slices"

	"recallbench/internal/record"
)

// A Turn is a source that the gold answer rests on, with where two sides showed it.
type Turn struct {
	ID string `json:"turn"`
	// A and B are the ranks, from 1, of the first block of each side that has the
	// turn as a source; 0 for none.
	A int `json:"a,omitzero"`
	B int `json:"b,omitzero"`
	// Text is the turn itself where the dataset says it with the question, else the
	// shortest block that has it; empty where neither side shows it.
	Text string `json:"text,omitzero"`
}

// Turns returns the sources that the gold answer of a pair rests on, in the order of
// the dataset.
func (p Pair) Turns() []Turn {
	var turns []Turn
	for _, id := range p.A.Gold.Evidence {
		t := Turn{ID: id}
		var text string
		t.A, text = p.A.shows(id, "")
		t.B, text = p.B.shows(id, text)
		if i := slices.IndexFunc(p.A.Gold.History, func(u record.Utterance) bool { return u.Turn == id }); i >= 0 {
			text = p.A.Gold.History[i].Speaker + ": " + p.A.Gold.History[i].Text
		}
		t.Text = text
		turns = append(turns, t)
	}
	return turns
}

// shows returns the rank of the first block that has a source, 0 for none, and the
// shortest text of those that have it and of another.
func (r Request) shows(id, other string) (rank int, text string) {
	text = other
	for i, b := range r.Evidence {
		if !slices.Contains(b.Sources, id) {
			continue
		}
		if rank == 0 {
			rank = i + 1
		}
		if text == "" || len(b.Text) < len(text) {
			text = b.Text
		}
	}
	return rank, text
}

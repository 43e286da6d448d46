package jsonl

import (
	"strconv"

	"recallbench/datasets"
	"recallbench/internal/jsontree"
)

var questionFields = []string{"type", "sample", "question", "answer", "answers", "abstain", "category", "evidence", "labels", "entities", "time", "id"}

// A question is a line that asks something, with the place where it stands.
type question struct {
	id   string
	text string
	file string
	line int
	gold datasets.Gold
	// evidence and the mentions of gold's entities are checked when all turns
	// are known.
	evidence []string
}

// question reads what is asked of a sample.
func (l *loader) question(c *jsontree.Cursor) {
	known(c, questionFields)
	s := l.sample(c)
	text, ok := required(c, "question")
	r := datasets.Request{ID: c.OptionalScalar("id"), Text: text, Time: clock(c)}
	q := question{file: l.faults.File, line: l.line, gold: l.answer(c), evidence: evidence(c)}
	if s == nil || !ok {
		return
	}
	if r.ID == "" {
		r.ID = "q" + strconv.Itoa(len(s.Requests)+1)
	}
	if s.asked[r.ID] {
		c.Faultf("id %q is already that of another question of sample %q", r.ID, s.ID)
	}
	s.asked[r.ID] = true
	q.id, q.text = r.ID, text
	s.Requests = append(s.Requests, r)
	s.questions = append(s.questions, q)
}

package jsonl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/files/jsontree"
)

// answer reads what a question should be answered, without its evidence.
func (l *loader) answer(c *jsontree.Cursor) datasets.Gold {
	g := datasets.Gold{Category: l.category(c)}
	if f := c.Optional("abstain"); f != nil && f.Is(jsontree.Bool) {
		g.Abstain = f.Value.Text == "true"
	}
	switch {
	case g.Abstain && (c.Optional("answer") != nil || c.Optional("answers") != nil):
		c.Faultf("abstain is true, and yet there is an answer; want one of them")
	case !g.Abstain:
		g.Answer, _ = c.Required("answer")
		g.Variants = l.variants(c, g.Answer)
	}
	g.Labels, g.Entities = labels(c), l.entities(c)
	return g
}

// variants reads the other answers that are right.
func (l *loader) variants(c *jsontree.Cursor, answer string) []string {
	f := c.Optional("answers")
	if f == nil {
		return nil
	}
	var all []string
	for _, text := range f.Texts() {
		if text == answer || slices.Contains(all, text) {
			l.set.Warn("answer is there twice; counted once", fmt.Sprintf("%s:%d: %s", l.faults.File, l.line, text))
			continue
		}
		all = append(all, text)
	}
	return all
}

// labels reads what results may be split by.
func labels(c *jsontree.Cursor) map[string]string {
	f := c.Optional("labels")
	if f == nil || !f.Is(jsontree.Object) {
		return nil
	}
	var all map[string]string
	for i := range f.Value.Fields {
		item := f.At(i)
		switch name := item.Name(); {
		case item.Value.Kind != jsontree.Number && !item.Is(jsontree.String):
		case strings.TrimSpace(name) == "":
			f.Faultf("a label has no name")
		case name == "category":
			item.Faultf("is no name for a label; the question has a field of that name")
		case strings.TrimSpace(item.Value.Text) == "":
			item.Faultf("is empty")
		default:
			if all == nil {
				all = make(map[string]string)
			}
			all[name] = item.Value.Text
		}
	}
	return all
}

// category reads the category of a question and makes it known to the set.
func (l *loader) category(c *jsontree.Cursor) string {
	id := datasets.Uncategorised
	if c.Optional("category") != nil {
		id, _ = c.Required("category")
	}
	name := id
	if l.vocabulary != nil && id != "" && id != datasets.Uncategorised {
		var ok bool
		if id, ok = l.vocabulary.ID(name); !ok {
			c.Faultf("category %q is none of %s, which has %s", name, l.vocabulary.Name, strings.Join(l.vocabulary.List(), ", "))
		}
	}
	if id != "" && !l.categories[id] {
		l.categories[id] = true
		l.set.Categories = append(l.set.Categories, datasets.Category{ID: id, Name: name})
	}
	return id
}

// evidence reads the ids that a question names.
func evidence(c *jsontree.Cursor) []string {
	f := c.Optional("evidence")
	if f == nil || !f.Is(jsontree.Array) {
		return nil
	}
	var ids []string
	for _, item := range f.Items() {
		if item.Value.Kind != jsontree.Number && !item.Is(jsontree.String) {
			continue
		}
		ids = append(ids, item.Value.Text)
	}
	return ids
}

// gold records what the questions of a sample should be answered. Texts are those of
// the turns; nil where no question mentions any.
func (l *loader) gold(s *sample, texts map[string]string) {
	for _, q := range s.questions {
		g := q.gold
		seen := make(map[string]bool)
		l.faults.File = q.file
		for _, id := range q.evidence {
			switch {
			case !s.turns[id]:
				l.faults.Addf(q.line, "question: evidence %q is no turn of sample %q%s", id, s.ID, l.meant(id, s.turnIDs))
			case seen[id]:
				l.set.Warn("evidence names a turn twice; counted once", s.ID+": "+q.id+" "+id)
			default:
				seen[id] = true
				g.Evidence = append(g.Evidence, id)
			}
		}
		l.mentions(s, q, texts)
		l.set.SetGold(s.ID, q.id, g)
	}
}

// turnIDs returns the ids of the turns in order.
func (s *sample) turnIDs() []string {
	var ids []string
	for _, session := range s.Sessions {
		for _, t := range session.Turns {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

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

// mentions reports whether an entity of the question is mentioned in a turn.
func (q question) mentions() bool {
	return slices.ContainsFunc(q.gold.Entities, func(e datasets.Entity) bool { return len(e.Mentions) > 0 })
}

// question reads what is asked of a sample, and returns that.
func (l *loader) question(c *jsontree.Cursor) *sample {
	c.Only(questionFields)
	s := l.sample(c)
	text, ok := c.Required("question")
	r := datasets.Request{ID: c.OptionalScalar("id"), Text: text, Time: clock(c)}
	q := question{file: l.faults.File, line: l.line, gold: l.answer(c), evidence: evidence(c)}
	if s == nil || !ok {
		return s
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
	return s
}

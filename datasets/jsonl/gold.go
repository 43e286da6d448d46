package jsonl

import (
	"recallbench/datasets"
	"recallbench/internal/jsontree"
)

// answer reads what a question should be answered, without its evidence.
func (l *loader) answer(c *jsontree.Cursor) datasets.Gold {
	g := datasets.Gold{Category: l.category(c)}
	if f := c.Optional("abstain"); f != nil && f.Is(jsontree.Bool) {
		g.Abstain = f.Value.Text == "true"
	}
	switch {
	case g.Abstain && c.Optional("answer") != nil:
		c.Faultf("abstain is true, and yet there is an answer; want one of them")
	case !g.Abstain:
		g.Answer, _ = required(c, "answer")
	}
	return g
}

// category reads the category of a question and makes it known to the set.
func (l *loader) category(c *jsontree.Cursor) string {
	id := uncategorised
	if c.Optional("category") != nil {
		id, _ = required(c, "category")
	}
	if id != "" && !l.categories[id] {
		l.categories[id] = true
		l.set.Categories = append(l.set.Categories, datasets.Category{ID: id, Name: id})
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

// gold records what the questions of a sample should be answered.
func (l *loader) gold(s *sample) {
	for _, q := range s.questions {
		g := q.gold
		seen := make(map[string]bool)
		for _, id := range q.evidence {
			switch {
			case !s.turns[id]:
				l.faults.File = q.file
				l.faults.Addf(q.line, "question: evidence %q is no turn of sample %q%s", id, s.ID, l.meant(id, s.turnIDs))
			case seen[id]:
				l.set.Warn("evidence names a turn twice; counted once", s.ID+": "+q.id+" "+id)
			default:
				seen[id] = true
				g.Evidence = append(g.Evidence, id)
			}
		}
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

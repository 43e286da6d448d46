package jsonl

import (
	"math"
	"unicode/utf8"

	"recallbench/datasets"
	"recallbench/internal/files/jsontree"
)

var (
	entityFields  = []string{"id", "names", "mentions"}
	mentionFields = []string{"turn", "start", "end"}
)

// entities reads what a question and its answer are about.
func (l *loader) entities(c *jsontree.Cursor) []datasets.Entity {
	f := c.Optional("entities")
	if f == nil || !f.Is(jsontree.Array) {
		return nil
	}
	var all []datasets.Entity
	seen := make(map[string]bool)
	for _, item := range f.Items() {
		if !item.Is(jsontree.Object) {
			continue
		}
		item.Only(entityFields)
		id, ok := item.Required("id")
		if ok && seen[id] {
			item.Faultf("id %q is already that of another entity of the question", id)
		}
		seen[id] = true
		e := datasets.Entity{ID: id}
		if names := item.Field("names", jsontree.Array); names != nil {
			if len(names.Value.Items) == 0 {
				names.Faultf("is empty, want one name or more")
			}
			e.Names = names.Texts()
		}
		e.Mentions = places(item)
		all = append(all, e)
	}
	return all
}

// places reads where an entity is mentioned.
func places(c *jsontree.Cursor) []datasets.Mention {
	f := c.Optional("mentions")
	if f == nil || !f.Is(jsontree.Array) {
		return nil
	}
	var all []datasets.Mention
	for _, item := range f.Items() {
		if !item.Is(jsontree.Object) {
			continue
		}
		item.Only(mentionFields)
		start, ok := item.Int("start")
		end, ok2 := item.Int("end")
		if !ok || !ok2 {
			continue
		}
		if start < 0 || end <= start || end > math.MaxInt32 {
			item.Faultf("start %d and end %d are no place in a text, want 0 <= start < end", start, end)
			continue
		}
		all = append(all, datasets.Mention{Turn: item.OptionalScalar("turn"), Start: start, End: end})
	}
	return all
}

// mentions checks the places of a question's entities.
func (l *loader) mentions(s *sample, q question, texts map[string]string) {
	for _, e := range q.gold.Entities {
		for _, m := range e.Mentions {
			text, where := q.text, "the question"
			if m.Turn != "" {
				var ok bool
				if text, ok = texts[m.Turn]; !ok {
					l.faults.Addf(q.line, "question: entity %q: mention in %q, which is no turn of sample %q%s", e.ID, m.Turn, s.ID, l.meant(m.Turn, s.turnIDs))
					continue
				}
				where = "turn " + m.Turn
			}
			switch {
			case m.End > len(text):
				l.faults.Addf(q.line, "question: entity %q: mention ends at byte %d of %s, which has %d", e.ID, m.End, where, len(text))
			case !boundary(text, m.Start) || !boundary(text, m.End):
				l.faults.Addf(q.line, "question: entity %q: mention from byte %d to %d of %s begins or ends within a character", e.ID, m.Start, m.End, where)
			}
		}
	}
}

// textsOf returns the texts of a sample's turns by their ids.
func textsOf(s datasets.Sample) map[string]string {
	texts := make(map[string]string)
	for _, session := range s.Sessions {
		for _, t := range session.Turns {
			texts[t.ID] = t.Text
		}
	}
	return texts
}

// boundary tells whether a character begins at an offset, or the text ends.
func boundary(text string, at int) bool { return at == len(text) || utf8.RuneStart(text[at]) }

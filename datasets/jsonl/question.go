package jsonl

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsontree"
)

// A question is a question with its position in the file.
type question struct {
	id   string
	text string
	file string
	line int
	gold datasets.Gold
	// evidence and the mentions of gold's entities are checked when all turns
	// are known.
	evidence []jsontree.Text
}

// question reads a question.
func (l *loader) question(c *jsontree.Cursor) {
	var line questionLine
	if !c.Decode(&line) {
		return
	}
	q := question{
		id: string(line.ID), text: line.Question, file: l.faults.File, line: l.line,
		gold: l.gold(c, &line), evidence: line.Evidence,
	}
	s := l.sample(string(line.Sample))
	if q.id == "" {
		q.id = "q" + strconv.Itoa(len(s.Requests)+1)
	}
	if slices.ContainsFunc(s.questions, func(old question) bool { return old.id == q.id }) {
		c.Faultf("id %q is already that of another question of conversation %q", q.id, s.ID)
	}
	s.Requests = append(s.Requests, datasets.Request{ID: q.id, Text: q.text, Time: clock(c, line.Time)})
	s.questions = append(s.questions, q)
}

// gold reads the gold answer of a question, without its evidence.
func (l *loader) gold(c *jsontree.Cursor, line *questionLine) datasets.Gold {
	g := datasets.Gold{Category: l.category(c, line.Category), Abstain: line.Abstain, Entities: entities(c, line.Entities), Values: line.Values}
	if g.Values != nil {
		if err := g.Values.Check(); err != nil {
			c.Field("values").Faultf("%v", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(line.Labels)) {
		value := line.Labels[name]
		switch {
		case strings.TrimSpace(name) == "" || blank(value):
			c.Field("labels").Faultf("a label has no name or no value")
		case name == "category":
			c.Field("labels").Faultf("category cannot be a label; use the question's field category")
		case g.Labels == nil:
			g.Labels = make(map[string]string)
		}
		if g.Labels != nil {
			g.Labels[name] = string(value)
		}
	}
	switch {
	case g.Abstain && (line.Answer != nil || line.Answers != nil):
		c.Faultf("abstain is true, but there is an answer; want one of them")
	case g.Abstain:
	case line.Answer == nil:
		c.Faultf("%q is missing, want a string", "answer")
	case blank(*line.Answer) || slices.ContainsFunc(line.Answers, blank):
		c.Faultf("an answer is empty")
	default:
		g.Answer = string(*line.Answer)
		for _, answer := range line.Answers {
			text := string(answer)
			if text == g.Answer || slices.Contains(g.Variants, text) {
				l.set.Warn("answer is listed twice; counted once", fmt.Sprintf("%s:%d: %s", l.faults.File, l.line, text))
				continue
			}
			g.Variants = append(g.Variants, text)
		}
	}
	return g
}

func blank(t jsontree.Text) bool { return strings.TrimSpace(string(t)) == "" }

// category returns the category of a question and registers it with the set.
func (l *loader) category(c *jsontree.Cursor, given *jsontree.Text) string {
	id := datasets.Uncategorised
	if given != nil {
		id = string(*given)
	}
	if strings.TrimSpace(id) == "" {
		c.Faultf("%q is empty", "category")
	}
	name := id
	if l.vocabulary != nil && id != datasets.Uncategorised {
		var ok bool
		if id, ok = l.vocabulary.ID(name); !ok {
			c.Faultf("category %q is not in %s, which has %s", name, l.vocabulary.Name, strings.Join(l.vocabulary.List(), ", "))
		}
	}
	if !slices.ContainsFunc(l.set.Categories, func(c datasets.Category) bool { return c.ID == id }) {
		l.set.Categories = append(l.set.Categories, datasets.Category{ID: id, Name: name})
	}
	return id
}

// entities reads the entities of a question and its answer at a cursor.
func entities(c *jsontree.Cursor, lines []entityLine) []datasets.Entity {
	var all []datasets.Entity
	fault := func(i int, format string, args ...any) {
		c.Field("entities").Items()[i].Faultf(format, args...)
	}
	for i, of := range lines {
		e := datasets.Entity{ID: string(of.ID), Names: lists.Map(of.Names, func(name jsontree.Text) string { return string(name) })}
		if slices.ContainsFunc(all, func(have datasets.Entity) bool { return have.ID == e.ID }) {
			fault(i, "id %q is already that of another entity of the question", e.ID)
		}
		if len(of.Names) == 0 || slices.ContainsFunc(of.Names, blank) {
			fault(i, "names is empty or contains an empty name, want at least one name")
		}
		for _, m := range of.Mentions {
			if m.Start < 0 || m.End <= m.Start || m.End > math.MaxInt32 {
				fault(i, "start %d and end %d are not a range, want 0 <= start < end", m.Start, m.End)
			}
			e.Mentions = append(e.Mentions, datasets.Mention{Turn: string(m.Turn), Start: m.Start, End: m.End})
		}
		all = append(all, e)
	}
	return all
}

// setGold records the gold answers of a conversation.
func (l *loader) setGold(s *sample) {
	for _, q := range s.questions {
		g := q.gold
		l.faults.File = q.file
		for _, id := range q.evidence {
			id := string(id)
			_, known := s.texts[id]
			switch {
			case !known:
				l.faults.Addf(q.line, "question: the evidence names turn %q, which conversation %q does not have%s", id, s.ID, l.meant(id, s.turnIDs))
			case slices.Contains(g.Evidence, id):
				l.set.Warn("evidence names a turn twice; counted once", s.ID+": "+q.id+" "+id)
			default:
				g.Evidence = append(g.Evidence, id)
			}
		}
		for _, e := range g.Entities {
			for _, m := range e.Mentions {
				l.mention(s, q, e.ID, m)
			}
		}
		l.set.SetGold(s.ID, q.id, g)
	}
}

// mention checks where an entity of a question is mentioned.
func (l *loader) mention(s *sample, q question, entity string, m datasets.Mention) {
	text, where := q.text, "the question"
	if m.Turn != "" {
		var ok bool
		if text, ok = s.texts[m.Turn]; !ok {
			l.faults.Addf(q.line, "question: entity %q is mentioned in %q, but conversation %q has no such turn%s", entity, m.Turn, s.ID, l.meant(m.Turn, s.turnIDs))
			return
		}
		where = "turn " + m.Turn
	}
	boundary := func(at int) bool { return at == len(text) || utf8.RuneStart(text[at]) }
	switch {
	case m.End > len(text):
		l.faults.Addf(q.line, "question: entity %q: mention ends at byte %d of %s, which has %d", entity, m.End, where, len(text))
	case !boundary(m.Start) || !boundary(m.End):
		l.faults.Addf(q.line, "question: entity %q: mention from byte %d to %d of %s begins or ends within a character", entity, m.Start, m.End, where)
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

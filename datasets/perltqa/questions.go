package perltqa

import (
	"slices"
	"strconv"

	"recallbench/datasets"
	"recallbench/internal/files/jsontree"
)

// A question is one about a character.
type question struct {
	*jsontree.Cursor
	section Section
	group   string // the id of the memory that it stands under; "" under none
	id      string
	text    string
	gold    datasets.Gold
}

// block reads the questions about a character.
func (l *loader) block(name string, c *jsontree.Cursor) {
	l.unwrap(c)
	if !c.Is(jsontree.Object) {
		return
	}
	for _, f := range c.Value.Fields {
		if !slices.Contains(sections(), Section(f.Name)) {
			l.warn("field of a character's questions is no section; not read", c.Path()+f.Name)
		}
	}
	b := l.banks[name]
	// A question's text is no key, as some come twice. Its place among all of
	// the character's is: whatever the options leave out has its number, too.
	// The id says neither section nor memory, which methods are not to know.
	n := 0
	var asked []question
	for _, section := range sections() {
		chosen := slices.Contains(l.options.Sections, section)
		l.quiet = !chosen
		for _, q := range l.questions(c, section) {
			q.id = "q" + strconv.Itoa(n)
			n++
			if b == nil {
				l.warn("question is about a character without a memory; it cannot be asked: "+string(section), q.Path())
				continue
			}
			if l.ask(b, &q) && chosen {
				asked = append(asked, q)
			}
		}
	}
	l.quiet = false
	if b != nil {
		l.sample(b, asked)
	}
}

// sample makes a sample of a character with the questions asked.
func (l *loader) sample(b *bank, asked []question) {
	s := b.sample(l.options.Memory)
	switch {
	case len(s.Sessions) == 0:
		l.warn("character has nothing in the chosen sections of its memory; left out", b.name)
		return
	case len(asked) == 0:
		l.warn("character has no question in the chosen sections; left out", b.name)
		return
	}
	first := make(map[string]bool)
	for _, q := range spread(asked, l.options.MaxQuestions) {
		if first[q.text] {
			l.warn("question is asked a second time; kept", q.Path())
		}
		first[q.text] = true
		s.Requests = append(s.Requests, datasets.Request{ID: q.id, Text: q.text})
		l.set.SetGold(s.ID, q.id, q.gold)
	}
	l.set.Fill(s)
}

// spread takes n of the questions at even distances, all where n is 0.
func spread(questions []question, n int) []question {
	if n == 0 || n >= len(questions) {
		return questions
	}
	out := make([]question, n)
	for i := range out {
		out[i] = questions[i*len(questions)/n]
	}
	return out
}

// questions returns the questions of a section: items of an array, or grouped
// under the id of a memory by an object or an array of objects.
func (l *loader) questions(c *jsontree.Cursor, section Section) []question {
	s := c.Optional(string(section))
	if s == nil {
		l.warn("section of a character's questions is not there; taken as empty", c.Path()+string(section))
		return nil
	}
	var out []question
	group := func(f *jsontree.Cursor) {
		if !f.Is(jsontree.Array) {
			return
		}
		for _, item := range f.Items() {
			if item.Is(jsontree.Object) {
				out = append(out, question{Cursor: item, section: section, group: f.Name()})
			}
		}
	}
	if s.Value.Kind == jsontree.Object {
		for _, f := range fields(s) {
			group(f)
		}
		return out
	}
	if !s.Is(jsontree.Array) {
		return nil
	}
	for _, item := range s.Items() {
		switch {
		case !item.Is(jsontree.Object):
		case item.Value.Get("Question") != nil:
			out = append(out, question{Cursor: item, section: section})
		default:
			for _, f := range fields(item) {
				group(f)
			}
		}
	}
	return out
}

// ask reads a question and tells whether it can be asked.
func (l *loader) ask(b *bank, q *question) bool {
	var answer string
	for _, f := range []struct {
		name string
		text *string
	}{{"Question", &q.text}, {"Answer", &answer}} {
		if q.Value.Get(f.name) == nil {
			q.Faultf("%q is missing, want a string", f.name)
			return false
		}
		if *f.text = l.optional(q.Cursor, f.name); *f.text == "" {
			l.warn("question has no text or no answer; left out", q.Path()+"."+f.name)
			return false
		}
	}
	evidence, found := l.evidence(b, *q)
	if !found && l.options.Unresolved == Drop {
		return false
	}
	reference := "found"
	if !found {
		reference = "missing"
	}
	q.gold = datasets.Gold{
		Category: string(q.section),
		Answer:   answer,
		Evidence: evidence,
		Labels:   map[string]string{"reference": reference},
	}
	return true
}

package perltqa

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/files/jsontree"
)

// A question is one about a character.
type question struct {
	At        *jsontree.Cursor `json:"-"`
	Text      *jsontree.Cursor `json:"Question" want:"required"`
	Answer    *jsontree.Cursor `json:"Answer" want:"required"`
	Reference string           `json:"Reference Memory"`

	group string // the id of the memory it belongs to; "" for none
}

// block reads the questions about a character.
func (l *loader) block(name string, c *jsontree.Cursor) {
	for _, f := range c.Value.Fields {
		if !slices.Contains(sections(), Section(f.Name)) {
			l.warn("field of a character's questions is not a section; not read", c.Path()+f.Name)
		}
	}
	b := l.banks[name]
	// A question's text is not a key, as some occur twice. Its position among
	// all of the character's questions is: those that the options leave out are
	// numbered, too. The id contains neither section nor memory, which methods
	// must not know.
	n := 0
	var asked []datasets.Request
	golds, first := make(map[string]datasets.Gold), make(map[string]bool)
	for _, section := range sections() {
		chosen := slices.Contains(l.options.Sections, section)
		l.quiet = !chosen
		for _, q := range l.questions(c, section) {
			id := "q" + strconv.Itoa(n)
			n++
			if b == nil {
				l.warn("question is about a character without a memory; left out: "+string(section), q.At.Path())
				continue
			}
			text, answer := l.text(q.Text), l.text(q.Answer)
			if text == "" || answer == "" {
				l.warn("question has no text or no answer; left out", q.At.Path())
				continue
			}
			evidence, found := l.evidence(b, section, q)
			if !chosen || !found && l.options.Unresolved == Drop {
				continue
			}
			if first[text] {
				l.warn("question is asked a second time; kept", q.At.Path())
			}
			first[text] = true
			reference := "found"
			if !found {
				reference = "missing"
			}
			golds[id] = datasets.Gold{Category: string(section), Answer: answer, Evidence: evidence, Labels: map[string]string{"reference": reference}}
			asked = append(asked, datasets.Request{ID: id, Text: text})
		}
	}
	l.quiet = false
	switch {
	case b == nil:
	case len(asked) == 0 || len(b.sessions) == 0:
		l.warn("character has no question in the chosen sections, or no memory; left out", name)
	default:
		s := b.sample()
		s.Requests = spread(asked, l.options.MaxQuestions)
		for _, r := range s.Requests {
			l.set.SetGold(s.ID, r.ID, golds[r.ID])
		}
		l.set.Fill(s)
	}
}

// spread takes n of the questions at even distances, all if n is 0.
func spread(questions []datasets.Request, n int) []datasets.Request {
	if n == 0 || n >= len(questions) {
		return questions
	}
	out := make([]datasets.Request, n)
	for i := range out {
		out[i] = questions[i*len(questions)/n]
	}
	return out
}

// questions returns the questions of a section, an array of them or of objects with
// those about one memory under its id.
func (l *loader) questions(c *jsontree.Cursor, section Section) []question {
	s := c.Field(string(section))
	if s == nil {
		l.warn("section of a character's questions is missing; treated as empty", c.Path()+string(section))
		return nil
	}
	if !s.Is(jsontree.Array) {
		return nil
	}
	var all []question
	for _, item := range s.Items() {
		if !item.Is(jsontree.Object) {
			continue
		}
		if item.Value.Get("Question") != nil || item.Value.Get("Answer") != nil {
			var q question
			if item.Decode(&q) {
				all = append(all, q)
			}
			continue
		}
		for _, f := range item.Fields() {
			var group []question
			if f.Decode(&group) {
				for i := range group {
					group[i].group = f.Name()
				}
				all = append(all, group...)
			}
		}
	}
	return all
}

// memoryID is the id of a memory: character, relationship, event and dialogue
// as far as they apply, such as 4_0, 4_0_0 and 4_0_0#0.
var memoryID = regexp.MustCompile(`[0-9]+(?:_[0-9]+)+(?:#[0-9]+)?`)

// evidence returns the ids of the turns with the memories that a question names, and
// whether the bank has all of them. In the release they are the field of a profile, or
// the id of the group in a list as Python prints it, "['4_0_0']".
func (l *loader) evidence(b *bank, section Section, q question) (turns []string, found bool) {
	names := []string{q.Reference}
	switch text := strings.TrimSpace(q.Reference); {
	case strings.HasPrefix(text, "["):
		names = memoryID.FindAllString(text, -1)
	case text == "" && q.group != "":
		l.warn("question has no reference; that of its group is used", q.At.Path())
		names = []string{q.group}
	case text == "":
		l.warn("question names no memory", q.At.Path())
		return nil, false
	}
	if q.group != "" && !slices.Equal(names, []string{q.group}) {
		l.warn("question names another memory than its group; the named one is used", q.At.Path()+" "+quote(strings.Join(names, ", ")))
	}
	found = len(names) > 0
	for _, name := range names {
		held := b.memories[name]
		if section == Profile && held == nil {
			held = b.memories[profileID(name)]
		}
		if held == nil {
			l.warn("question names a missing memory", q.At.Path()+" "+quote(name))
			found = false
		}
		for _, id := range held {
			if !slices.Contains(turns, id) {
				turns = append(turns, id)
			}
		}
	}
	return turns, found
}

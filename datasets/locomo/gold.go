package locomo

import (
	"regexp"
	"slices"
	"strconv"

	"recallbench/datasets"
	"recallbench/internal/files/jsontree"
)

// reference is a turn's id as evidence has it: "D8:6", and by mistake also
// "D:11:26" and "D30:05".
var reference = regexp.MustCompile(`D:?0*(\d+):0*(\d+)`)

// gold reads what a question should be answered and records it.
func (l *loader) gold(q question, sample string, turns map[string]bool) {
	g := datasets.Gold{Category: q.category, Evidence: l.evidence(q, turns)}
	if q.category == "5" {
		// Two questions have an answer beside it, and they too ask for
		// what was not said.
		g.Abstain, g.Lure = true, q.OptionalScalar("adversarial_answer")
		if q.Optional("answer") != nil {
			l.warn("adversarial question has an answer; gold is an abstention all the same", q.Path())
		}
	} else {
		g.Answer = l.answer(q)
	}
	if q.asked {
		l.set.SetGold(sample, q.id, g)
	}
}

// answer reads the gold answer: a string, or a number, whose digits it is.
func (l *loader) answer(q question) string {
	c := q.Optional("answer")
	switch {
	case c == nil:
		if q.category != "" { // else the fault is the category
			q.Faultf("\"answer\" is missing, want a string")
		}
		return ""
	case c.Value.Kind == jsontree.Number:
		l.warn("answer is a number; taken as its digits", q.Path())
		return c.Value.Text
	case !c.Is(jsontree.String):
		return ""
	}
	answer := l.trim(c.Value.Text, q.Cursor, "answer")
	if answer == "" {
		c.Faultf("the answer is empty")
	}
	return answer
}

// evidence reads the ids of the turns that an answer rests on. Strings of the
// release may hold several, or something else besides.
func (l *loader) evidence(q question, turns map[string]bool) []string {
	c := q.Field("evidence", jsontree.Array)
	if c == nil {
		return nil
	}
	var ids []string
	seen := make(map[string]bool)
	for _, item := range c.Items() {
		if !item.Is(jsontree.String) {
			continue
		}
		text := item.Value.Text
		matches := reference.FindAllStringSubmatch(text, -1)
		switch {
		case len(matches) == 0:
			l.warn("evidence holds no turn id; left out", item.Path()+" "+quote(text))
		case len(matches) > 1 || !turnID.MatchString(text):
			l.warn("evidence is not one turn id; what ids it holds are taken", item.Path()+" "+quote(text))
		}
		for _, m := range matches {
			id := "D" + m[1] + ":" + m[2]
			switch {
			case !turns[id]:
				l.warn("evidence points at no turn; left out", item.Path()+" "+id)
			case seen[id]:
				l.warn("evidence names a turn twice; counted once", item.Path()+" "+id)
			default:
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 {
		l.warn("question has no evidence", q.Path())
	}
	return ids
}

// quote shows the beginning of a text.
func quote(text string) string {
	const most = 40
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "..."
	}
	return strconv.Quote(text)
}

// A question is an item of qa.
type question struct {
	*jsontree.Cursor
	id       string // q and the position in the file from 0, whatever is left out
	category string
	asked    bool
}

// questions reads what is asked into s. A question's text is no key, as twelve
// of the release come twice in a conversation; its position is.
func (l *loader) questions(qa *jsontree.Cursor, s *datasets.Sample) []question {
	var questions []question
	first := make(map[string]string)
	skip := l.quiet
	for i, c := range qa.Items() {
		if !c.Is(jsontree.Object) {
			continue
		}
		q := question{Cursor: c, id: "q" + strconv.Itoa(i), category: l.category(c)}
		q.asked = l.options.asks(q.category)
		l.quiet = skip || !q.asked
		text, ok := c.Text("question")
		if text = l.trim(text, c, "question"); ok && text == "" {
			c.Faultf("question is empty")
		}
		questions = append(questions, q)
		if !q.asked {
			continue
		}
		if _, ok := first[text]; ok {
			l.warn("question is asked a second time; kept", c.Path())
		}
		first[text] = q.id
		s.Requests = append(s.Requests, datasets.Request{ID: q.id, Text: text})
	}
	l.quiet = skip
	return questions
}

// category reads the id of a question's category, "" if it has none.
func (l *loader) category(c *jsontree.Cursor) string {
	n, ok := c.Int("category")
	if !ok {
		return ""
	}
	id := strconv.Itoa(n)
	if !slices.ContainsFunc(Categories(), func(k datasets.Category) bool { return k.ID == id }) {
		c.Faultf("category is %d, want 1, 2, 3, 4 or 5", n)
		return ""
	}
	return id
}

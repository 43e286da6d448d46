package locomo

import (
	"slices"
	"strconv"

	"recallbench/datasets"
	"recallbench/internal/jsontree"
)

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

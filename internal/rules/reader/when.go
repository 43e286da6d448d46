package reader

import (
	"strconv"
	"time"

	"recallbench/internal/text/timex"
)

// when answers a question for a point in time: with the expression of time
// that belongs to the best sentence that has one, or else with the day on
// which the best sentence was said.
func (q *query) when(ranked []candidate) (string, []candidate) {
	for _, c := range ranked {
		if c.score < ranked[0].score-tie/2 {
			break
		}
		if e, ok := q.point(c); ok {
			return q.phrase(e), []candidate{c}
		}
	}
	for _, c := range ranked {
		if c.score < ranked[0].score-tie {
			break
		}
		if text := q.begun(c); text != "" {
			return text, []candidate{c}
		}
	}
	c := ranked[0]
	if c.line.time.IsZero() {
		return "", nil
	}
	return timex.FormatDay(c.line.time), ranked[:1]
}

// point is the expression of time that belongs to a candidate: in the
// sentence, else elsewhere in its line.
func (q *query) point(c candidate) (timex.Expr, bool) {
	for _, e := range c.sentence().exprs {
		if e.Resolved() && q.agrees(e, c) {
			return e, true
		}
	}
	for i := range c.line.sentences {
		for _, e := range c.line.sentences[i].exprs {
			if e.Resolved() && q.agrees(e, c) {
				return e, true
			}
		}
	}
	return timex.Expr{}, false
}

// phrase writes a time as finely as the question asks: "which month" and
// "what year" want no more.
func (q *query) phrase(e timex.Expr) string {
	if q.grain == timex.Year {
		return e.From.Format("2006")
	}
	if q.grain == timex.Month {
		return timex.FormatMonth(e.From)
	}
	return e.Phrase
}

// beginnings are the verbs of questions for when something began.
var beginnings = set("start begin get adopt buy join become meet move marry found open take learn")

// begun answers when something began that has been going on for a stated
// time: "I've had them for three years now".
func (q *query) begun(c candidate) string {
	if !beginnings[q.verbLow] || c.line.time.IsZero() {
		return ""
	}
	for _, e := range c.sentence().exprs {
		switch {
		case e.Kind != timex.Duration:
		case e.Years > 0:
			return strconv.Itoa(c.line.time.Year() - e.Years)
		case e.Months > 0:
			first := time.Date(c.line.time.Year(), c.line.time.Month()-time.Month(e.Months), 1, 0, 0, 0, 0, time.UTC)
			return timex.FormatMonth(first)
		case e.Days > 0:
			return timex.FormatDay(c.line.time.AddDate(0, 0, -e.Days))
		}
	}
	return ""
}

// agrees reports whether a time can answer the question: what did happen lies
// before the line, or on its day; what is planned does not.
func (q *query) agrees(e timex.Expr, c candidate) bool {
	t := c.line.time
	if t.IsZero() {
		return true
	}
	if q.planned {
		return e.To.After(t)
	}
	return q.tense != "did" || e.From.Before(t)
}

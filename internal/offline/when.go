package offline

import "recallbench/internal/timex"

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
		if e.Resolved() {
			return e, true
		}
	}
	for i := range c.line.sentences {
		for _, e := range c.line.sentences[i].exprs {
			if e.Resolved() {
				return e, true
			}
		}
	}
	return timex.Expr{}, false
}

// phrase writes a time as finely as the question asks: "which month" and
// "what year" want no more.
func (q *query) phrase(e timex.Expr) string {
	switch q.focusTime {
	case timex.Year:
		return e.From.Format("2006")
	case timex.Month:
		return timex.FormatMonth(e.From)
	}
	return e.Phrase
}

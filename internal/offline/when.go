package offline

import "recallbench/internal/timex"

// when answers a question for a point in time.
func (q *query) when(ranked []candidate) (string, candidate, bool) {
	top := ranked[0].score
	for _, c := range ranked {
		if c.score < top-0.25 {
			break
		}
		if e, ok := q.point(c); ok {
			return e.Phrase, c, true
		}
	}
	c := ranked[0]
	if c.line.time.IsZero() {
		return "", c, false
	}
	return timex.FormatDay(c.line.time), c, true
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

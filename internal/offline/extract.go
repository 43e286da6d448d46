package offline

import "math"

// extract finds the answer in the ranked sentences and says which it used.
func (q *query) extract(ranked []candidate) (string, []candidate) {
	if len(ranked) == 0 {
		return "", nil
	}
	if q.kind == askWhen {
		if text, c, ok := q.when(ranked); ok {
			return text, []candidate{c}
		}
	}
	best := q.best(ranked)
	return q.render(best), []candidate{best.candidate}
}

// best returns the span with the highest score.
func (q *query) best(ranked []candidate) span {
	best := span{score: math.Inf(-1)}
	for _, c := range ranked[:min(considered, len(ranked))] {
		d := q.describer(c)
		spans(d.s, func(from, to int) {
			v := d.span(from, to)
			score := 0.0
			for i, x := range v {
				score += weights[i] * x
			}
			if score > best.score {
				best = span{candidate: c, from: from, to: to, score: score}
			}
		})
	}
	return best
}

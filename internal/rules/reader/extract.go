package reader

import (
	"cmp"
	"slices"

	"recallbench/internal/text/timex"
)

// extract finds the answer in the ranked sentences and says which it used.
func (q *query) extract(ranked []candidate) (string, []candidate) {
	if len(ranked) == 0 || !ranked[0].supported() {
		return "", nil
	}
	text, used := "", []candidate(nil)
	switch q.kind {
	case askWhen:
		text, used = q.when(ranked)
	case askYesNo, askLikely:
		return q.polar(ranked)
	case askChoice:
		text, used = q.choose(ranked)
	case askHowMany:
		text, used = q.count(ranked)
	case askHowLong:
		text, used = q.length(ranked, timex.Duration)
	case askHowOften:
		text, used = q.length(ranked, timex.Frequency)
	case askWhy:
		text, used = q.reason(ranked)
	case askHow:
		text, used = q.feeling(ranked)
	case askThing:
		text, used = q.name(ranked)
	case askWho, askWhere, askDo, askStatement:
	}
	if text != "" {
		return text, used
	}
	best := q.best(ranked)
	if len(best) == 0 {
		return "", nil
	}
	if q.plural && q.kind != askHowMany {
		if text, used := q.instances(ranked); text != "" {
			return text, used
		}
		return q.list(best)
	}
	return q.render(q.tidy(best[0])), []candidate{best[0].candidate}
}

// best returns the best span of each line, best first. It looks for them once:
// a query has one evidence.
func (q *query) best(ranked []candidate) []span {
	if q.found == nil {
		q.found = q.search(ranked)
	}
	return q.found
}

// search finds the best span of each of the first lines.
func (q *query) search(ranked []candidate) []span {
	var all []span
	at := make(map[*said]int)
	for _, c := range ranked[:min(considered, len(ranked))] {
		d := q.describer(c)
		spans(d.s, func(from, to int) {
			v := d.span(from, to)
			score := 0.0
			for i, x := range v {
				score += weights[i] * x
			}
			i, ok := at[c.line]
			if !ok {
				i = len(all)
				at[c.line] = i
				all = append(all, span{candidate: c, from: from, to: to, score: score})
			} else if score > all[i].score {
				all[i] = span{candidate: c, from: from, to: to, score: score}
			}
		})
	}
	slices.SortStableFunc(all, func(a, b span) int { return cmp.Compare(b.score, a.score) })
	return all
}

package offline

import (
	"cmp"
	"slices"
	"strings"

	"recallbench/internal/timex"
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
		return q.list(best)
	}
	return q.render(q.tidy(best[0])), []candidate{best[0].candidate}
}

// best returns the best span of each line, best first.
func (q *query) best(ranked []candidate) []span {
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

// A list takes further lines whose best span scores at most listGap less than
// the best, up to listMax.
const (
	listGap = 6.0
	listMax = 3
)

// list joins the answers of several lines.
func (q *query) list(best []span) (string, []candidate) {
	var parts []string
	var used []candidate
	seen := make(map[string]bool)
	for _, p := range best {
		if p.score < best[0].score-listGap || len(parts) == listMax {
			break
		}
		text := q.render(q.tidy(p))
		fresh := 0
		for w := range strings.FieldsSeq(strings.ToLower(text)) {
			if !seen[w] && classOf(w) == content {
				fresh++
			}
		}
		if fresh == 0 {
			continue
		}
		for w := range strings.FieldsSeq(strings.ToLower(text)) {
			seen[w] = true
		}
		parts = append(parts, text)
		used = append(used, p.candidate)
	}
	return strings.Join(parts, ", "), used
}

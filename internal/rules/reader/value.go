package reader

import (
	"cmp"
	"slices"
	"strings"
)

// A found is a value with the sentence that tells it.
type found struct {
	value
	candidate
	worth float64
}

// typed answers a question for a value of a type, such as a telephone number or
// a time of day, from the lines that tell one, and says which type that is. It has
// no answer to other questions, and none where no line has such a value.
func (q *query) typed(m *matcher, speakers []string) (text string, used []candidate, asked want) {
	d := q.demand(serves(speakers))
	if d.want == wantNone {
		return "", nil, wantNone
	}
	q.about(&d)
	d.times = times(m.lines)
	var all []found
	lines := make([]lineWorth, len(m.lines))
	for _, c := range m.out {
		s := c.sentence()
		if s.image {
			continue
		}
		for _, v := range d.values(s) {
			if d.want != wantPlaceKind && q.repeats(s, v) {
				continue
			}
			l := &lines[c.line.index]
			if !l.known {
				*l = q.ofLine(m, &d, c.line)
			}
			all = append(all, found{v, c, l.worth + q.ofValue(m, &d, c, v, l.share)})
		}
	}
	if len(all) == 0 {
		return "", nil, d.want
	}
	best := slices.MaxFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.worth, b.worth), cmp.Compare(b.order, a.order))
	})
	text = cmp.Or(best.text, plainly(best.sentence().words[best.from:best.to]))
	c := best.candidate
	c.score = best.worth
	return text, []candidate{c}, d.want
}

// plainly writes words as they were said, with one space where there was any.
func plainly(words []word) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 && words[i-1].end < w.start {
			b.WriteByte(' ')
		}
		b.WriteString(w.text)
	}
	return b.String()
}

// repeats reports whether a value only says what the question says.
func (q *query) repeats(s *sentence, v value) bool {
	if v.text != "" {
		return false
	}
	for i := v.from; i < v.to; i++ {
		w := &s.words[i]
		if !w.punct && w.class == content && !slices.ContainsFunc(q.words, func(x word) bool { return x.stem == w.stem }) {
			return false
		}
	}
	return true
}

package offline

import (
	"cmp"
	"slices"
)

// A found is a value with the sentence that tells it.
type found struct {
	value
	candidate
	worth float64
}

// typed answers a question for a value of a type, such as a telephone number or
// a time of day, from the lines that tell one. It has no answer to other
// questions, and none where no line has such a value.
func (q *query) typed(m *matcher, speakers []string) (string, []candidate) {
	d := q.demand(serves(speakers))
	if d.want == wantNone {
		return "", nil
	}
	q.about(&d)
	d.times = times(m.lines)
	var all []found
	for _, c := range m.out {
		s := c.sentence()
		if s.image {
			continue
		}
		for _, v := range d.values(s) {
			if d.want != wantPlaceKind && q.repeats(s, v) {
				continue
			}
			all = append(all, found{v, c, q.worth(m, &d, c, v)})
		}
	}
	if len(all) == 0 {
		return "", nil
	}
	best := slices.MaxFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.worth, b.worth), cmp.Compare(b.order, a.order))
	})
	text := best.text
	if text == "" {
		words := best.sentence().words
		text = best.line.text[words[best.from].start:words[best.to-1].end]
	}
	c := best.candidate
	c.score = best.worth
	return text, []candidate{c}
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

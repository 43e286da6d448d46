package reader

import (
	"slices"
	"time"

	"recallbench/internal/text/timex"
)

// A lineView is what the line model sees of a line. Shares are of the question's
// words, rare words counting more.
type lineView struct {
	own, sentence float64 // share found in the line, and in its best sentence
	reply, window float64 // found in the question that it replies to, or within four lines, and not in the line
	person, other bool    // said by the person asked about; by somebody whom the question does not name
	image         float64 // share found in remarks on images
	verb, focus   float64 // how well the main verb, and the noun asked for, are found
	asks          bool    // ends with a question
	about, noDate bool    // at or of a time that the question names; nothing to do with it
	rank          float64 // 1 for the first passage, 1/2 for the ninth; 0 where their order says nothing
	when          bool    // has an expression of time, where one is asked for
	number        bool    // has a number, where one is asked for
	proper        bool    // has a name, where one is asked for
}

// lineModel scores lines: what each feature counts. The weights here and in
// [spanModel] were fitted to five conversations of LoCoMo together with features that
// are left out now, and were not fitted anew. TestFit with -fit shows what one more
// round would make of them. docs/offline.md has the figures.
var lineModel = []struct {
	weight float64
	of     func(v *lineView) float64
}{
	{4.4, func(v *lineView) float64 { return v.own }},
	{1.7, func(v *lineView) float64 { return v.sentence }},
	{4.2, func(v *lineView) float64 { return v.reply }},
	{1.5, func(v *lineView) float64 { return indicator(v.person) }},
	{1.7, func(v *lineView) float64 { return indicator(v.about) }},
	{-2.5, func(v *lineView) float64 { return indicator(v.noDate) }},
	{3.9, func(v *lineView) float64 { return v.rank }},
	{1.9, func(v *lineView) float64 { return indicator(v.when) }},
	{1.0, func(v *lineView) float64 { return indicator(v.number) }},
	{1.9, func(v *lineView) float64 { return indicator(v.proper) }},
	{2.4, func(v *lineView) float64 { return v.window }},
	{-1.2, func(v *lineView) float64 { return indicator(v.other) }},
	{-0.6, func(v *lineView) float64 { return v.image }},
	{0.8, func(v *lineView) float64 { return v.verb }},
	{0.7, func(v *lineView) float64 { return v.focus }},
	{-0.5, func(v *lineView) float64 { return indicator(v.asks) }},
}

// score is the sum of the weighted features.
func (v *lineView) score() float64 {
	x := 0.0
	for _, f := range lineModel {
		x += f.weight * f.of(v)
	}
	return x
}

const (
	halfRank   = 8                   // the rank, from 0, at which lineView.rank is a half
	windowSize = 4                   // lines to each side
	aftermath  = 14 * 24 * time.Hour // how long after an event people still tell of it
	mentioned  = 32 * 24 * time.Hour // the longest time that counts as one that a line is about
)

// describe fills in what the model sees of a line, but the best sentence.
func (m *matcher) describe(l *said, v *lineView) {
	q := m.q
	v.own = m.share(m.row(l))
	if l.prev != nil && l.prev.asks() {
		v.reply = m.beyond(m.row(l.prev), m.row(l))
	}
	v.window = m.window(l)
	for j, y := range m.row(l) {
		if q.terms[j].stem == q.verb {
			v.verb = y
		}
		if q.terms[j].stem == q.focus {
			v.focus = y
		}
	}
	v.asks = l.asks()
	if len(q.persons) > 0 {
		v.person, v.other = l.speaker == q.persons[0], !slices.Contains(q.persons, l.speaker)
	}
	if !m.unranked {
		v.rank = 1 / (1 + float64(l.rank)/halfRank)
	}
	q.dated(l, v)
	named := q.kind == askWho || q.kind == askWhere || q.asksName
	for k := range l.sentences {
		s := &l.sentences[k]
		for _, e := range s.exprs {
			v.when = v.when || q.kind == askWhen && e.Resolved() || q.kind == askHowOften && e.Kind == timex.Frequency ||
				q.kind == askHowLong && (e.Kind == timex.Duration || e.Resolved())
		}
		for i := range s.words {
			w := &s.words[i]
			v.number = v.number || q.kind == askHowMany && w.tag == "CD"
			v.proper = v.proper || named && i > 0 && w.upper && isNoun(w.tag)
		}
	}
}

// window is the share of the question that the lines around l have and l does
// not.
func (m *matcher) window(l *said) float64 {
	clear(m.near)
	for before, after, i := l.prev, l.next, 0; i < windowSize; i++ {
		if before != nil {
			atLeast(m.near, m.row(before))
			before = before.prev
		}
		if after != nil {
			atLeast(m.near, m.row(after))
			after = after.next
		}
	}
	return m.beyond(m.near, m.row(l))
}

// atLeast raises each value of a row to that of another.
func atLeast(row, other []float64) {
	for j, y := range other {
		row[j] = max(row[j], y)
	}
}

// dated finds what a line has to do with the times that the question names.
func (q *query) dated(l *said, v *lineView) {
	period := false
	for _, d := range q.dates {
		if !l.time.IsZero() {
			inside := !l.time.Before(d.From) && l.time.Before(d.To)
			v.about = v.about || inside && d.Grain < timex.Month
			since := l.time.Sub(d.To)
			period = period || inside || (since >= 0 && since < aftermath)
		}
		for k := range l.sentences {
			for _, e := range l.sentences[k].exprs {
				v.about = v.about || !e.Vague && e.Overlaps(d.From, d.To) && e.To.Sub(e.From) <= mentioned
			}
		}
	}
	v.noDate = len(q.dates) > 0 && !v.about && !period
}

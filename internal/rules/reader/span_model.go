package reader

import (
	"slices"
	"strings"

	"recallbench/internal/text/timex"
)

// A spanView is what the span model sees of the words from..to of a sentence.
type spanView struct {
	*describer
	first, last             *word
	firstHit, lastHit       bool // it is one of the question's
	words                   int
	fresh, plain            int // words of content that the question has not, and words of the closed classes
	comma, and, proper      bool
	pronoun                 bool // of the two who speak
	finite                  bool // has a finite verb behind its first word
	focus, time, often      bool // has the noun asked for, an expression of time, a frequency
	member, quoted, counts  bool // has an instance of it elsewhere, quoted words, a number
	verb                    bool // stands right behind the question's verb
	quotation, near, begins bool // is one, whole; a word of the question stands within three words; begins a clause
}

// spanModel scores spans: what each feature counts.
var spanModel = []struct {
	weight float64
	of     func(v *spanView) float64
}{
	{2.2, func(v *spanView) float64 { return v.score }},
	{-1.9, func(v *spanView) float64 { return indicator(v.s.image) }},
	{1.1, func(v *spanView) float64 { return indicator(v.reply) }},
	{1.6, func(v *spanView) float64 { return indicator(v.words == 2) }},
	{-0.5, func(v *spanView) float64 { return indicator(v.words > 5 && v.words <= 8) }},
	{3.3, func(v *spanView) float64 { return v.news() }},
	{-0.9, func(v *spanView) float64 { return indicator(v.lastHit) }},
	{-0.5, func(v *spanView) float64 { return indicator(v.firstHit) }},
	{-3.7, func(v *spanView) float64 { return float64(v.plain) / float64(v.words) }},
	{-2.5, func(v *spanView) float64 { return indicator(v.pronoun) }},
	{-1.4, func(v *spanView) float64 { return indicator(v.finite) }},
	{-0.9, func(v *spanView) float64 { return indicator(v.comma) }},
	{2.7, func(v *spanView) float64 { return indicator(v.and) }},
	{1.3, func(v *spanView) float64 { return indicator(v.quotation) }},
	{2.5, func(v *spanView) float64 { return indicator(v.proper) }},
	{1.8, func(v *spanView) float64 { return indicator(v.focus) }},
	{2.4, func(v *spanView) float64 { return indicator(v.q.focus != 0 && v.last.stem == v.q.focus) }},
	{4.4, func(v *spanView) float64 { return indicator(v.q.members[v.last.low]) }},
	{-3.6, func(v *spanView) float64 { return indicator(v.time) }},
	{2.4, func(v *spanView) float64 { return indicator(v.near) }},
	{-0.6, func(v *spanView) float64 { return indicator(v.begins) }},
	{1.3, func(v *spanView) float64 { return indicator(isNoun(v.first.tag)) }},
	{1.5, func(v *spanView) float64 { return indicator(v.first.tag == "VBG") }},
	{3.2, func(v *spanView) float64 { return indicator(v.first.tag == "CD") }},
	{-1.6, func(v *spanView) float64 { return indicator(strings.HasPrefix(v.first.tag, "RB")) }},
	{2.7, func(v *spanView) float64 { return indicator(isNoun(v.last.tag)) }},
	{3.3, func(v *spanView) float64 { return indicator(v.q.kind == askHow && v.words > 3) }},
	{2.6, func(v *spanView) float64 { return indicator(v.q.kind == askHowOften && v.often) }},
	{3.6, func(v *spanView) float64 { return indicator(v.member && !v.q.members[v.last.low]) }},
	{2.8, func(v *spanView) float64 { return indicator(v.q.kind == askWhy && v.words > 5) }},
	{2.2, func(v *spanView) float64 { return indicator(v.q.asksName && (v.proper || v.quoted)) }},
	{2.7, func(v *spanView) float64 { return indicator(v.quoted) }},
	{1.2, func(v *spanView) float64 { return indicator(v.q.kind == askHowMany && v.counts) }},
	{2.0, func(v *spanView) float64 { return indicator(v.q.kind == askWhere && v.proper) }},
	{-1.3, func(v *spanView) float64 { return indicator(v.words == 1) }},
	{2.3, func(v *spanView) float64 { return indicator(v.verb) }},
	{1.4, func(v *spanView) float64 { return v.own }},
}

// worth is the sum of the weighted features.
func (v *spanView) worth() float64 {
	x := 0.0
	for _, f := range spanModel {
		x += f.weight * f.of(v)
	}
	return x
}

// news counts the new words, up to four; a span that only repeats the question
// has less than none.
func (v *spanView) news() float64 {
	if v.fresh == 0 {
		return -2
	}
	return float64(min(v.fresh, 4)) / 4
}

// A describer shows the spans of one sentence to the model.
type describer struct {
	q      *query
	s      *sentence
	score  float64      // of the sentence
	reply  bool         // it opens the reply to a question
	hits   []bool       // which words are the question's
	own    float64      // share found in the sentence itself
	marked []bool       // which words stand between quotation marks
	times  []timex.Kind // what expression of time each word belongs to, or noTime
}

const noTime timex.Kind = -1

func (q *query) describer(c candidate) *describer {
	d := &describer{q: q, s: c.sentence(), score: c.score, own: c.own, reply: c.at == 0 && c.line.prev != nil && c.line.prev.asks()}
	d.hits, d.times = make([]bool, len(d.s.words)), slices.Repeat([]timex.Kind{noTime}, len(d.s.words))
	d.marked = make([]bool, len(d.s.words))
	open := false
	for i := range d.s.words {
		w := &d.s.words[i]
		if w.punct {
			open = quotes[w.low] && w.low != "”" && (w.low == "“" || !open) || open && !quotes[w.low]
			continue
		}
		d.marked[i] = open
		// In a line that tells of somebody, that one's name is nothing new.
		d.hits[i] = q.has(w) || c.line.told && q.names(w)
		for _, e := range d.s.exprs {
			if w.start >= e.Start && w.end <= e.End {
				d.times[i] = e.Kind
			}
		}
	}
	return d
}

// span views the words from..to, which hold a word.
func (d *describer) span(from, to int) *spanView {
	words := d.s.words
	v := &spanView{describer: d, first: &words[from], firstHit: d.hits[from], quotation: quotation(words, from, to)}
	for i := from; i < to; i++ {
		w := &words[i]
		if w.punct {
			v.comma = v.comma || w.low == ","
			continue
		}
		v.words++
		v.last, v.lastHit = w, d.hits[i]
		switch {
		case d.hits[i]:
		case w.class == content:
			v.fresh++
		default:
			v.plain++
		}
		switch {
		case w.low == "and" || w.low == "or":
			v.and = true
		case w.tag == "PRP":
			v.pronoun = v.pronoun || speech[w.low]
		case w.tag != "PRP$":
			v.finite = v.finite || i > from && finite(w)
		}
		v.focus = v.focus || d.q.focus != 0 && w.stem == d.q.focus
		v.time = v.time || d.times[i] == timex.Point
		v.often = v.often || d.times[i] == timex.Frequency
		v.member = v.member || d.q.members[w.low]
		v.quoted = v.quoted || d.marked[i]
		v.counts = v.counts || w.tag == "CD"
		v.proper = v.proper || w.tag == "NNP" || w.tag == "NNPS" || w.upper && i > 0 && isNoun(w.tag)
	}
	for k := range 3 {
		v.near = v.near || from-1-k >= 0 && d.hits[from-1-k] || to+k < len(words) && d.hits[to+k]
	}
	v.verb = from > 0 && d.q.verb != 0 && words[from-1].stem == d.q.verb
	v.begins = from == 0 || words[from-1].punct || words[from-1].tag == "CC"
	return v
}

// quotation reports whether the words from..to are a quotation, its marks
// left out.
func quotation(words []word, from, to int) bool {
	return quotes[at(words, from-1)] && quotes[at(words, to)]
}

// finite reports whether a word is a finite verb or an auxiliary.
func finite(w *word) bool {
	switch w.tag {
	case "VBD", "VBZ", "VBP", "MD":
		return true
	}
	return auxiliaries[w.low] || w.low == "'m" || w.low == "'re"
}

// speech are the pronouns of the two who speak.
var (
	speech = set("i me we us you")
	quotes = set(`" “ ”`)
)

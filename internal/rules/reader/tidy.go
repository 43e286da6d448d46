package reader

import "strings"

// tidy adjusts the borders of a span to what a person would say: a quotation
// is taken whole, an instance of the category asked for is said alone, and a
// place is said without the words of the question before it.
func (q *query) tidy(p span) span {
	words := p.sentence().words
	if from, to, ok := enclosing(words, p.from, p.to); ok {
		p.from, p.to = from, to
		return p
	}
	if q.members != nil && (q.kind == askThing || q.kind == askWhere) {
		if from, to, ok := q.member(words, p.from, p.to); ok {
			p.from, p.to = from, to
			return p
		}
	}
	if q.kind == askWhere {
		i := p.from
		for i < p.to && (words[i].punct || q.has(&words[i]) || words[i].tag == "DT" || (i > p.from && words[i].tag == "IN")) {
			i++
		}
		if i < p.to && i > p.from && q.has(&words[p.from]) {
			p.from = i
		}
	}
	return p
}

// enclosing returns the quotation that the words from..to lie in.
func enclosing(words []word, from, to int) (start, end int, ok bool) {
	const longest = 12 // words of a title
	open := -1
	for i := range words {
		switch words[i].low {
		case `"`, "“", "”":
			if open >= 0 && words[i].low != "“" {
				if open < from && to <= i && i-open <= longest {
					return open + 1, i, true
				}
				open = -1
			} else {
				open = i
			}
		}
	}
	return 0, 0, false
}

// member returns the part of the words from..to that reaches from the first to
// the last instance of the noun asked for.
func (q *query) member(words []word, from, to int) (start, end int, ok bool) {
	for i := from; i < to; i++ {
		if q.members[words[i].low] && !q.has(&words[i]) {
			if !ok {
				start = q.modifiers(words, from, i)
			}
			end, ok = i+1, true
		}
	}
	return start, end, ok
}

// modifiers returns where the adjectives and nouns before word i begin, not
// before low.
func (q *query) modifiers(words []word, low, i int) int {
	for i > low {
		w := &words[i-1]
		if (!strings.HasPrefix(w.tag, "JJ") && !isNoun(w.tag)) || q.has(w) || q.members[w.low] {
			break
		}
		i--
	}
	return i
}

package reader

import (
	"math"
	"slices"
	"strings"
)

// A term is a stem to look for.
type term struct {
	stem   uint64
	low    string
	others []uint64 // stems of words of the same meaning
	base   float64  // weight beside its rarity
	weight float64  // with rarity, set for the evidence at hand
}

// The base weights of terms. A noun or adjective counts 1.
const (
	verbBase    = 0.8
	adverbBase  = 0.5
	focusBase   = 0.5  // the noun asked for, which the answer often replaces
	weakBase    = 0.3  // chatter, verbs like "go", nouns like "time"
	genericBase = 0.15 // the noun asked for when it is one like "kind"
)

// generic nouns name what is asked for and are seldom said in the answer.
var generic = list("generic")

// findTerms collects the stems that lines are matched with: the content words
// of the question, but not its dates and not the names of speakers, which are
// matched otherwise.
func (q *query) findTerms(speakers []string) {
	seen := make(map[uint64]bool)
	for i := range q.words {
		w := &q.words[i]
		if w.punct || seen[w.stem] || q.inDate(w) || (w.upper && slices.ContainsFunc(speakers, func(s string) bool { return samePerson(w.low, s) })) {
			continue
		}
		base := q.base(w, i)
		if base == 0 {
			continue
		}
		seen[w.stem] = true
		q.terms = append(q.terms, term{stem: w.stem, low: w.low, base: base, others: synonyms[w.stem]})
	}
	for _, t := range q.terms {
		q.stems |= 1 << (t.stem & 63)
		for _, o := range t.others {
			q.stems |= 1 << (o & 63)
		}
		if len(t.low) >= minPrefix {
			q.letters |= 1 << (t.low[0] & 63)
		}
	}
}

// base returns the base weight of word i of the question, 0 for a word that
// is not looked for.
func (q *query) base(w *word, i int) float64 {
	isGeneric := generic[singular(w.low)]
	switch {
	case w.class == function:
		if w.stem == q.verb && w.low != "do" && w.low != "did" && w.low != "have" {
			return weakBase
		}
		return 0
	case w.class == filler:
		return weakBase
	case w.stem == q.focus && isGeneric:
		return genericBase
	case w.stem == q.focus && i <= 1:
		return focusBase
	case isGeneric:
		return weakBase
	case strings.HasPrefix(w.tag, "V"):
		return verbBase
	case strings.HasPrefix(w.tag, "RB"):
		return adverbBase
	}
	return 1
}

// inDate reports whether a word belongs to a date of the question.
func (q *query) inDate(w *word) bool {
	for _, e := range q.dates {
		if w.start >= e.Start && w.end <= e.End {
			return true
		}
	}
	return false
}

// weigh sets the terms' weights from their rarity among the lines and returns
// the sum, 1 where that is 0. The grid has a row of values for each line.
func (q *query) weigh(grid []float64, lines int) float64 {
	k := len(q.terms)
	total := 0.0
	for j := range q.terms {
		df := 0.0
		for i := range lines {
			if grid[i*k+j] == 1 {
				df++
			}
		}
		q.terms[j].weight = q.terms[j].base * math.Log(1+(float64(lines)-df+0.5)/(df+0.5))
		total += q.terms[j].weight
	}
	if total == 0 {
		return 1
	}
	return total
}

// Values of looser matches beside 1 for the same stem.
const (
	synonymValue = 0.5
	prefixValue  = 0.6
	minPrefix    = 5 // bytes that two words share
)

// find marks in row how well words have each term.
func (q *query) find(words []word, row []float64) {
	for i := range words {
		w := &words[i]
		// Most words share neither a bit of their stem's hash nor a first
		// letter with any term.
		if w.punct || (q.stems>>(w.stem&63)&1 == 0 && q.letters>>(w.low[0]&63)&1 == 0) {
			continue
		}
		for j := range q.terms {
			t := &q.terms[j]
			switch {
			case row[j] == 1:
			case t.stem == w.stem:
				row[j] = 1
			case w.class != content:
			case len(w.low) >= minPrefix && len(t.low) >= minPrefix && w.low[:minPrefix] == t.low[:minPrefix]:
				row[j] = max(row[j], prefixValue)
			case slices.Contains(t.others, w.stem):
				row[j] = max(row[j], synonymValue)
			}
		}
	}
}

// has reports whether a word is one of the question's.
func (q *query) has(w *word) bool {
	return slices.ContainsFunc(q.terms, func(t term) bool { return t.stem == w.stem })
}

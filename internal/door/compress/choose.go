package compress

import (
	"cmp"
	"slices"
)

// choose returns the words that are kept, of words with some number of tokens in
// all: those above the threshold, and of those at it the first, while the rate
// allows.
func (p *compression) choose(text string, words []word, total int) []word {
	if len(words) == 0 {
		return nil
	}
	limit := p.threshold(words, total)
	room := p.options.Rate * float64(total)
	for _, w := range words {
		if p.above(w, limit) {
			room -= float64(w.tokens)
		}
	}
	kept := words[:0] // in its place: never ahead of what is read
	for _, w := range words {
		if !p.above(w, limit) {
			if w.keep < limit || float64(w.tokens) > room {
				continue
			}
			room -= float64(w.tokens)
		}
		if n := len(kept); p.options.DropConsecutive && w.forced && n > 0 && kept[n-1].of(text) == w.of(text) {
			continue
		}
		kept = append(kept, w)
	}
	return kept
}

// above reports whether a word is kept by the threshold alone. One of
// probability 1 is, as in llmlingua: what is forced is not lost where most is.
func (p *compression) above(w word, limit float64) bool { return w.keep > limit || w.keep == 1 }

// A share is so many tokens of one probability.
type share struct {
	keep   float64
	tokens int
}

// threshold returns the percentile of the tokens' probabilities below which words are
// left out, as llmlingua has it: that of the whole number of hundredths in the share
// that goes, and one more. Each token has the probability of its word, and between
// two tokens it lies as far as the percentile does, as numpy's percentile.
func (p *compression) threshold(words []word, total int) float64 {
	gone := 1 - p.options.Rate
	percent := min(100, int(100*gone+1))
	order := p.order[:0]
	for _, w := range words {
		order = append(order, share{w.keep, w.tokens})
	}
	p.order = order
	slices.SortFunc(order, func(a, b share) int { return cmp.Compare(a.keep, b.keep) })
	place := float64(percent) / 100 * float64(total-1)
	below := int(place)
	low, high := order[len(order)-1].keep, order[len(order)-1].keep
	seen, found := 0, false
	for _, w := range order {
		seen += w.tokens
		if !found && below < seen {
			low, found = w.keep, true
		}
		if below+1 < seen {
			high = w.keep
			break
		}
	}
	return low + (high-low)*(place-float64(below))
}

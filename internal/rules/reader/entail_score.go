package reader

import (
	"math"
	"slices"
)

// The parts of a score.
const (
	leastScore = 0.02 // nothing of a need is found
	exactScore = 0.96 // the word itself, in the best place
	rootScore  = 0.60 // a word of the same root: "romance" for "romantic"
	alikeScore = 0.72 // a synonym
	partsScore = 0.80 // the words of a phrase, apart
	widerScore = 0.38 // the name of a broader concept: "seafood" for "shrimp"
	nearScore  = 0.25 // another instance of a small concept: "lobster" for "shrimp"
	farScore   = 0.08 // of a large one

	smallConcept = 40 // members up to which a concept is small

	oppositeFall  = 0.60 // of a concept's level, where an opposite has level 1
	outweighFall  = 0.85 // the same, where the opposite has the higher level
	fittingScore  = 0.62 // nothing speaks against an absence where it counts
	deniedScore   = 0.95 // what is not wanted is denied
	mostNegated   = 0.90 // what is not wanted is not mentioned
	presentDomain = 0.30 // level from which an absence counts
)

// score returns how far a premise meets the condition, in [0, 1]: that of the
// best alternative. A condition without a word is met by nothing.
func (c *condition) score(l *lexicon, p *premise) float64 {
	best := 0.0
	for _, all := range c.any {
		best = max(best, scoreAll(l, p, all))
	}
	return best
}

// scoreAll is the weighted geometric mean of the requirements, so that all are
// needed for a high score.
func scoreAll(l *lexicon, p *premise, all []requirement) float64 {
	sum, weights := 0.0, 0.0
	for _, r := range all {
		sum += r.weight * math.Log(r.score(l, p))
		weights += r.weight
	}
	return math.Exp(sum / weights)
}

// score is that of the best of what the requirement asks for, or the
// complement of it.
func (r requirement) score(l *lexicon, p *premise) float64 {
	best := 0.0
	for _, group := range r.any {
		sum, weights := 0.0, 0.0
		for _, n := range group {
			sum += n.weight * math.Log(n.score(l, p))
			weights += n.weight
		}
		best = max(best, math.Exp(sum/weights))
	}
	if !r.negated {
		return best
	}
	if best < 0.5 && r.denied(p) {
		return deniedScore
	}
	return min(mostNegated, max(leastScore, 1-best))
}

// denied reports whether the premise denies everything that is not wanted.
func (r requirement) denied(p *premise) bool {
	for _, group := range r.any {
		for _, n := range group {
			if !n.denied(p) {
				return false
			}
		}
	}
	return true
}

func (n need) denied(p *premise) bool {
	if weightOf(p.denied, n.term) > 0 {
		return true
	}
	for _, c := range n.names {
		if a := activated(p.absent, c); a.level >= 0.5 {
			return true
		}
	}
	return false
}

// score returns how far a premise speaks of the need, in [leastScore,
// exactScore].
func (n need) score(l *lexicon, p *premise) float64 {
	s := exactScore * weightOf(p.terms, n.term)
	if s >= exactScore*laterWeight {
		return s
	}
	if len(n.words) > 0 {
		s = max(s, partsScore*n.apart(p))
	}
	if n.root != 0 {
		s = max(s, rootScore*weightOf(p.terms, n.root))
	}
	for _, a := range n.alike {
		s = max(s, alikeScore*weightOf(p.terms, a))
	}
	for _, c := range n.names {
		s = max(s, l.level(p, c))
	}
	if n.denied(p) {
		return max(s, leastScore)
	}
	for _, k := range n.kin {
		if !k.direct || k.strength < memberStrength {
			continue
		}
		a := activated(p.active, k.concept)
		switch {
		case a.named && !n.absence(l):
			s = max(s, widerScore*float64(a.level))
		case len(n.names) > 0: // has instances of its own
		case l.concepts[k.concept].members <= smallConcept:
			s = max(s, nearScore*float64(a.level))
		default:
			s = max(s, farScore*float64(a.level))
		}
	}
	return max(s, leastScore)
}

// absence reports whether the need names the absence of something.
func (n need) absence(l *lexicon) bool {
	return slices.ContainsFunc(n.names, func(c uint16) bool { return len(l.concepts[c].absent) > 0 })
}

// apart returns the mean weight of the words of a phrase, 0 where one is
// missing.
func (n need) apart(p *premise) float64 {
	sum := 0.0
	for _, w := range n.words {
		x := weightOf(p.terms, w)
		if x == 0 {
			return 0
		}
		sum += x
	}
	return sum / float64(len(n.words))
}

// level returns how far a premise speaks of a concept. Its opposites take away
// from it, and the absence of something is found where nothing speaks of it.
func (l *lexicon) level(p *premise, c uint16) float64 {
	x := float64(activated(p.active, c).level)
	k := &l.concepts[c]
	against := 0.0
	for _, o := range k.opposites {
		against = max(against, float64(activated(p.active, o).level))
	}
	if len(k.absent) == 0 {
		fall := oppositeFall
		if against > x {
			fall = outweighFall
		}
		return x * (1 - fall*against)
	}
	present := 0.0
	for _, a := range k.absent {
		present = max(present, float64(activated(p.active, a).level))
	}
	if float64(activated(p.active, k.domain).level) >= presentDomain {
		x = max(x, fittingScore)
	}
	return x * (1 - present) * (1 - present)
}

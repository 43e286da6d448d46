package reader

import (
	"math"
)

// The parts of a score.
const (
	leastScore = 0.02 // nothing of a need is found
	exactScore = 0.96 // the word itself, in the best place
	alikeScore = 0.72 // a synonym

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
	for _, a := range n.alike {
		s = max(s, alikeScore*weightOf(p.terms, a))
	}
	for _, c := range n.names {
		s = max(s, l.level(p, c))
	}
	return max(s, leastScore)
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

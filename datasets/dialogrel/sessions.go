package dialogrel

import "math/rand/v2"

// The number of turns between two boundaries.
const (
	minTurns = 6
	maxTurns = 10
)

// A cut is why a session of a scene ends where it does.
type cut string

const (
	betweenRelations cut = "relations" // facts are told before and after it
	budget           cut = "budget"    // the session had enough turns
	sceneEnd         cut = "dialogue"  // the dialogue of the source ends
)

// divide cuts a scene into sessions of 6 to 10 turns; the last one is what is
// left. Of the places that a session can end at, the best are right between two
// turns that facts rest on, then those with such turns in the session and after
// it; of equal ones those that leave more than two turns, and then chance decides.
func (s *scene) divide(r *rand.Rand) {
	bears := make([]bool, len(s.turns))
	for _, f := range s.facts {
		for _, i := range f.evidence {
			bears[i] = true
		}
	}
	some := func(from, to int) bool {
		for _, b := range bears[from:to] {
			if b {
				return true
			}
		}
		return false
	}
	start := 0
	for session := 0; ; session++ {
		best, at, ties := -1, len(s.turns), 0
		for end := start + minTurns; end <= start+maxTurns && end < len(s.turns); end++ {
			score := 0
			switch {
			case bears[end-1] && bears[end]:
				score = 4
			case some(start, end) && some(end, len(s.turns)):
				score = 2
			}
			if len(s.turns)-end > 2 {
				score++
			}
			if score > best {
				best, at, ties = score, end, 1
			} else if score == best {
				if ties++; r.IntN(ties) == 0 {
					at = end
				}
			}
		}
		why := budget
		switch {
		case len(s.turns)-start <= maxTurns:
			at, why = len(s.turns), sceneEnd
		case best >= 2:
			why = betweenRelations
		}
		for i := start; i < at; i++ {
			s.turns[i].session = session
		}
		s.cuts = append(s.cuts, why)
		if at == len(s.turns) {
			return
		}
		start = at
	}
}

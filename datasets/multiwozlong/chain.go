package multiwozlong

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

const (
	// minBudget and maxBudget are between which the turns of a session are drawn
	// after which it ends (A.2).
	minBudget, maxBudget = 8, 12
	// least is how many turns what is left of a dialogue has at the least: less
	// is a farewell.
	least = 4
)

// A piece is a part of a dialogue that becomes a session.
type piece struct {
	*story
	from, to int // turns
	end      string
}

// Why a session ends.
const (
	endBooking = "booking" // what was wanted is booked
	endGoal    = "goal"    // the dialogue is over
	endBudget  = "budget"  // it had its turns
	endLast    = "end"     // of the sample
)

// cut parts a dialogue into pieces: after a turn that closes a booking, or when the
// budget is used up. In both cases the next one mentions something of the piece, too.
func cut(s *story, random *rand.Rand) []piece {
	var pieces []piece
	from, budget := 0, minBudget+random.IntN(maxBudget-minBudget+1)
	for i := range s.Turns {
		left := len(s.Turns) - i - 1
		if s.Turns[i].User || left < least || i+1-from < least {
			continue
		}
		var end string
		switch {
		case s.closes[i]:
			end = endBooking
		case i+1-from >= budget:
			end = endBudget
		default:
			continue
		}
		next := piece{story: s, from: i + 1, to: min(i+1+minBudget, len(s.Turns))}
		if this := (piece{s, from, i + 1, end}); shares(this, next) {
			pieces = append(pieces, this)
			from, budget = i+1, minBudget+random.IntN(maxBudget-minBudget+1)
		}
	}
	pieces = append(pieces, piece{s, from, len(s.Turns), endGoal})
	// The next piece may have turned out shorter than it was taken for.
	for i := len(pieces) - 2; i >= 0; i-- {
		if !shares(pieces[i], pieces[i+1]) {
			pieces[i].to, pieces[i].end = pieces[i+1].to, pieces[i+1].end
			pieces = slices.Delete(pieces, i+1, i+2)
		}
	}
	return pieces
}

// keys returns what a piece mentions.
func (p piece) keys() map[string]bool {
	all := make(map[string]bool)
	for _, turn := range p.mentions[p.from:p.to] {
		for _, m := range turn {
			all[m.key] = true
		}
	}
	return all
}

// shares tells whether something is mentioned in both pieces.
func shares(a, b piece) bool {
	in := a.keys()
	for key := range b.keys() {
		if in[key] {
			return true
		}
	}
	return false
}

// A chain is the sessions of one simulated user.
type chain []piece

// chains joins dialogues to conversations of at least so many sessions. A dialogue is
// used once. The first is drawn. Each next one mentions something that the last
// session mentions, too; of these it has most services in common with the first, and
// is drawn among equals. What cannot be joined to enough sessions is left out.
func chains(stories []*story, sessions int, random *rand.Rand) []chain {
	order := random.Perm(len(stories))
	pieces := make([][]piece, len(stories))
	for i, s := range stories {
		pieces[i] = cut(s, random)
	}
	first := make(map[string][]int) // dialogues by what their first session mentions
	for _, i := range order {
		for key := range pieces[i][0].keys() {
			first[key] = append(first[key], i)
		}
	}
	used := make([]bool, len(stories))
	var all []chain
	for _, i := range order {
		if used[i] {
			continue
		}
		picked := []int{i}
		used[i] = true
		c := slices.Clone(chain(pieces[i]))
		for len(c) < sessions {
			next := follow(stories, first, used, c[len(c)-1], stories[i])
			if next < 0 {
				break
			}
			used[next] = true
			picked = append(picked, next)
			c = append(c, pieces[next]...)
		}
		if len(c) < sessions {
			for _, p := range picked[1:] {
				used[p] = false // for another user
			}
			continue
		}
		c[len(c)-1].end = endLast
		all = append(all, c)
	}
	return all
}

// follow returns the dialogue that follows a session, or -1.
func follow(stories []*story, first map[string][]int, used []bool, last piece, begin *story) int {
	best, score := -1, -1
	for _, key := range slices.Sorted(maps.Keys(last.keys())) {
		for _, i := range first[key] {
			if used[i] {
				continue
			}
			common := 0
			for _, service := range stories[i].Services {
				if slices.Contains(begin.Services, service) {
					common += 2
				}
			}
			if !strings.HasPrefix(key, "station:") {
				common++ // a venue is more of a thing to come back to
			}
			if common > score {
				best, score = i, common
			}
		}
	}
	return best
}

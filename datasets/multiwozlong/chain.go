package multiwozlong

import (
	"maps"
	"math/rand/v2"
	"slices"
)

const (
	// A session ends after a number of turns drawn between minBudget and
	// maxBudget (A.2).
	minBudget, maxBudget = 8, 12
	// least is the smallest number of turns that the rest of a dialogue must
	// have: less is a farewell.
	least = 4
)

// A piece is a part of a dialogue that becomes a session.
type piece struct {
	*story
	from, to int // turns
}

// cut divides a dialogue into pieces: after a turn that closes a booking, or when the
// budget is used up. In both cases the next piece must mention something of the
// piece.
func cut(s *story, random *rand.Rand) []piece {
	budget := func() int { return minBudget + random.IntN(maxBudget-minBudget+1) }
	var pieces []piece
	from, most := 0, budget()
	for i := range s.Turns {
		end := i + 1
		if s.Turns[i].User || len(s.Turns)-end < least || end-from < least || !s.closes[i] && end-from < most {
			continue
		}
		this, next := piece{s, from, end}, piece{s, end, min(end+minBudget, len(s.Turns))}
		if shares(this, next) {
			pieces = append(pieces, this)
			from, most = end, budget()
		}
	}
	pieces = append(pieces, piece{s, from, len(s.Turns)})
	// The next piece may have turned out shorter than assumed.
	for i := len(pieces) - 2; i >= 0; i-- {
		if !shares(pieces[i], pieces[i+1]) {
			pieces[i].to = pieces[i+1].to
			pieces = slices.Delete(pieces, i+1, i+2)
		}
	}
	return pieces
}

// keys returns what a piece mentions.
func (p piece) keys() map[string]bool {
	all := make(map[string]bool)
	for _, m := range p.mentions {
		if p.from <= m.turn && m.turn < p.to {
			all[m.key] = true
		}
	}
	return all
}

// shares reports whether both pieces mention something in common.
func shares(a, b piece) bool {
	in := a.keys()
	for key := range b.keys() {
		if in[key] {
			return true
		}
	}
	return false
}

// chains joins dialogues into conversations of at least that many sessions, each of one
// simulated user. A dialogue is used once. The first is drawn. Each next one mentions
// something that the last session mentions, too; among these it has most services in
// common with the first, and ties are drawn. Dialogues that cannot be joined into enough
// sessions are left out.
func chains(stories []*story, sessions int, random *rand.Rand) [][]piece {
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
	var all [][]piece
	for _, i := range order {
		if used[i] {
			continue
		}
		var c []piece
		var picked []int
		for next := i; next >= 0; {
			used[next] = true
			picked, c = append(picked, next), append(c, pieces[next]...)
			if len(c) >= sessions {
				all = append(all, c)
				break
			}
			if next = follow(stories, first, used, c); next < 0 {
				for _, p := range picked[1:] {
					used[p] = false // for another user
				}
			}
		}
	}
	return all
}

// follow returns the dialogue that follows some sessions, or -1.
func follow(stories []*story, first map[string][]int, used []bool, c []piece) int {
	best, score := -1, -1
	for _, key := range slices.Sorted(maps.Keys(c[len(c)-1].keys())) {
		for _, i := range first[key] {
			if used[i] {
				continue
			}
			common := 0
			for _, service := range stories[i].Services {
				if slices.Contains(c[0].Services, service) {
					common += 2
				}
			}
			if kindOf(key) != "station" {
				common++ // a venue is something to come back to
			}
			if common > score {
				best, score = i, common
			}
		}
	}
	return best
}

package multiwozlong

import (
	"math/rand/v2"
	"slices"
)

// maxDistance is the largest session distance that is asked for, that of figure 2.
const maxDistance = 10

// A picker chooses questions so that over a split all distances, categories and
// slots come up about equally often.
type picker struct {
	random *rand.Rand
	count  map[string]int // how often a category, a way to mention, a slot was chosen
}

// pick chooses at most n candidates of a conversation: in rounds over the
// distances, one for each in which there is one, the category, then the way to
// mention and the slot that were chosen least so far, drawn among equals. No fact
// is asked for twice.
func (p *picker) pick(v *conversation, n int) []candidate {
	at := make([][]candidate, maxDistance+1)
	for _, c := range v.candidates() {
		if d := v.distance(c); 1 <= d && d <= maxDistance {
			at[d] = append(at[d], c)
		}
	}
	for d := range at {
		p.random.Shuffle(len(at[d]), func(i, j int) { at[d][i], at[d][j] = at[d][j], at[d][i] })
	}
	var chosen []candidate
	for more := true; more; {
		more = false
		for d := 1; d <= maxDistance && len(chosen) < n; d++ {
			if len(at[d]) == 0 {
				continue
			}
			c := slices.MinFunc(at[d], func(a, b candidate) int { return p.rank(a) - p.rank(b) })
			p.count[c.category] += 2
			p.count[string(c.how)]++
			p.count[c.kind+" "+c.slot]++
			chosen = append(chosen, c)
			more = true
			for i := range at {
				at[i] = slices.DeleteFunc(at[i], func(o candidate) bool { return o.entity == c.entity && o.slot == c.slot })
			}
		}
	}
	return chosen
}

// rank is the lower the less was chosen that is like a candidate.
func (p *picker) rank(c candidate) int {
	return p.count[c.category] + p.count[string(c.how)] + p.count[c.kind+" "+c.slot]
}

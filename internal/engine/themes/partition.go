package themes

import (
	"math"
	"slices"
)

// A change replaces themes of a set by others.
type change struct{ gone, come []*theme }

// best returns the change after which the objective over all themes is highest,
// of equally good ones the first.
func (s *set) best(changes []change) int {
	nearest := make([]edge, len(s.themes)) // of each theme
	for i, t := range s.themes {
		nearest[i] = s.nearestBut(t, nil)
	}
	lines := make(map[*theme][]float64) // cosines of a theme that comes with those of the set
	best, highest := 0, math.Inf(-1)
	for i, c := range changes {
		for _, t := range c.come {
			if lines[t] != nil {
				continue
			}
			for _, o := range s.themes {
				lines[t] = append(lines[t], between(t, o))
			}
		}
		if f := s.after(c, nearest, lines); f > highest {
			best, highest = i, f
		}
	}
	return best
}

// nearestBut returns the theme nearest to one, with some left out; to is nil where
// there is none.
func (s *set) nearestBut(t *theme, without []*theme) edge {
	best := edge{nil, math.Inf(-1)}
	for _, o := range s.themes {
		if c := s.cosine(t, o); c > best.similarity && o != t && !slices.Contains(without, o) {
			best = edge{o, c}
		}
	}
	return best
}

// after returns the objective over all themes after a change, given the nearest
// theme of each, and the cosines of the themes that come with those of the set.
func (s *set) after(c change, nearest []edge, lines map[*theme][]float64) float64 {
	stay := len(s.themes) - len(c.gone)
	parts := make([]*theme, 0, stay+len(c.come))
	similarities := make([]float64, 0, cap(parts))
	own := slices.Repeat([]float64{math.Inf(-1)}, len(c.come))
	for i, t := range s.themes {
		if slices.Contains(c.gone, t) {
			continue
		}
		near := nearest[i]
		if slices.Contains(c.gone, near.to) {
			near = s.nearestBut(t, c.gone)
		}
		for j, come := range c.come {
			near.similarity = max(near.similarity, lines[come][i])
			own[j] = max(own[j], lines[come][i])
		}
		parts, similarities = append(parts, t), append(similarities, near.similarity)
	}
	for j, t := range c.come {
		for _, o := range c.come {
			if o != t {
				own[j] = max(own[j], between(t, o))
			}
		}
		parts, similarities = append(parts, t), append(similarities, own[j])
	}
	return s.objective(parts, similarities)
}

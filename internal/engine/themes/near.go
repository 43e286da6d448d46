package themes

import (
	"math"
	"slices"

	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/index"
)

// A closest collects the at most k candidates nearest to something, at no less than a
// similarity, nearest first, of equally near ones the first. Most are sorted out by
// float32 products, which differ from the similarity by less than slack.
//
// For rows of n elements, of length 1 at most, [index.Products] errs by less than
// (n+256)/2²⁹: two elements are rounded, their product, and the n/32+5 sums that it
// enters.
type closest struct {
	k     int
	least float64
	slack float64
	list  []Neighbour
}

// offer considers candidates, given their products; exact returns the similarity of one,
// or NaN to leave it out.
func (c *closest) offer(products []float32, exact func(i int) float64) {
	for i, p := range products {
		if float64(p) < c.least-c.slack {
			continue
		}
		similarity := exact(i)
		if !(similarity >= c.least) {
			continue
		}
		at := len(c.list)
		for at > 0 && c.list[at-1].Similarity < similarity {
			at--
		}
		if at == c.k {
			continue
		}
		c.list = slices.Insert(c.list, at, Neighbour{i, similarity})
		if len(c.list) >= c.k {
			c.list = c.list[:c.k]
			c.least = max(c.least, c.list[c.k-1].Similarity)
		}
	}
}

// An edge leads to a theme.
type edge struct {
	to         *theme
	similarity float64
}

// anyCosine is below all.
const anyCosine = -math.MaxFloat64

// products returns roughly the cosines of a row with all themes.
func (s *set) products(row []float32) []float32 {
	out := make([]float32, len(s.ids))
	index.Products(row, s.matrix, s.ids, out)
	return out
}

// nearest returns the at most k themes nearest to one, at no less than a similarity and
// with some left out, nearest first, of equally near ones the older first.
func (s *set) nearest(t *theme, k int, least float64, without ...*theme) []edge {
	c := closest{k: k, least: least, slack: s.slack}
	c.offer(s.products(t.row), func(i int) float64 {
		if o := s.themes[i]; o != t && !slices.Contains(without, o) {
			return between(t, o)
		}
		return math.NaN()
	})
	return lists.Map(c.list, func(n Neighbour) edge { return edge{s.themes[n.Index], n.Similarity} })
}

// highest returns the edge to the nearest theme, with some left out; one of -Inf to
// nothing where there is none.
func (s *set) highest(t *theme, without ...*theme) edge {
	if near := s.nearest(t, 1, anyCosine, without...); len(near) > 0 {
		return near[0]
	}
	return edge{nil, math.Inf(-1)}
}

// refresh brings the nearest theme of each up to date.
func (s *set) refresh() {
	changed := lists.Filter(s.themes, func(t *theme) bool { return t.changed })
	products := lists.Map(changed, func(t *theme) []float32 { return s.products(t.row) })
	for i, t := range s.themes {
		if to := t.top.to; t.changed || to == nil || to.gone || to.changed {
			t.top = s.highest(t)
			continue
		}
		for j, o := range changed {
			if float64(products[j][i]) > t.top.similarity-s.slack {
				if e := (edge{o, between(t, o)}); e.similarity > t.top.similarity {
					t.top = e
				}
			}
		}
	}
	for _, t := range changed {
		t.changed = false
	}
}

// A change replaces themes of a set by others.
type change struct{ gone, come []*theme }

// best returns the change after which the objective over all themes is highest,
// of equally good ones the first.
func (s *set) best(changes []change) int {
	s.refresh()
	best, highest := 0, math.Inf(-1)
	for i, c := range changes {
		if f := s.after(c); f > highest {
			best, highest = i, f
		}
	}
	return best
}

// after returns the objective over all themes after a change.
func (s *set) after(c change) float64 {
	parts := slices.Clone(s.themes)
	nearest := lists.Map(parts, func(t *theme) float64 {
		switch {
		case slices.Contains(c.gone, t):
			return math.NaN() // the objective leaves it out
		case slices.Contains(c.gone, t.top.to):
			return s.highest(t, c.gone...).similarity
		}
		return t.top.similarity
	})
	for _, t := range c.come {
		highest := math.Inf(-1)
		meet := func(k int) {
			similarity := between(t, parts[k])
			nearest[k], highest = max(nearest[k], similarity), max(highest, similarity)
		}
		for k, product := range s.products(t.row) {
			if float64(product) > min(highest, nearest[k])-s.slack {
				meet(k)
			}
		}
		for k := len(s.themes); k < len(parts); k++ {
			meet(k)
		}
		parts, nearest = append(parts, t), append(nearest, highest)
	}
	return s.objective(parts, nearest)
}

package themes

import (
	"math"
	"slices"

	"recallbench/internal/calc/lists"
)

// score returns f of themes (equations 1 to 3), as the released code computes it for
// the part of the hierarchy that it looks at. They need not be in the set.
//
//	f        = Sparsity + Semantic
//	Sparsity = N/(K+ε) · N/(Σ n_k² + ε)
//	Semantic = mean_k( cohesion_k · exp(-(s_k - m)² / 2σ²) )
//
// for K themes of n_k semantics, N in all; cohesion_k is the mean cosine of the
// members and the centroid, which is their mean; s_k is the largest cosine of
// the centroid with another one, rounded to float32; m is the median of s, and
// σ = median|s-m| + ε. It lies between -1 and 2, and higher is better. No theme
// gives 0; for one theme s is 0, and with one or two themes the exponential is
// 1. Where more than half of the s are equal, σ is ε, and every theme with
// another s counts as good as nothing: so does the code, and it is kept.
func (s *space) score(parts []*theme) float64 {
	nearest := make([]float64, len(parts))
	for k, t := range parts {
		nearest[k] = math.Inf(-1)
		for j, o := range parts[:k] {
			c := between(t, o)
			nearest[k], nearest[j] = max(nearest[k], c), max(nearest[j], c)
		}
	}
	for k := range nearest {
		nearest[k] = rounded(nearest[k])
	}
	return s.objective(parts, nearest, slices.Sorted(slices.Values(nearest)))
}

// objective returns f of the themes, given the largest cosine of each with another, which
// the released code keeps in float32, in their order and sorted. NaN leaves a theme out.
func (s *space) objective(themes []*theme, nearest, sorted []float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	k, n, squares := len(sorted), 0, 0
	b := newBell(sorted)
	sum := 0.0
	for i, t := range themes {
		if nearest[i] != nearest[i] {
			continue
		}
		n += len(t.members)
		squares += len(t.members) * len(t.members)
		if k == 1 {
			nearest[i] = b.m
		}
		sum += s.cohesionOf(t) * b.at(nearest[i])
	}
	return sparsity(n, k, squares) + sum/float64(k)
}

// sparsity is equation 2 for n semantics in k themes, the squares of whose
// sizes add up to squares.
func sparsity(n, k, squares int) float64 {
	return float64(n) / (float64(k) + epsilon) * (float64(n) / (float64(squares) + epsilon))
}

// A bell is the function g of equation 3.
type bell struct{ m, sigma float64 }

// newBell returns the bell of the nearest similarities, which are sorted.
func newBell(sorted []float64) bell {
	if len(sorted) == 1 {
		return bell{0, epsilon}
	}
	m := median(sorted)
	var middle [2]float64 // the last two distances from m, of which half are taken
	above, _ := slices.BinarySearch(sorted, m)
	below := above - 1
	for range len(sorted)/2 + 1 {
		middle[0] = middle[1]
		if above == len(sorted) || below >= 0 && m-sorted[below] < sorted[above]-m {
			middle[1] = m - sorted[below]
			below--
		} else {
			middle[1] = sorted[above] - m
			above++
		}
	}
	return bell{m, median(middle[len(sorted)%2:]) + epsilon}
}

func median(sorted []float64) float64 {
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

func (b bell) at(s float64) float64 {
	d := (s - b.m) / b.sigma
	return math.Exp(-d * d / 2)
}

// rounded returns a similarity as the objective sees it.
func rounded(similarity float64) float64 { return float64(float32(similarity)) }

// A change replaces themes of a set by others.
type change struct{ gone, come []*theme }

// A partition is what changes are compared on. It knows for each theme the largest cosine
// with another, as the objective sees it; -Inf where there is no other.
type partition struct {
	*set
	nearest  []float64
	sorted   []float64
	changed  [2][]float64         // room for both after a change
	parts    []*theme             // those of the set, and room for those that come
	products map[*theme][]float32 // of themes that come with those of the set
	arrivals map[*theme]arrival
}

// An arrival is what a theme that comes does to those that stay.
type arrival struct {
	nearest float64
	raised  []Neighbour // those to which it is nearer than any that stays
}

// best returns the change after which the objective over all themes is highest,
// of equally good ones the first. A theme comes with one set of themes that go.
func (s *set) best(changes []change) int {
	s.refresh()
	p := &partition{set: s, parts: slices.Clone(s.themes), products: make(map[*theme][]float32), arrivals: make(map[*theme]arrival)}
	p.nearest = lists.Map(s.themes, func(t *theme) float64 { return s.highest(t, nil) })
	p.sorted = slices.Sorted(slices.Values(p.nearest))
	var come []*theme
	for _, c := range changes {
		come = lists.AddNew(come, c.come...)
	}
	rows := lists.Map(come, func(t *theme) []float32 { return t.row })
	for i, products := range s.products(rows...) {
		p.products[come[i]] = products
	}
	best, highest := 0, math.Inf(-1)
	for i, c := range changes {
		if f := p.after(c); f > highest {
			best, highest = i, f
		}
	}
	return best
}

// highest returns the cosine of a theme with the nearest one, with some left out; -Inf
// where there is none.
func (s *set) highest(t *theme, without []*theme) float64 {
	if len(t.near) > 0 && !slices.Contains(without, t.near[0].to) {
		return rounded(t.near[0].similarity)
	}
	if near := s.nearest(t, 1, anyCosine, without...); len(near) > 0 {
		return rounded(near[0].similarity)
	}
	return math.Inf(-1)
}

// position is the place of a theme in the set.
func (s *set) position(t *theme) int {
	at, _ := slices.BinarySearch(s.ids, uint32(t.id))
	return at
}

// after returns the objective over all themes after a change. A theme that goes has NaN
// as its nearest similarity.
func (p *partition) after(c change) float64 {
	p.changed[0], p.changed[1] = append(p.changed[0][:0], p.nearest...), append(p.changed[1][:0], p.sorted...)
	nearest, sorted := p.changed[0], p.changed[1]
	set := func(i int, x float64) {
		if old := nearest[i]; old == old {
			at, _ := slices.BinarySearch(sorted, old)
			sorted = slices.Delete(sorted, at, at+1)
		}
		if nearest[i] = x; x == x {
			at, _ := slices.BinarySearch(sorted, x)
			sorted = slices.Insert(sorted, at, x)
		}
	}
	for _, t := range c.gone {
		set(p.position(t), math.NaN())
	}
	for _, t := range c.gone {
		for _, o := range t.listedBy {
			if i := p.position(o); !o.gone && nearest[i] == nearest[i] {
				set(i, p.highest(o, c.gone))
			}
		}
	}
	for _, t := range c.come {
		if _, known := p.arrivals[t]; !known {
			p.arrivals[t] = p.arrive(t, nearest)
		}
	}
	for j, t := range c.come {
		a := p.arrivals[t]
		for _, n := range a.raised {
			set(n.Index, max(nearest[n.Index], n.Similarity))
		}
		at := len(nearest)
		nearest = append(nearest, math.NaN())
		for i, o := range c.come[:j] {
			cosine := rounded(between(t, o))
			a.nearest = max(a.nearest, cosine)
			set(at-j+i, max(nearest[at-j+i], cosine))
		}
		set(at, a.nearest)
	}
	p.changed = [2][]float64{nearest, sorted}
	p.parts = append(p.parts[:len(p.themes)], c.come...)
	return p.objective(p.parts, nearest, sorted)
}

// arrive returns what a theme does to those that stay, given their nearest similarities.
func (p *partition) arrive(t *theme, nearest []float64) arrival {
	a := arrival{nearest: math.Inf(-1)}
	for i, product := range p.products[t] {
		if float64(product) > min(a.nearest, nearest[i])-p.slack {
			cosine := rounded(between(t, p.themes[i]))
			a.nearest = max(a.nearest, cosine)
			if cosine > nearest[i] {
				a.raised = append(a.raised, Neighbour{i, cosine})
			}
		}
	}
	return a
}

package themes

import (
	"cmp"
	"math"
	"slices"
)

// A plain does what a builder does in the released profile, with no near
// products, no lists and no memory of what it has looked at: each question is
// answered by comparing everything with everything.
type plain struct {
	*space
	o      Options
	themes []*theme // in the order of their ids
	next   int
	last   *theme // that a semantic came to
	first  []int
	stats  Stats
}

func plainReleased(vectors [][]float32, o Options) *plain {
	s, err := newSpace(vectors)
	if err != nil {
		panic(err)
	}
	p := &plain{space: s, o: o, first: make([]int, len(vectors))}
	for i := range vectors {
		p.attachPlainly(i)
	}
	if o.Split {
		p.review()
	}
	if o.Merge {
		p.joinPairs()
		p.joinSingletons()
	}
	return p
}

func (p *plain) add(members []int) *theme {
	t := p.newTheme(p.next, members)
	p.next++
	p.themes = append(p.themes, t)
	return t
}

func (p *plain) attachPlainly(i int) {
	var best *theme
	similarity := math.Inf(-1)
	for _, t := range p.themes {
		if s := p.toCentroid(i, t); s > similarity {
			best, similarity = t, s
		}
	}
	if best == nil || similarity < p.o.AttachFloor || similarity < p.o.AttachAt && len(best.members) >= p.o.Cap {
		p.stats.Singletons++
		p.last = p.add([]int{i})
		p.first[i] = p.last.id
		return
	}
	p.attach(best, i)
	p.last = best
	p.first[i] = best.id
	if p.o.Split && len(best.members) > p.o.Cap {
		b := &builder{set: newSet(p.space), o: p.o}
		if pieces := b.components(best.members); len(pieces) > 1 {
			p.stats.Splits++
			p.themes[slices.Index(p.themes, best)] = p.newTheme(best.id, pieces[0])
			for _, piece := range pieces[1:] {
				p.add(piece)
			}
		}
	}
}

func (p *plain) nearest(t *theme) []*theme {
	others := slices.DeleteFunc(slices.Clone(p.themes), func(o *theme) bool { return o == t })
	slices.SortStableFunc(others, func(x, y *theme) int {
		return nearestFirst(Neighbour{x.id, between(t, x)}, Neighbour{y.id, between(t, y)})
	})
	return others[:min(len(others), p.o.Context)]
}

func (p *plain) plainScore(parts []*theme) float64 {
	if len(parts) == 0 {
		return 0
	}
	var n, squares int
	nearest := make([]float64, len(parts))
	for k, t := range parts {
		n += len(t.members)
		squares += len(t.members) * len(t.members)
		if len(parts) > 1 {
			nearest[k] = math.Inf(-1)
		}
		for j, o := range parts {
			if j != k {
				nearest[k] = max(nearest[k], rounded(between(t, o)))
			}
		}
	}
	median := func(list []float64) float64 {
		list = slices.Sorted(slices.Values(list))
		return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
	}
	m := median(nearest)
	distances := make([]float64, len(nearest))
	for k, s := range nearest {
		distances[k] = math.Abs(s - m)
	}
	g := bell{m, median(distances) + epsilon}
	sum := 0.0
	for k, t := range parts {
		cohesion := 0.0
		for _, i := range t.members {
			cohesion += p.toCentroid(i, t)
		}
		sum += cohesion / float64(len(t.members)) * g.at(nearest[k])
	}
	return sparsity(n, len(parts), squares) + sum/float64(len(parts))
}

func (p *plain) review() {
	b := &builder{set: newSet(p.space), o: p.o}
	var kept, fresh []*theme
	for _, t := range p.themes {
		if len(t.members) < max(p.o.Cap, p.o.SplitMin) || !b.mixed(t.members) {
			kept = append(kept, t)
			continue
		}
		near := p.nearest(t)
		with := func(pieces [][]int) float64 {
			parts := slices.Clone(near)
			for _, piece := range pieces {
				parts = append(parts, p.newTheme(-1, piece))
			}
			return p.plainScore(parts)
		}
		pieces := b.components(t.members)
		if with([][]int{t.members}) > with(pieces) {
			pieces = [][]int{t.members}
		}
		if len(pieces) == 1 {
			p.stats.Reissued++
		} else {
			p.stats.Splits++
		}
		for _, piece := range pieces {
			fresh = append(fresh, p.newTheme(p.next, piece))
			p.next++
		}
	}
	p.themes = slices.Concat(kept, fresh)
}

func (p *plain) gain(into, from, x, y *theme) float64 {
	context := []*theme{x, y}
	for _, t := range slices.Concat(p.nearest(x), p.nearest(y)) {
		if !slices.Contains(context, t) {
			context = append(context, t)
		}
	}
	joined := slices.Clone(context[1:])
	joined[0] = p.newTheme(into.id, union(into, from))
	return p.plainScore(joined) - p.plainScore(context)
}

func (p *plain) join(into, from *theme) {
	p.themes[slices.Index(p.themes, into)] = p.newTheme(into.id, union(into, from))
	p.themes = slices.DeleteFunc(p.themes, func(o *theme) bool { return o == from })
}

func (p *plain) joinPairs() {
	for range p.o.MergePasses {
		var a, b *theme
		rise := 0.0
		for i, x := range p.themes {
			for _, y := range p.themes[i+1:] {
				if between(x, y) >= p.o.MergeAt && len(x.members)+len(y.members) <= p.o.Cap {
					if g := p.gain(x, y, x, y); g > rise {
						a, b, rise = x, y, g
					}
				}
			}
		}
		if a == nil {
			return
		}
		p.stats.Merges++
		p.join(a, b)
	}
}

func (p *plain) joinSingletons() {
	for joined := true; joined; {
		joined = false
		single := slices.DeleteFunc(slices.Clone(p.themes), func(t *theme) bool { return len(t.members) != 1 })
		for _, was := range single {
			at := slices.IndexFunc(p.themes, func(t *theme) bool { return t.id == was.id })
			if at < 0 {
				continue
			}
			s, least := p.themes[at], p.o.CoalesceAt
			if len(s.members) > 1 {
				least = 0.99
			}
			others := slices.DeleteFunc(slices.Clone(p.themes), func(t *theme) bool {
				return t == s || between(s, t) < least || len(t.members)+len(s.members) > p.o.Cap
			})
			slices.SortStableFunc(others, func(x, y *theme) int {
				return nearestFirst(Neighbour{x.id, between(s, x)}, Neighbour{y.id, between(s, y)})
			})
			var best *theme
			rise := 0.0
			for _, t := range others {
				if g := p.gain(t, s, s, t); g > rise {
					best, rise = t, g
				}
			}
			if best != nil {
				p.stats.Coalesced++
				p.join(best, s)
				joined = true
			}
		}
	}
}

// plainPaper does what a builder does in the paper's profile: the objective of
// every change is worked out from the whole partition.
func plainPaper(vectors [][]float32, batches []int, o Options) *plain {
	s, err := newSpace(vectors)
	if err != nil {
		panic(err)
	}
	o.AttachFloor = o.AttachAt
	p := &plain{space: s, o: o, first: make([]int, len(vectors))}
	b := &builder{set: newSet(s), o: o}
	p.o.Split = false
	next := 0
	for _, size := range batches {
		var tiny []*theme
		for range size {
			p.attachPlainly(next)
			next++
			if t := p.last; o.Split && len(t.members) > o.Cap {
				p.divide(t, b.cuts(t.members))
			} else if len(t.members) == 1 {
				tiny = append(tiny, t)
			}
		}
		if o.Merge {
			p.joinTiny(tiny)
		}
	}
	if o.Merge {
		p.joinTiny(slices.Clone(p.themes))
	}
	return p
}

// without returns the themes that stay.
func (p *plain) without(gone ...*theme) []*theme {
	return slices.DeleteFunc(slices.Clone(p.themes), func(t *theme) bool { return slices.Contains(gone, t) })
}

func (p *plain) divide(t *theme, cuts [][][]int) {
	var best [][]int
	highest := math.Inf(-1)
	for _, cut := range cuts {
		parts := p.without(t)
		for _, piece := range cut {
			parts = append(parts, p.newTheme(-1, piece))
		}
		tooLarge := slices.ContainsFunc(cut, func(piece []int) bool { return len(piece) > p.o.Cap })
		if f := p.plainScore(parts); !tooLarge && f > highest {
			best, highest = cut, f
		}
	}
	p.stats.Splits++
	p.themes[slices.Index(p.themes, t)] = p.newTheme(t.id, best[0])
	for _, piece := range best[1:] {
		p.add(piece)
	}
}

func (p *plain) joinTiny(tiny []*theme) {
	for _, t := range tiny {
		if !slices.Contains(p.themes, t) || len(t.members) != 1 {
			continue
		}
		var best *theme
		highest := p.plainScore(p.themes)
		for _, into := range p.nearest(t) {
			if len(into.members)+1 <= p.o.Cap {
				parts := append(p.without(into, t), p.newTheme(into.id, union(into, t)))
				if f := p.plainScore(parts); f > highest {
					best, highest = into, f
				}
			}
		}
		if best != nil {
			p.stats.Coalesced++
			p.join(best, t)
		}
	}
}

// plainGraph compares each semantic with all that it may be joined to.
func plainGraph(s *space, batches []int, k int) [][]Neighbour {
	graph := make([][]Neighbour, len(s.vectors))
	first := 0
	for _, size := range batches {
		for i := first; i < first+size; i++ {
			var list []Neighbour
			for j := range first + size {
				if similarity := s.similarity(i, j); j != i && similarity > 0 {
					list = append(list, Neighbour{j, similarity})
				}
			}
			slices.SortStableFunc(list, nearestFirst)
			graph[i] = list[:min(k, len(list))]
		}
		first += size
	}
	return graph
}

func nearestFirst(a, b Neighbour) int {
	return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), a.Index-b.Index)
}

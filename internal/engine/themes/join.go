package themes

import "slices"

// joinPairs is step (d): the pair of near themes whose union raises the
// objective most is joined, at most MergePasses times.
func (b *builder) joinPairs() {
	for range b.o.MergePasses {
		type pair struct{ a, b *theme }
		var pairs []pair
		for id, t := range b.themes {
			if t == nil {
				continue
			}
			b.cohesionOf(t)
			near := b.within(id, b.o.MergeAt)
			older := func(e Neighbour) bool {
				return e.Index < id || len(t.members)+len(b.themes[e.Index].members) > b.o.Cap
			}
			near = slices.DeleteFunc(slices.Clone(near), older)
			slices.SortFunc(near, func(x, y Neighbour) int { return x.Index - y.Index })
			for _, e := range near {
				pairs = append(pairs, pair{t, b.themes[e.Index]})
			}
		}
		gains := make([]float64, len(pairs))
		contexts := make([][]*theme, len(pairs))
		for i, p := range pairs {
			contexts[i] = b.context(p.a, p.b)
		}
		parallel(len(pairs), 16, func(from, to int) {
			for i := from; i < to; i++ {
				gains[i] = b.gain(pairs[i].a, pairs[i].b, contexts[i])
			}
		})
		best := -1
		for i, g := range gains {
			if g > 0 && (best < 0 || g > gains[best]) {
				best = i
			}
		}
		if best < 0 {
			return
		}
		b.stats.Merges++
		b.join(pairs[best].a, pairs[best].b)
	}
}

// joinSingletons is step (e): each theme of one semantic joins the theme with
// which the objective rises most, until none rises.
func (b *builder) joinSingletons() {
	looked := make(map[int]int) // for a theme's id, the age at which none rose
	for joined := true; joined; {
		joined = false
		for _, s := range slices.Clone(b.themes) {
			if s == nil || b.themes[s.id] != s || len(s.members) != 1 {
				continue
			}
			candidates := slices.Clone(b.within(s.id, b.o.CoalesceAt))
			if age, ok := looked[s.id]; ok && b.unchanged(s.id, candidates, b.o.CoalesceAt, age) {
				continue
			}
			looked[s.id] = b.age
			var best *theme
			rise := 0.0
			for _, e := range candidates {
				t := b.themes[e.Index]
				if len(t.members)+1 > b.o.Cap {
					continue
				}
				if g := b.gain(t, s, b.context(s, t)); g > rise {
					best, rise = t, g
				}
			}
			if best != nil {
				b.stats.Coalesced++
				b.join(best, s)
				joined = true
			}
		}
	}
}

// context returns a and b and the themes nearest to them.
func (b *builder) context(x, y *theme) []*theme {
	context := []*theme{x, y}
	for _, t := range []*theme{x, y} {
		for _, e := range b.nearest(t.id, b.o.Context) {
			if near := b.themes[e.Index]; !slices.Contains(context, near) {
				context = append(context, near)
			}
		}
	}
	return context
}

// gain returns by how much the objective of the context, which begins with the
// two themes in any order, rises when they are joined.
func (b *builder) gain(into, from *theme, context []*theme) float64 {
	joined := slices.Clone(context[1:])
	joined[0] = b.newTheme(into.id, union(into, from))
	return b.score(joined) - b.score(context)
}

// join makes one theme of two; it has the id of the first.
func (b *builder) join(into, from *theme) {
	joined := b.newTheme(into.id, union(into, from))
	l := b.inherited(joined, into, from)
	b.remove(from)
	b.put(joined)
	l.seen, l.changed = len(b.came), b.age
	b.setList(joined.id, l)
	b.hold(joined.id)
}

// inherited returns the list of a theme that two others make. Its similarities
// are sums of theirs, since its centroid is the sum of their centroids, so that
// what is below the floors of both is below a floor that follows.
func (b *builder) inherited(joined, x, y *theme) list {
	const rounding = 1e-9 // of the sums, and more
	floor := 0.0
	seen := make(map[int]bool)
	l := list{known: true}
	for _, t := range []*theme{x, y} {
		b.nearest(t.id, 1)
		own := b.lists[t.id]
		floor += share(t, joined) * (own.floor + rounding)
		for _, e := range own.entries {
			if e.Index != x.id && e.Index != y.id && !seen[e.Index] {
				seen[e.Index] = true
				l.entries = append(l.entries, Neighbour{e.Index, between(joined, b.themes[e.Index])})
			}
		}
	}
	l.floor = floor
	l.entries = slices.DeleteFunc(l.entries, func(e Neighbour) bool { return e.Similarity < floor })
	slices.SortFunc(l.entries, nearestFirst)
	return l
}

// share returns how much of the similarities of a joined theme come from one of
// the two that it was made of.
func share(t, joined *theme) float64 {
	return float64(len(t.members)) / float64(len(joined.members)) * (t.length + epsilon) / (joined.length + epsilon)
}

func union(a, b *theme) []int {
	return append(slices.Clip(slices.Clone(a.members)), b.members...)
}

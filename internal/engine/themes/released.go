package themes

import (
	"math"
	"slices"
)

// released builds the themes as the released code does at the end of a
// conversation: (a) and (b) attach, (c) review, (d) join pairs, (e) join
// singletons. The letters are those of the package comment.
func (b *builder) released() {
	b.arrivals(func() {}, b.attachOne)
	if b.o.Split {
		b.review()
	}
	if b.o.Merge {
		b.knowAll()
		b.joinPairs()
		b.joinSingletons()
	}
}

// ahead is how many arrivals are multiplied with all themes at once.
const ahead = 32

// arrivals calls arrive for each semantic, with its near products with the
// themes; those of changed themes are -Inf. Before a stretch of arrivals, whose
// near products are worked out together, it calls begin.
func (b *builder) arrivals(begin func(), arrive func(semantic int, products []float32)) {
	stride := b.units.stride
	queries := make([]float32, ahead*stride)
	var products []float32
	for from := 0; from < len(b.vectors); from += ahead {
		begin()
		to := min(from+ahead, len(b.vectors))
		clear(queries)
		copy(queries, b.units.data[from*stride:to*stride])
		width := b.width()
		products = resize(products, ahead*width)
		parallel(ahead, ahead/2, func(low, high int) {
			b.rows.products(products[low*width:high*width], queries[low*stride:high*stride], 0, width)
		})
		known := len(b.themes)
		b.changed = b.changed[:0]
		for i := range to - from {
			line := products[i*width : i*width+known]
			slices.Sort(b.changed)
			b.changed = slices.Compact(b.changed)
			for _, id := range b.changed {
				if id < known {
					line[id] = float32(math.Inf(-1))
				}
			}
			arrive(from+i, line)
		}
	}
}

// attachOne is step (a) for a semantic, given its near products.
func (b *builder) attachOne(semantic int, products []float32) {
	best, similarity := b.bestTheme(semantic, products)
	if best == nil || similarity < b.o.AttachAt && (similarity < b.o.AttachFloor || len(best.members) >= b.o.Cap) {
		b.stats.Singletons++
		best = b.add([]int{semantic})
	} else {
		b.attach(best, semantic)
		b.put(best)
	}
	b.first[semantic] = best.name
	if b.o.Split && len(best.members) > b.o.Cap {
		b.divide(best, b.components(best.members))
	}
}

// bestTheme returns the theme whose centroid is nearest to the semantic, of
// equally near ones the oldest, if that reaches the floor.
func (b *builder) bestTheme(semantic int, products []float32) (*theme, float64) {
	var best *theme
	similarity := math.Inf(-1)
	look := func(t *theme) {
		s := b.toCentroid(semantic, t)
		if s > similarity || s == similarity && t.id < best.id {
			best, similarity = t, s
		}
	}
	for _, id := range b.changed {
		if b.themes[id] != nil {
			look(b.themes[id])
		}
	}
	least := float32(max(similarity, b.o.AttachFloor))
	for _, p := range products {
		least = max(least, p)
	}
	least -= 2 * b.rows.slack()
	for id, p := range products {
		if p >= least && b.themes[id] != nil {
			look(b.themes[id])
		}
	}
	return best, similarity
}

// divide is the end of step (b): the first piece keeps the theme's id.
func (b *builder) divide(t *theme, pieces [][]int) {
	if len(pieces) == 1 {
		return
	}
	b.stats.Splits++
	b.put(b.newTheme(t.id, pieces[0]))
	for _, piece := range pieces[1:] {
		b.add(piece)
	}
}

// components returns the connected components of a theme's members under edges of at
// least SplitEdge, cut into pieces of at most Cap. Each is in the order of a search
// in depth from its first member. SplitMin members or fewer are one component.
//
// The search takes of several unseen neighbours the last first, and a member
// has been seen when it is taken, not when it is found: the golden partitions
// tell this order from the others, because it decides where pieces are cut.
func (b *builder) components(members []int) [][]int {
	if len(members) <= b.o.SplitMin {
		return slices.Collect(slices.Chunk(members, b.o.Cap))
	}
	var pieces [][]int
	seen := make([]bool, len(members))
	for i := range members {
		if seen[i] {
			continue
		}
		var component []int
		for stack := []int{i}; len(stack) > 0; {
			u := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if seen[u] {
				continue
			}
			seen[u] = true
			component = append(component, members[u])
			for v := range members {
				if !seen[v] && b.similarity(members[u], members[v]) >= b.o.SplitEdge {
					stack = append(stack, v)
				}
			}
		}
		for piece := range slices.Chunk(component, b.o.Cap) {
			pieces = append(pieces, slices.Clip(piece))
		}
	}
	return pieces
}

// review is step (c): a full theme of mixed semantics is left whole or divided
// into its components, whichever gives the higher objective beside the nearest
// themes. Either way its themes get new ids.
func (b *builder) review() {
	var full []*theme
	var ids []int
	for id, t := range b.themes {
		if len(t.members) >= max(b.o.Cap, b.o.SplitMin) && b.mixed(t.members) {
			full, ids = append(full, t), append(ids, id)
		}
	}
	b.knowThose(ids)
	for _, t := range full {
		var context []*theme
		for _, e := range b.nearest(t.id, b.o.Context) {
			context = append(context, b.themes[e.Index])
		}
		pieces := b.components(t.members)
		if b.scoreWith(context, [][]int{t.members}) > b.scoreWith(context, pieces) {
			pieces = [][]int{t.members}
		}
		if len(pieces) == 1 {
			b.stats.Reissued++
		} else {
			b.stats.Splits++
		}
		b.remove(t)
		for _, piece := range pieces {
			b.add(piece)
		}
	}
}

// mixed is whether the mean similarity of the members is below Heterogeneity.
func (b *builder) mixed(members []int) bool {
	sum := 0.0
	for _, i := range members {
		for _, j := range members {
			sum += b.similarity(i, j)
		}
	}
	n := float64(len(members))
	return (sum-n)/(n*(n-1)+1e-6) < b.o.Heterogeneity
}

// scoreWith returns the objective of the context with themes of the pieces.
func (b *builder) scoreWith(context []*theme, pieces [][]int) float64 {
	parts := slices.Clone(context)
	for _, piece := range pieces {
		parts = append(parts, b.newTheme(-1, piece))
	}
	return b.score(parts)
}

func resize(s []float32, n int) []float32 { return slices.Grow(s[:0], n)[:n] }

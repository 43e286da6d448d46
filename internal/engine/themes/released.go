package themes

import (
	"math"
	"slices"

	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/index"
)

// released builds the themes as the released code does at the end of a
// conversation: (a) and (b) attach, (c) review, (d) join pairs, (e) join
// singletons. The letters are those of the package comment.
func (b *builder) released() {
	for semantic := range b.vectors {
		b.attachOne(semantic)
	}
	if b.o.Split {
		b.review()
	}
	if b.o.Merge {
		b.joinPairs()
		b.joinSingletons()
	}
}

// attachOne is step (a) for a semantic, and (b) where its theme becomes too large.
func (b *builder) attachOne(semantic int) {
	t, similarity := b.bestTheme(semantic)
	full := t != nil && len(t.members) >= b.o.Cap
	if similarity < b.o.AttachFloor || full && similarity < b.o.AttachAt {
		t = nil
	}
	t = b.place(semantic, t)
	if b.o.Split && len(t.members) > b.o.Cap {
		b.divide(t, b.components(t.members))
	}
}

// bestTheme returns the theme whose centroid is nearest to the semantic, of
// equally near ones the oldest; nil and -Inf if there is no theme.
func (b *builder) bestTheme(semantic int) (*theme, float64) {
	best := closest{k: 1, least: anyCosine, slack: b.slack}
	best.offer(b.products(index.Row(b.units[semantic], 1))[0], 0, func(i int) float64 {
		return b.toCentroid(semantic, b.themes[i])
	})
	if len(best.list) == 0 {
		return nil, math.Inf(-1)
	}
	return b.themes[best.list[0].Index], best.list[0].Similarity
}

// place attaches a semantic to a theme, or to a new one where that is nil, and
// returns the theme.
func (b *builder) place(semantic int, t *theme) *theme {
	if t == nil {
		b.stats.Singletons++
		t = b.add([]int{semantic})
	} else {
		b.attach(t, semantic)
		b.moved(t)
	}
	b.first[semantic] = t.id
	return t
}

// divide is the end of step (b): the first piece keeps the theme's id.
func (b *builder) divide(t *theme, pieces [][]int) {
	if len(pieces) == 1 {
		return
	}
	b.stats.Splits++
	b.replace(t, pieces[0])
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
// themes of before. Either way its themes get new ids.
func (b *builder) review() {
	fresh := make(map[*theme][][]int)
	for _, t := range b.themes {
		if len(t.members) < max(b.o.Cap, b.o.SplitMin) || !b.mixed(t.members) {
			continue
		}
		context := lists.Map(b.nearest(t, b.o.Context, anyCosine), func(e edge) *theme { return e.to })
		pieces := b.components(t.members)
		if b.scoreWith(context, [][]int{t.members}) > b.scoreWith(context, pieces) {
			pieces = [][]int{t.members}
		}
		if len(pieces) == 1 {
			b.stats.Reissued++
		} else {
			b.stats.Splits++
		}
		fresh[t] = pieces
	}
	for _, t := range slices.Clone(b.themes) {
		pieces, reviewed := fresh[t]
		if !reviewed {
			continue
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

// joinPairs is step (d): the pair of near themes whose union raises the
// objective most is joined, at most MergePasses times.
func (b *builder) joinPairs() {
	for range b.o.MergePasses {
		var into, from *theme
		highest := 0.0
		for _, x := range b.themes {
			near := b.nearest(x, len(b.themes), b.o.MergeAt)
			slices.SortFunc(near, func(a, b edge) int { return a.to.id - b.to.id })
			for _, e := range near {
				y := e.to
				if y.id < x.id || len(x.members)+len(y.members) > b.o.Cap {
					continue
				}
				if g := b.gain(x, y, b.context(x, y)); g > highest {
					into, from, highest = x, y, g
				}
			}
		}
		if into == nil {
			return
		}
		b.stats.Merges++
		b.join(into, from)
	}
}

// grownAt is the similarity from which a theme that was a singleton when its round of
// step (e) began, and has grown since, joins another.
const grownAt = 0.99

// joinSingletons is step (e): each theme of one semantic joins the theme with
// which the objective rises most, until none rises.
func (b *builder) joinSingletons() {
	for joined := true; joined; {
		joined = false
		single := lists.Filter(b.themes, func(t *theme) bool { return len(t.members) == 1 })
		for _, was := range single {
			at := slices.IndexFunc(b.themes, func(t *theme) bool { return t.id == was.id })
			if at < 0 {
				continue
			}
			s, least := b.themes[at], b.o.CoalesceAt
			if len(s.members) > 1 {
				least = grownAt
			}
			var best *theme
			highest := 0.0
			for _, e := range b.nearest(s, len(b.themes), least) {
				if len(e.to.members)+len(s.members) > b.o.Cap {
					continue
				}
				if g := b.gain(e.to, s, b.context(s, e.to)); g > highest {
					best, highest = e.to, g
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

// context returns two themes and those nearest to them.
func (b *builder) context(x, y *theme) []*theme {
	context := []*theme{x, y}
	for _, e := range append(b.nearest(x, b.o.Context, anyCosine), b.nearest(y, b.o.Context, anyCosine)...) {
		context = lists.AddNew(context, e.to)
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
	b.remove(from)
	b.replace(into, union(into, from))
}

func union(a, b *theme) []int {
	return append(slices.Clip(slices.Clone(a.members)), b.members...)
}

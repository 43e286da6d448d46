package themes

import (
	"slices"

	"recallbench/internal/calc/lists"
)

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

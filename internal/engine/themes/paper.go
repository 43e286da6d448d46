package themes

import (
	"math"
	"slices"

	"recallbench/internal/calc/lists"
)

// paper builds the themes as the paper's section 3.2 says: each semantic joins
// the nearest theme or makes one; a theme above the cap is divided at once, and
// a theme of one semantic may join another when its batch has arrived and once
// more at the end. What is divided and joined is decided by the objective over
// all themes.
func (b *builder) paper(batches []int) {
	next := 0
	for _, size := range batches {
		var tiny []*theme
		for range size {
			if t := b.accept(next); len(t.members) == 1 {
				tiny = append(tiny, t)
			}
			next++
		}
		if b.o.Merge {
			b.joinTiny(tiny)
		}
	}
	if b.o.Merge {
		b.joinTiny(slices.Clone(b.themes))
	}
}

// accept attaches a semantic and returns the theme that it came to.
func (b *builder) accept(semantic int) *theme {
	t, similarity := b.bestTheme(semantic)
	if similarity < b.o.AttachAt {
		t = nil
	}
	t = b.place(semantic, t)
	if b.o.Split && len(t.members) > b.o.Cap {
		b.divide(t, b.bestCut(t))
	}
	return t
}

// bestCut returns the cut of a theme's tree of clusters into pieces of at most
// Cap that gives the highest objective, of equally good ones that with the
// fewest pieces.
func (b *builder) bestCut(t *theme) [][]int {
	cuts := lists.Filter(b.cuts(t.members), func(cut [][]int) bool {
		return !slices.ContainsFunc(cut, func(piece []int) bool { return len(piece) > b.o.Cap })
	})
	// Neighbouring cuts share all pieces but one or two.
	made := make(map[[2]int]*theme) // by first member and size, which tell the clusters of a tree apart
	changes := make([]change, len(cuts))
	for i, cut := range cuts {
		changes[i].gone = []*theme{t}
		for _, members := range cut {
			key := [2]int{members[0], len(members)}
			if made[key] == nil {
				made[key] = b.newTheme(-1, members)
			}
			changes[i].come = append(changes[i].come, made[key])
		}
	}
	return cuts[b.best(changes)]
}

// cuts returns the partitions of the members into 2, 3, ... clusters that
// arise when the two clusters with the highest mean similarity of their
// members are joined again and again, of equally near pairs the first. Members
// and clusters are in their order of arrival.
func (b *builder) cuts(members []int) [][][]int {
	n := len(members)
	clusters := make([][]int, n)
	between := make([][]float64, n) // sums of similarities
	for i := range members {
		clusters[i] = []int{members[i]}
		between[i] = make([]float64, n)
		for j := range members {
			between[i][j] = b.similarity(members[i], members[j])
		}
	}
	var cuts [][][]int
	for len(clusters) > 1 {
		cuts = append(cuts, slices.Clone(clusters))
		x, y, highest := 0, 1, math.Inf(-1)
		for i := range clusters {
			for j := i + 1; j < len(clusters); j++ {
				if mean := between[i][j] / float64(len(clusters[i])*len(clusters[j])); mean > highest {
					x, y, highest = i, j, mean
				}
			}
		}
		clusters[x] = append(slices.Clone(clusters[x]), clusters[y]...)
		slices.Sort(clusters[x])
		clusters = slices.Delete(clusters, y, y+1)
		for j := range between {
			between[x][j] += between[y][j]
		}
		between = slices.Delete(between, y, y+1)
		for i := range between {
			between[i][x] += between[i][y]
			between[i] = slices.Delete(between[i], y, y+1)
		}
	}
	slices.Reverse(cuts)
	return cuts
}

// joinTiny lets those of the themes that hold one semantic join one of their
// nearest themes, where that raises the objective.
func (b *builder) joinTiny(themes []*theme) {
	for _, t := range themes {
		if t.gone || len(t.members) != 1 {
			continue
		}
		changes := []change{{}}
		for _, e := range b.nearest(t, b.o.Context, anyCosine) {
			if len(e.to.members)+1 <= b.o.Cap {
				both := b.newTheme(e.to.id, union(e.to, t))
				changes = append(changes, change{gone: []*theme{e.to, t}, come: []*theme{both}})
			}
		}
		if best := b.best(changes); best > 0 {
			b.stats.Coalesced++
			b.join(changes[best].gone[0], t)
		}
	}
}

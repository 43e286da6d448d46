package themes

import (
	"math"
	"runtime"
	"slices"

	"github.com/sourcegraph/conc/iter"

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

// offer considers candidates from a place on, given their products; exact returns the
// similarity of one, or NaN to leave it out.
func (c *closest) offer(products []float32, from int, exact func(i int) float64) {
	floor := float32(c.least - c.slack)
	for i, p := range products {
		if p < floor {
			continue
		}
		similarity := exact(from + i)
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
		c.list = slices.Insert(c.list, at, Neighbour{from + i, similarity})
		if len(c.list) >= c.k {
			c.list = c.list[:c.k]
			c.least = max(c.least, c.list[c.k-1].Similarity)
			floor = float32(c.least - c.slack)
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

// listed is the number of near themes that a theme is listed with at first; twice as many
// are cut.
const listed = 16

// together is how many rows are multiplied with others before the next, so that they stay
// in the nearest cache of the processor.
const together = 32

// products returns roughly the cosines of rows with all themes.
func (s *set) products(rows ...[]float32) [][]float32 {
	out := make([][]float32, len(rows))
	for i := range out {
		out[i] = make([]float32, len(s.ids))
	}
	for from := 0; from < len(s.ids); from += together {
		to := min(from+together, len(s.ids))
		for i, row := range rows {
			index.Products(row, s.matrix, s.ids[from:to], out[i][from:to])
		}
	}
	return out
}

// nearest returns the at most k themes nearest to one of the set, at no less than a
// similarity and with some left out, nearest first, of equally near ones the older first.
func (s *set) nearest(t *theme, k int, least float64, without ...*theme) []edge {
	if t.changed || len(s.stale) > together {
		s.refresh()
	}
	for again := range 2 {
		near := lists.Filter(t.near, func(e edge) bool { return !e.to.changed && !e.to.gone })
		for _, o := range s.stale {
			if e := (edge{o, between(t, o)}); !o.gone && e.similarity > t.bound {
				near = insert(near, e)
			}
		}
		near = lists.Filter(near, func(e edge) bool { return e.similarity >= least && !slices.Contains(without, e.to) })
		if len(near) >= k || t.bound < least {
			return near[:min(k, len(near))]
		}
		if again == 0 {
			s.refresh()
			s.list(t, s.products(t.row)[0])
		}
	}
	return s.scan(t, s.products(t.row)[0], k, least, without...)
}

// scan is nearest without lists, given the products of the theme with all.
func (s *set) scan(t *theme, products []float32, k int, least float64, without ...*theme) []edge {
	c := closest{k: k, least: least, slack: s.slack}
	c.offer(products, 0, func(i int) float64 {
		if o := s.themes[i]; o != t && !slices.Contains(without, o) {
			return between(t, o)
		}
		return math.NaN()
	})
	edges := make([]edge, len(c.list))
	for i, n := range c.list {
		edges[i] = edge{s.themes[n.Index], n.Similarity}
	}
	return edges
}

// refresh brings the lists of near themes up to date.
func (s *set) refresh() {
	if len(s.stale) == 0 {
		return
	}
	var changed []*theme
	for _, t := range s.stale {
		for _, o := range t.listedBy {
			o.near = slices.DeleteFunc(o.near, func(e edge) bool { return e.to == t })
		}
		t.listedBy = nil
		if !t.gone {
			changed = append(changed, t)
		}
	}
	s.stale = s.stale[:0]
	others := make([]int, 0, len(s.themes)) // places of those that have not changed
	for i, t := range s.themes {
		if !t.changed {
			others = append(others, i)
		}
	}
	for part := range slices.Chunk(changed, 32) {
		rows := lists.Map(part, func(t *theme) []float32 { return t.row })
		for i, products := range s.products(rows...) {
			t := part[i]
			s.list(t, products)
			for _, i := range others {
				if o := s.themes[i]; float64(products[i]) > o.bound-s.slack {
					if e := (edge{t, between(t, o)}); e.similarity > o.bound {
						o.near = insert(o.near, e)
						t.listedBy = lists.AddNew(t.listedBy, o)
						if len(o.near) > 2*listed {
							o.cut()
						}
					}
				}
			}
		}
	}
	for _, t := range changed {
		t.changed = false
	}
}

// list makes the list of near themes anew.
func (s *set) list(t *theme, products []float32) {
	t.near, t.bound = s.scan(t, products, listed+1, anyCosine), math.Inf(-1)
	t.cut()
	for _, e := range t.near {
		e.to.listedBy = lists.AddNew(e.to.listedBy, t)
	}
}

// insert adds an edge in order.
func insert(list []edge, e edge) []edge {
	at := len(list)
	for at > 0 && (list[at-1].similarity < e.similarity || list[at-1].similarity == e.similarity && list[at-1].to.id > e.to.id) {
		at--
	}
	return slices.Insert(list, at, e)
}

// cut leaves at most the listed themes, those above the next.
func (t *theme) cut() {
	if len(t.near) > listed {
		t.bound = t.near[listed].similarity
		t.near = t.near[:slices.IndexFunc(t.near, func(e edge) bool { return e.similarity == t.bound })]
	}
}

// graph returns for each semantic the at most k nearest among those that were
// known once its batch had arrived, nearest first, of equally near ones the
// older first. Similarities are above 0.
func (s *space) graph(batches []int, k int) [][]Neighbour {
	known := make([]int, 0, len(s.vectors)) // for each semantic, how many were known
	for _, size := range batches {
		known = append(known, slices.Repeat([]int{len(known) + size}, size)...)
	}
	ids := make([]uint32, len(known))
	var matrix []float32
	for i, unit := range s.units {
		ids[i] = uint32(i)
		matrix = append(matrix, index.Row(unit, 1)...)
	}
	stride := len(matrix) / max(1, len(known))
	graph := make([][]Neighbour, len(known))
	parts := slices.Collect(slices.Chunk(ids, 128))
	iter.Iterator[[]uint32]{MaxGoroutines: runtime.GOMAXPROCS(0)}.ForEach(parts, func(part *[]uint32) {
		near := slices.Repeat([]closest{{k: k, least: math.SmallestNonzeroFloat64, slack: s.slack}}, len(*part))
		var out [together]float32
		for from := 0; from < known[(*part)[len(*part)-1]]; from += together {
			for j, i := range *part {
				to := min(from+together, known[i])
				if from >= to {
					continue
				}
				index.Products(matrix[int(i)*stride:][:stride], matrix, ids[from:to], out[:])
				near[j].offer(out[:to-from], from, func(o int) float64 {
					if o == int(i) {
						return math.NaN()
					}
					return s.similarity(int(i), o)
				})
			}
		}
		for j, i := range *part {
			graph[i] = near[j].list
		}
	})
	return graph
}

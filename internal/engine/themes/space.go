package themes

import (
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/sourcegraph/conc/iter"

	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/index"
)

// epsilon is added to norms and to the denominators of the objective, as the
// released code does.
const epsilon = 1e-8

// A space holds the vectors of the semantics. Their cosines are products of
// float32 rows of length 1, as in the released code, summed in float64.
type space struct {
	dim     int
	vectors [][]float32
	units   [][]float32 // the vectors divided by their norms; a zero vector stays zero
	slack   float64     // see [closest]
}

func newSpace(vectors [][]float32) (*space, error) {
	s := &space{vectors: vectors, units: make([][]float32, len(vectors))}
	if len(vectors) > 0 {
		s.dim = len(vectors[0])
	}
	s.slack = float64(s.dim+1024) / (1 << 28)
	for i, v := range vectors {
		if len(v) != s.dim {
			return nil, fmt.Errorf("vector %d has %d elements, the first has %d", i, len(v), s.dim)
		}
		sum := 0.0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		length := float32(math.Sqrt(sum)) + epsilon
		if sum != sum || math.IsInf(float64(length), 0) {
			return nil, fmt.Errorf("vector %d is not finite, or too long for float32", i)
		}
		s.units[i] = make([]float32, s.dim)
		for j, x := range v {
			s.units[i][j] = x / length
		}
	}
	return s, nil
}

// similarity returns the cosine of two semantics.
func (s *space) similarity(i, j int) float64 { return dot(s.units[i], s.units[j]) }

// A theme is a set of semantics with what the construction asks of it.
type theme struct {
	id       int       // [Theme.ID]
	members  []int     // in the order in which they came
	centroid []float64 // mean of the members' vectors, not of length 1
	length   float64   // of the centroid
	row      []float32 // the centroid divided by its length, for [index.Products]
	cohesion float64   // mean cosine of members and centroid; unknown until it is asked for
	changed  bool      // since the last [set.refresh]
	gone     bool      // from its set
	near     []edge    // to all other themes above bound, nearest first, of equally near ones the older first
	bound    float64
	listedBy []*theme // themes whose lists of near ones may have this one
}

const unknown = -2

// newTheme returns the theme of the members.
func (s *space) newTheme(id int, members []int) *theme {
	t := &theme{id: id, members: members, centroid: make([]float64, s.dim)}
	for _, i := range members {
		for j, x := range s.vectors[i] {
			t.centroid[j] += float64(x)
		}
	}
	for j := range t.centroid {
		t.centroid[j] /= float64(len(members))
	}
	t.settle()
	return t
}

// attach adds a semantic; the centroid is a running mean.
func (s *space) attach(t *theme, semantic int) {
	n := float64(len(t.members))
	for j, x := range s.vectors[semantic] {
		t.centroid[j] = (float64(t.centroid[j]*n) + float64(x)) / (n + 1)
	}
	t.members = append(t.members, semantic)
	t.settle()
}

// settle works out what follows from the centroid.
func (t *theme) settle() {
	t.length = math.Sqrt(dot(t.centroid, t.centroid))
	t.row = index.Row(t.centroid, t.length+epsilon)
	t.cohesion = unknown
}

// toCentroid returns the cosine of a semantic and a theme's centroid.
func (s *space) toCentroid(semantic int, t *theme) float64 {
	return dot(s.units[semantic], t.centroid) / (t.length + epsilon)
}

// between returns the cosine of two themes' centroids.
func between(a, b *theme) float64 {
	return dot(a.centroid, b.centroid) / ((a.length + epsilon) * (b.length + epsilon))
}

// cohesionOf returns the mean cosine of the theme's members and its centroid.
func (s *space) cohesionOf(t *theme) float64 {
	if t.cohesion == unknown {
		sum := 0.0
		for _, i := range t.members {
			sum += s.toCentroid(i, t)
		}
		t.cohesion = sum / float64(len(t.members))
	}
	return t.cohesion
}

// dot returns the product of two vectors in float64. The sum is taken in the
// same order, without fused steps, on every processor, so that a comparison
// comes out the same everywhere.
func dot[A, B float32 | float64](a []A, b []B) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	i := 0
	for ; i+3 < len(a); i += 4 {
		s0 += float64(float64(a[i]) * float64(b[i]))
		s1 += float64(float64(a[i+1]) * float64(b[i+1]))
		s2 += float64(float64(a[i+2]) * float64(b[i+2]))
		s3 += float64(float64(a[i+3]) * float64(b[i+3]))
	}
	for ; i < len(a); i++ {
		s0 += float64(float64(a[i]) * float64(b[i]))
	}
	return s0 + s1 + (s2 + s3)
}

// A set holds the themes of a hierarchy under construction.
type set struct {
	*space
	themes []*theme  // in the order of their ids
	ids    []uint32  // of the themes
	next   int       // id
	matrix []float32 // the rows of the themes by their ids
	stale  []*theme  // that have changed or gone since the last refresh
}

func newSet(s *space) *set { return &set{space: s} }

// add makes a theme of the members, with the next id.
func (s *set) add(members []int) *theme {
	t := s.newTheme(s.next, members)
	s.next++
	s.themes = append(s.themes, t)
	s.ids = append(s.ids, uint32(t.id))
	s.matrix = append(s.matrix, t.row...)
	s.moved(t)
	return t
}

// remove takes a theme out.
func (s *set) remove(t *theme) {
	i := slices.Index(s.themes, t)
	s.themes, s.ids = slices.Delete(s.themes, i, i+1), slices.Delete(s.ids, i, i+1)
	t.gone = true
	s.stale = append(s.stale, t)
}

// replace puts a theme of other members in the place of one, with its id.
func (s *set) replace(old *theme, members []int) {
	t := s.newTheme(old.id, members)
	s.themes[slices.Index(s.themes, old)] = t
	old.gone = true
	s.stale = append(s.stale, old)
	s.moved(t)
}

// moved notes that a theme's centroid is new.
func (s *set) moved(t *theme) {
	copy(s.matrix[t.id*len(t.row):], t.row)
	if !t.changed {
		t.changed = true
		s.stale = append(s.stale, t)
	}
}

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

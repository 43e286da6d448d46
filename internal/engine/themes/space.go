package themes

import (
	"fmt"
	"math"
	"slices"
)

// epsilon is added to norms and to the denominators of the objective, as the
// released code does.
const epsilon = 1e-8

// A space holds the vectors of the semantics. Their cosines are products of
// float32 rows of length 1, as in the released code, summed in float64.
type space struct {
	dim     int
	vectors [][]float32
	units   *matrix // the vectors divided by their norms; a zero vector stays zero
}

func newSpace(vectors [][]float32) (*space, error) {
	s := &space{vectors: vectors}
	if len(vectors) > 0 {
		s.dim = len(vectors[0])
	}
	s.units = newMatrix(s.dim)
	s.units.grow(len(vectors))
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
		row := s.units.row(i)
		for j, x := range v {
			row[j] = x / length
		}
	}
	return s, nil
}

// similarity returns the cosine of two semantics.
func (s *space) similarity(i, j int) float64 {
	return dotRows(s.units.row(i), s.units.row(j))
}

// A theme is a set of semantics with what the construction asks of it.
type theme struct {
	id       int       // place in the set
	name     int       // [Theme.ID]
	members  []int     // in the order in which they came
	centroid []float64 // mean of the members' vectors, not of length 1
	length   float64   // of the centroid
	row      []float32 // the centroid at length 1, padded, for near products
	cohesion float64   // mean cosine of members and centroid; below -1 while not known
}

const unknown = -2

// newTheme returns the theme of the members.
func (s *space) newTheme(id int, members []int) *theme {
	t := &theme{id: id, members: members, centroid: make([]float64, s.dim), row: make([]float32, s.units.stride)}
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
	t.length = norm(t.centroid)
	for j, x := range t.centroid {
		t.row[j] = float32(x / (t.length + epsilon))
	}
	t.cohesion = unknown
}

// toCentroid returns the cosine of a semantic and a theme's centroid.
func (s *space) toCentroid(semantic int, t *theme) float64 {
	return dotRow(s.units.row(semantic), t.centroid) / (t.length + epsilon)
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

// A set holds the themes of a hierarchy under construction, in the order of their
// ids, in which they came to be. It knows the nearest themes of each.
type set struct {
	*space
	themes  []*theme // by id; nil where a theme is no more
	named   int      // how many themes there ever were
	live    int
	rows    *matrix // the themes' rows by id; zero where a theme is no more
	age     int     // number of changes so far
	changed []int   // ids of the themes that came, went or changed in a stretch of arrivals
	nearby
}

func newSet(s *space) *set { return &set{space: s, rows: newMatrix(s.dim)} }

// add makes a theme of the members, with the next id.
func (s *set) add(members []int) *theme {
	t := s.newTheme(len(s.themes), members)
	t.name = s.named
	s.named++
	s.themes = append(s.themes, nil)
	s.rows.grow(len(s.themes))
	s.prepare()
	s.live++
	s.put(t)
	return t
}

// remove takes a theme out.
func (s *set) remove(t *theme) {
	s.age++
	s.leave(t.id)
	s.changed = append(s.changed, t.id)
	s.themes[t.id] = nil
	clear(s.rows.row(t.id))
	s.live--
}

// put places a theme that is new, or has changed, or replaces the one that has
// its id.
func (s *set) put(t *theme) {
	s.age++
	s.leave(t.id)
	if old := s.themes[t.id]; old != nil {
		t.name = old.name
	}
	s.themes[t.id] = t
	s.changed = append(s.changed, t.id)
	copy(s.rows.row(t.id), t.row)
	s.enter(t.id)
}

// width is the number of rows that products with all themes have room for.
func (s *set) width() int { return (len(s.themes) + 3) / 4 * 4 }

// near returns the near products of rows with the rows of all ids, one line for
// each.
func (s *set) near(rows ...[]float32) [][]float32 {
	stride, width := s.rows.stride, s.width()
	even := (len(rows) + 1) / 2 * 2
	queries := make([]float32, even*stride)
	for i, row := range rows {
		copy(queries[i*stride:], row)
	}
	products := make([]float32, even*width)
	s.rows.products(products, queries, 0, width)
	lines := make([][]float32, len(rows))
	for i := range lines {
		lines[i] = products[i*width : i*width+len(s.themes)]
	}
	return lines
}

// alive is whether the set still holds a theme.
func (s *set) alive(t *theme) bool { return t.id < len(s.themes) && s.themes[t.id] == t }

// compact gives the themes new ids without gaps, in the same order. All lists
// must be true.
func (s *set) compact() {
	places := make([]int, len(s.themes))
	themes := s.themes[:0]
	for id, t := range s.themes {
		if places[id] = -1; t == nil {
			continue
		}
		at := len(themes)
		places[id], t.id = at, at
		themes = append(themes, t)
		copy(s.rows.row(at), s.rows.row(id))
		s.lists[at], s.floors[at], s.holders[at] = s.lists[id], s.floors[id], s.holders[id]
	}
	clear(s.themes[len(themes):])
	s.themes = themes
	s.rows.shrink(len(themes))
	s.lists, s.floors, s.holders = s.lists[:len(themes)], s.floors[:len(themes)], s.holders[:len(themes)]
	for id := range s.lists {
		for i := range s.lists[id].entries {
			s.lists[id].entries[i].Index = places[s.lists[id].entries[i].Index]
		}
		for i, holder := range s.holders[id] {
			s.holders[id][i] = places[holder]
		}
		s.holders[id] = slices.DeleteFunc(s.holders[id], func(holder int) bool { return holder < 0 })
	}
}

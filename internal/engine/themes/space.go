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
	units   [][]float32 // the vectors divided by their norms; a zero vector stays zero
}

func newSpace(vectors [][]float32) (*space, error) {
	s := &space{vectors: vectors, units: make([][]float32, len(vectors))}
	if len(vectors) > 0 {
		s.dim = len(vectors[0])
	}
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
	row      int       // place in the matrix of a set; absent outside of one
	members  []int     // in the order in which they came
	centroid []float64 // mean of the members' vectors, not of length 1
	length   float64   // of the centroid
	cohesion float64   // mean cosine of members and centroid; unknown until it is asked for
}

const (
	absent  = -1
	unknown = -2
)

// newTheme returns the theme of the members.
func (s *space) newTheme(id int, members []int) *theme {
	t := &theme{id: id, row: absent, members: members, centroid: make([]float64, s.dim)}
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

// A set holds the themes of a hierarchy under construction with the cosines of
// their centroids, one row of the matrix anew for each theme that changes.
type set struct {
	*space
	themes  []*theme // in the order of their ids
	next    int      // id
	cosines [][]float64
	free    []int // rows of the matrix that belong to no theme
}

func newSet(s *space) *set { return &set{space: s} }

// add makes a theme of the members, with the next id.
func (s *set) add(members []int) *theme {
	t := s.newTheme(s.next, members)
	s.next++
	if last := len(s.free) - 1; last >= 0 {
		t.row, s.free = s.free[last], s.free[:last]
	} else {
		t.row = len(s.cosines)
		for i := range s.cosines {
			s.cosines[i] = append(s.cosines[i], 0)
		}
		s.cosines = append(s.cosines, make([]float64, t.row+1))
	}
	s.themes = append(s.themes, t)
	s.compare(t)
	return t
}

// remove takes a theme out.
func (s *set) remove(t *theme) {
	s.themes = slices.DeleteFunc(s.themes, func(o *theme) bool { return o == t })
	s.free = append(s.free, t.row)
	t.row = absent
}

// replace puts a theme of other members in the place of one, with its id.
func (s *set) replace(old *theme, members []int) {
	t := s.newTheme(old.id, members)
	t.row, old.row = old.row, absent
	s.themes[slices.Index(s.themes, old)] = t
	s.compare(t)
}

// compare works out the row of a theme that is new or has changed.
func (s *set) compare(t *theme) {
	for _, o := range s.themes {
		if o != t {
			c := between(t, o)
			s.cosines[t.row][o.row], s.cosines[o.row][t.row] = c, c
		}
	}
}

// cosine returns that of two themes' centroids, which need not be in the set.
func (s *set) cosine(a, b *theme) float64 {
	if a.row == absent || b.row == absent {
		return between(a, b)
	}
	return s.cosines[a.row][b.row]
}

// An edge leads to a theme.
type edge struct {
	to         *theme
	similarity float64
}

// nearest returns the at most k themes nearest to one, nearest first, of equally
// near ones the older first.
func (s *set) nearest(t *theme, k int) []edge {
	var list []edge
	for _, o := range s.themes {
		if o == t {
			continue
		}
		e := edge{o, s.cosine(t, o)}
		at := len(list)
		for at > 0 && list[at-1].similarity < e.similarity {
			at--
		}
		if at < k {
			list = slices.Insert(list, at, e)
			list = list[:min(k, len(list))]
		}
	}
	return list
}

// within returns the other themes whose similarity is at least some number, nearest
// first, of equally near ones the older first.
func (s *set) within(t *theme, least float64) []edge {
	all := s.nearest(t, len(s.themes))
	beyond := slices.IndexFunc(all, func(e edge) bool { return e.similarity < least })
	if beyond < 0 {
		return all
	}
	return all[:beyond]
}

func nearestFirst(a, b Neighbour) int {
	switch {
	case a.Similarity > b.Similarity:
		return -1
	case a.Similarity < b.Similarity:
		return 1
	default:
		return a.Index - b.Index
	}
}

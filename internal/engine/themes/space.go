package themes

import (
	"fmt"
	"math"
	"slices"

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

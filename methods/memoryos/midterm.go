package memoryos

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/blas/blas32"

	"recallbench/internal/door/embed"
)

// A segment holds pages about one theme.
type segment struct {
	summary  string
	keywords []string
	vector   []float32 // of the summary, of length 1 or 0
	pages    []*page
	fresh    int       // pages since it was analysed, the paper's L
	changed  time.Time // when a page came in, or it was analysed
	heat     float64
}

// midTerm is mid-term memory: segments in the order in which they were made.
type midTerm struct {
	method   *method
	segments []*segment
	holding  map[int][]*page // by id: the pages of segments, without repeats
}

func newMidTerm(m *method) *midTerm { return &midTerm{method: m, holding: make(map[int][]*page)} }

// find returns the page that has an id, in the oldest of the segments that hold
// it; nil where none does.
func (m *midTerm) find(id int) *page {
	switch held := m.holding[id]; len(held) {
	case 0:
		return nil
	case 1:
		return held[0]
	}
	for _, s := range m.segments {
		for _, p := range s.pages {
			if p.id == id {
				return p
			}
		}
	}
	return nil
}

// similarity is that of two sets of keywords, in [0, 1]; 0 where one is empty.
func similarity(how Similarity, a, b []string) float64 {
	if how == NoKeywords || len(a) == 0 || len(b) == 0 {
		return 0
	}
	both := 0
	for _, k := range a {
		if slices.Contains(b, k) {
			both++
		}
	}
	common := float64(both)
	if how == Containment {
		return 0.5 * (common/float64(len(a)) + common/float64(len(b)))
	}
	return common / float64(len(a)+len(b)-both)
}

// unit scales a vector to length 1.
func unit(v []float32) []float32 {
	x := blas32.Vector{N: len(v), Inc: 1, Data: slices.Clone(v)}
	if norm := blas32.Nrm2(x); norm > 0 {
		blas32.Scal(1/norm, x)
	}
	return x.Data
}

// nearest returns the segment to which a theme belongs, and how similar they are:
// cosine and, with the weight that cosines of the space have, keywords. The
// authors' evaluation chooses by cosine alone. It is nil where there is none with a
// similarity above -1. The vector has length 1.
func (m *midTerm) nearest(vector []float32, keywords []string, info embed.Info) (best *segment, cosine, both float64) {
	highest := -1.0
	for _, s := range m.segments {
		cos := float64(blas32.Dot(blas32.Vector{N: len(vector), Inc: 1, Data: s.vector}, blas32.Vector{N: len(vector), Inc: 1, Data: vector}))
		sum := cos + info.Scaled(1)*similarity(m.method.Keywords, s.keywords, keywords)
		rank := sum
		if m.method.Profile == Eval {
			rank = cos
		}
		if rank > highest {
			best, cosine, both, highest = s, cos, sum, rank
		}
	}
	return best, cosine, both
}

// hold puts a page into a segment, and returns it as it is there: the package of
// the authors has a copy in each.
func (m *midTerm) hold(s *segment, p *page) *page {
	if m.method.Profile == PyPI {
		p = new(*p)
	}
	s.pages = append(s.pages, p)
	if !slices.Contains(m.holding[p.id], p) {
		m.holding[p.id] = append(m.holding[p.id], p)
	}
	return p
}

// warm computes the heat of a segment that changed.
func (m *midTerm) warm(s *segment, now time.Time) {
	s.heat = m.method.Heat.Pages*float64(s.fresh) + m.method.Heat.Recency*m.recency(s, now)
}

// recency is how long ago a segment changed, from 1, for now, to 0.
func (m *midTerm) recency(s *segment, now time.Time) float64 {
	if m.method.Profile == Eval || s.changed.IsZero() || now.IsZero() {
		return 1
	}
	return math.Exp(-max(0, now.Sub(s.changed).Seconds()) / m.method.Heat.Tau)
}

// hottest returns the segment with the highest heat, of equal ones the oldest; nil
// for none. The authors compute heat when a segment changes; for the paper's
// profile it is that of now.
func (m *midTerm) hottest(now time.Time) *segment {
	if m.method.Profile == Paper {
		for _, s := range m.segments {
			m.warm(s, now)
		}
	}
	var best *segment
	for _, s := range m.segments {
		if best == nil || s.heat > best.heat {
			best = s
		}
	}
	return best
}

// evict takes away a segment where there are too many.
func (m *midTerm) evict(now time.Time) {
	if len(m.segments) <= m.method.Segments {
		return
	}
	gone := 0
	if m.method.Eviction == LowestHeat {
		for i, s := range m.segments {
			m.warm(s, now)
			if s.heat < m.segments[gone].heat {
				gone = i
			}
		}
	}
	s := m.segments[gone]
	if m.method.Profile == Eval {
		for _, p := range s.pages {
			m.unlink(p)
		}
	}
	m.segments = slices.Delete(m.segments, gone, gone+1)
	for _, p := range s.pages {
		if slices.ContainsFunc(m.segments, func(other *segment) bool { return slices.Contains(other.pages, p) }) {
			continue
		}
		held := m.holding[p.id]
		if held = slices.DeleteFunc(held, func(q *page) bool { return q == p }); len(held) == 0 {
			delete(m.holding, p.id)
		} else {
			m.holding[p.id] = held
		}
	}
}

// unlink makes the neighbours of a page in its chain each other's.
func (m *midTerm) unlink(p *page) {
	if prev := m.find(p.prev); prev != nil {
		prev.next = p.next
	}
	if next := m.find(p.next); next != nil {
		next.prev = p.prev
	}
}

// spread gives an overview to the pages of the chain that ends with page id.
//
// The evaluation of the authors leaves out that page itself, and cuts from the
// chain each page that it reaches, so that an overview goes to one page: the one
// before the last.
func (m *midTerm) spread(id int, text string) {
	end := m.find(id)
	if end == nil {
		return
	}
	if m.method.Profile != Eval {
		for p := end; p != nil; p = m.find(p.prev) {
			p.overview = text
		}
		return
	}
	var chain []*page
	for p := m.find(end.prev); p != nil; p = m.find(p.prev) {
		chain = append(chain, p)
	}
	slices.Reverse(chain)
	for p := m.find(end.next); p != nil; p = m.find(p.next) {
		chain = append(chain, p)
	}
	for _, p := range chain {
		p.overview = text
		m.unlink(p)
	}
}

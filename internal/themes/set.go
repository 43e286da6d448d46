package themes

import (
	"math"
	"slices"
)

// A set holds the themes of a hierarchy under construction, in the order of
// their ids, which is the order in which they came to be, and knows the nearest
// themes of each.
//
// A list of nearest themes is made when it is first asked for and then kept
// true: it holds every other theme whose similarity reaches its floor. So a
// change of one theme touches only the lists that it enters or leaves, which
// near products tell apart from the others.
type set struct {
	*space
	themes []*theme // by id; nil where a theme is no more
	live   int
	rows   *matrix   // the themes' rows by id; zero where a theme is no more
	lists  []list    // by id
	floors []float32 // of the lists, less the slack; +Inf where there is none
	count  int       // of the lists
	age    int       // number of changes so far
	// touched, if watched, are the ids of the themes that came, went or changed,
	// and of those whose lists did, since it was last cleared.
	watched bool
	touched []int
	buffer  []float32
}

// A list holds the themes nearest to one, nearest first; of equally near
// themes the older comes first.
type list struct {
	known   bool
	changed int // age at which an entry last came, went or changed
	floor   float64
	entries []Neighbour // Index is an id
}

// spare is how many themes a new list holds at least, so that it seldom runs
// short when themes go.
const spare = 32

func newSet(s *space) *set { return &set{space: s, rows: newMatrix(s.dim)} }

// add makes a theme of the members, with the next id.
func (s *set) add(members []int) *theme {
	t := s.newTheme(len(s.themes), members)
	s.themes = append(s.themes, t)
	s.lists = append(s.lists, list{})
	s.floors = append(s.floors, float32(math.Inf(1)))
	s.rows.grow(len(s.themes))
	copy(s.rows.row(t.id), t.row)
	s.live++
	s.age++
	s.touch(t.id)
	s.enter(t)
	return t
}

// remove takes a theme out.
func (s *set) remove(t *theme) {
	s.age++
	s.touch(t.id)
	s.leave(t)
	s.themes[t.id] = nil
	s.forget(t.id)
	clear(s.rows.row(t.id))
	s.live--
}

// replace puts a theme in the place of the one that has its id.
func (s *set) replace(t *theme) {
	s.age++
	s.touch(t.id)
	s.leave(s.themes[t.id])
	s.forget(t.id)
	s.themes[t.id] = t
	copy(s.rows.row(t.id), t.row)
	s.enter(t)
}

// update says that a theme has changed its centroid; row is what it was.
func (s *set) update(t *theme, row []float32) {
	s.age++
	s.touch(t.id)
	s.leaveRow(t.id, row)
	s.forget(t.id)
	copy(s.rows.row(t.id), t.row)
	s.enter(t)
}

func (s *set) touch(id int) {
	if s.watched {
		s.touched = append(s.touched, id)
	}
}

func (s *set) forget(id int) {
	if s.lists[id].known {
		s.count--
	}
	s.lists[id] = list{}
	s.floors[id] = float32(math.Inf(1))
}

// near returns the near products of a row with the rows of all ids. They are
// valid until the next call.
func (s *set) near(row []float32) []float32 {
	width := len(s.themes)
	if s.rows.stride == 0 {
		s.buffer = slices.Grow(s.buffer[:0], width)[:width]
		clear(s.buffer)
		return s.buffer
	}
	width = len(s.rows.data) / s.rows.stride
	s.buffer = slices.Grow(s.buffer[:0], 2*width)[:2*width]
	pair := make([]float32, 2*s.rows.stride)
	copy(pair, row)
	s.rows.products(s.buffer, pair, 0, width)
	return s.buffer[:len(s.themes)]
}

// nearAll returns the near products of the rows of themes with those of all
// ids, one line for each.
func (s *set) nearAll(themes []*theme) [][]float32 {
	stride, width := s.rows.stride, len(s.themes)
	if stride > 0 {
		width = len(s.rows.data) / stride
	}
	queries := make([]float32, (len(themes)+1)/2*2*stride)
	for i, t := range themes {
		copy(queries[i*stride:], t.row)
	}
	products := make([]float32, (len(themes)+1)/2*2*width)
	s.rows.products(products, queries, 0, width)
	lines := make([][]float32, len(themes))
	for i := range lines {
		lines[i] = products[i*width : i*width+len(s.themes)]
	}
	return lines
}

// enter puts t into the lists that it belongs to.
func (s *set) enter(t *theme) {
	if s.count == 0 {
		return
	}
	for id, p := range s.near(t.row) {
		if p < s.floors[id] || id == t.id {
			continue
		}
		l := &s.lists[id]
		if similarity := between(s.themes[id], t); similarity >= l.floor {
			e := Neighbour{t.id, similarity}
			at, _ := slices.BinarySearchFunc(l.entries, e, nearestFirst)
			l.entries = slices.Insert(l.entries, at, e)
			l.changed = s.age
			s.touch(id)
		}
	}
}

// leave takes t out of the lists that hold it.
func (s *set) leave(t *theme) { s.leaveRow(t.id, t.row) }

func (s *set) leaveRow(gone int, row []float32) {
	if s.count == 0 {
		return
	}
	for id, p := range s.near(row) {
		if p < s.floors[id] || id == gone {
			continue
		}
		l := &s.lists[id]
		if at := slices.IndexFunc(l.entries, func(e Neighbour) bool { return e.Index == gone }); at >= 0 {
			l.entries = slices.Delete(l.entries, at, at+1)
			l.changed = s.age
			s.touch(id)
		}
	}
}

// nearest returns the at most k themes nearest to one, nearest first.
func (s *set) nearest(id, k int) []Neighbour {
	l := &s.lists[id]
	if !l.known || len(l.entries) < min(k, s.live-1) {
		if !l.known {
			s.count++
		}
		s.know(id, s.near(s.themes[id].row), max(k, spare))
	}
	return l.entries[:min(k, len(l.entries))]
}

// within returns the themes whose similarity to one is at least floor, nearest
// first.
func (s *set) within(id int, floor float64) []Neighbour {
	s.nearest(id, spare)
	l := s.lists[id]
	if l.floor > floor {
		l = s.listFrom(id, s.near(s.themes[id].row), floor)
	}
	end, _ := slices.BinarySearchFunc(l.entries, floor, func(e Neighbour, floor float64) int {
		if e.Similarity >= floor {
			return -1
		}
		return 1
	})
	return l.entries[:end]
}

// know makes the list of a theme from its near products, with at least k
// entries where there are so many.
func (s *set) know(id int, products []float32, k int) {
	floor := math.Inf(-1)
	if k < s.live-1 {
		floor = float64(s.highest(id, products, k)) - float64(s.rows.slack())
	}
	s.lists[id] = s.listFrom(id, products, floor)
	s.floors[id] = float32(floor) - 2*s.rows.slack()
}

// highest returns the k-th highest near product of other themes.
func (s *set) highest(id int, products []float32, k int) float32 {
	top := newTop(k)
	for other, p := range products {
		if other != id && s.themes[other] != nil && p > top.least() {
			top.add(p)
		}
	}
	return top.least()
}

// listFrom returns the list of all other themes that reach floor.
func (s *set) listFrom(id int, products []float32, floor float64) list {
	l := list{known: true, changed: s.age, floor: floor}
	t := s.themes[id]
	least := float32(floor) - 2*s.rows.slack()
	for other, p := range products {
		if p < least || other == id || s.themes[other] == nil {
			continue
		}
		if similarity := between(t, s.themes[other]); similarity >= floor {
			l.entries = append(l.entries, Neighbour{other, similarity})
		}
	}
	slices.SortFunc(l.entries, nearestFirst)
	return l
}

// knowAll makes the lists of all themes that have none.
func (s *set) knowAll() {
	var ids []int
	for id, t := range s.themes {
		if t != nil && !s.lists[id].known {
			ids = append(ids, id)
		}
	}
	s.count += len(ids)
	stride := s.rows.stride
	width := len(s.themes)
	if stride > 0 {
		width = len(s.rows.data) / stride
	}
	const block = 16
	parallel(len(ids), block, func(from, to int) {
		queries := make([]float32, block*stride)
		for i, id := range ids[from:to] {
			copy(queries[i*stride:], s.rows.row(id))
		}
		products := make([]float32, block*width)
		s.rows.products(products, queries, 0, width)
		for i, id := range ids[from:to] {
			s.know(id, products[i*width:i*width+len(s.themes)], spare)
		}
	})
}

// unchanged is whether the list of a theme and those of the themes in near are
// as they were at an age, and near is in the list.
func (s *set) unchanged(id int, near []Neighbour, age int) bool {
	if s.lists[id].changed > age || len(near) > len(s.lists[id].entries) {
		return false
	}
	for _, e := range near {
		if l := s.lists[e.Index]; !l.known || l.changed > age {
			return false
		}
	}
	return true
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

// A top keeps the k highest numbers that it was given, as a heap with the least
// on top.
type top struct {
	k    int
	heap []float32
}

func newTop(k int) *top { return &top{k: k, heap: make([]float32, 0, k)} }

// least returns the least of the k highest numbers, -Inf while there are fewer.
func (t *top) least() float32 {
	if len(t.heap) < t.k {
		return float32(math.Inf(-1))
	}
	return t.heap[0]
}

// add takes a number that is above the least.
func (t *top) add(x float32) {
	h := t.heap
	if len(h) < t.k {
		h = append(h, x)
		t.heap = h
		for i := len(h) - 1; i > 0 && h[i] < h[(i-1)/2]; i = (i - 1) / 2 {
			h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
		}
		return
	}
	h[0] = x
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child+1] < h[child] {
			child++
		}
		if h[i] <= h[child] {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

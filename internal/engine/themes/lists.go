package themes

import (
	"math"
	"slices"
)

// nearby holds the lists of the themes nearest to each theme of a set.
//
// A list is made when it is first asked for and then kept true: it holds every other
// theme whose similarity reaches its floor. A theme that goes is taken out of the
// lists that hold it at once. One that comes is written down, and compared with a
// list when that is asked for, or, when many have come, with all lists together,
// which near products make cheap.
type nearby struct {
	lists   []list    // by id
	floors  []float32 // of the lists, less the slack; +Inf where there is none
	holders [][]int   // for each id, the ids in whose lists it is or was
	came    []int     // ids of themes that have come since all lists were true
	// touched, if watched, are the ids of the themes that came, went or changed,
	// and of those whose lists did, since it was last cleared.
	watched bool
	touched []int
}

// A list holds the themes nearest to one, nearest first; of equally near
// themes the older comes first.
type list struct {
	known   bool
	seen    int // how many of those that came it has been compared with
	changed int // age at which an entry last came, went or changed
	floor   float64
	entries []Neighbour // Index is an id
}

const (
	// spare is how many themes a new list holds at least, so that it seldom
	// runs short when themes go.
	spare = 32
	// few is the same for a set that is watched, whose lists are made so often that
	// what they hold costs more than making them anew.
	few = 16
	// ample is the same for a list that is made alone, which costs more.
	ample = 64
	// together is how many themes come before they are compared with all lists.
	together = 64
)

// prepare makes room for the next id.
func (n *nearby) prepare() {
	n.lists = append(n.lists, list{})
	n.floors = append(n.floors, float32(math.Inf(1)))
	n.holders = append(n.holders, nil)
}

func (n *nearby) touch(id int) {
	if n.watched {
		n.touched = append(n.touched, id)
	}
}

// leave takes a theme out of all lists and forgets its own.
func (s *set) leave(id int) {
	for _, holder := range s.holders[id] {
		l := &s.lists[holder]
		if at := l.find(id); at >= 0 {
			l.entries = slices.Delete(l.entries, at, at+1)
			l.changed = s.age
			s.touch(holder)
		}
	}
	s.holders[id] = s.holders[id][:0]
	s.lists[id] = list{}
	s.floors[id] = float32(math.Inf(1))
	s.touch(id)
}

func (l *list) find(id int) int {
	for at := range l.entries {
		if l.entries[at].Index == id {
			return at
		}
	}
	return -1
}

// enter notes that a theme has come.
func (s *set) enter(id int) {
	if s.came = append(s.came, id); len(s.came) >= together {
		s.compareAll()
	}
}

// insert puts a theme into a list if it reaches the floor and is not there yet,
// and reports whether it did.
func (s *set) insert(list, id int) bool {
	l := &s.lists[list]
	similarity := between(s.themes[list], s.themes[id])
	if similarity < l.floor || l.find(id) >= 0 {
		return false
	}
	e := Neighbour{id, similarity}
	at, _ := slices.BinarySearchFunc(l.entries, e, nearestFirst)
	l.entries = slices.Insert(l.entries, at, e)
	l.changed = s.age
	return true
}

// inserted notes that a theme is in a list.
func (s *set) inserted(list, id int) {
	s.holders[id] = append(s.holders[id], list)
	s.touch(list)
}

// compare makes a list true that is asked for.
func (s *set) compare(id int) {
	l := &s.lists[id]
	if l.seen == len(s.came) {
		return // and nothing is written, so that many may read
	}
	for _, came := range s.came[l.seen:] {
		if came == id || s.themes[came] == nil {
			continue
		}
		if near := dotNear(s.rows.row(id), s.rows.row(came)); near >= s.floors[id] && s.insert(id, came) {
			s.inserted(id, came)
		}
	}
	l.seen = len(s.came)
}

// compareAll makes all lists true; if watched, also those of themes that came. It
// returns the near products of other rows, which cost less on the same way.
func (s *set) compareAll(others ...[]float32) [][]float32 {
	came := slices.Compact(slices.Sorted(slices.Values(s.came)))
	came = slices.DeleteFunc(came, func(id int) bool { return s.themes[id] == nil })
	rows := make([][]float32, len(came), len(came)+len(others))
	for i, id := range came {
		rows[i] = s.rows.row(id)
	}
	lines := s.near(append(rows, others...)...)
	const part = 128
	entered := make([][][2]int, len(s.lists)/part+1)
	parallel(len(s.lists), part, func(from, to int) {
		floors := s.floors[from:to]
		for i, id := range came {
			for j, p := range lines[i][from:to] {
				if list := from + j; p >= floors[j] && list != id && s.insert(list, id) {
					entered[from/part] = append(entered[from/part], [2]int{list, id})
				}
			}
		}
	})
	for _, pairs := range entered {
		for _, pair := range pairs {
			s.inserted(pair[0], pair[1])
		}
	}
	s.came = s.came[:0]
	for i := range s.lists {
		s.lists[i].seen = 0
	}
	if !s.watched {
		return lines[len(came):]
	}
	parallel(len(came), 4, func(from, to int) {
		for i := from; i < to; i++ {
			s.know(came[i], lines[i], few)
		}
	})
	for _, id := range came {
		s.hold(id)
	}
	return lines[len(came):]
}

// nearest returns the at most k themes nearest to one, nearest first. They are
// valid until the set changes.
func (s *set) nearest(id, k int) []Neighbour {
	if s.lists[id].known {
		s.compare(id)
	}
	l := &s.lists[id]
	if !l.known || len(l.entries) < min(k, s.live-1) {
		s.renew(id, max(k, ample))
	}
	return l.entries[:min(k, len(l.entries))]
}

// renew makes the list of a theme, and with it some that will soon run short:
// to read the rows of all themes costs more than to multiply them.
func (s *set) renew(id, k int) {
	const most, short = 16, 14
	ids := []int{id}
	for other, l := range s.lists {
		if len(ids) < most && l.known && other != id && len(l.entries) < min(short, s.live-1) {
			ids = append(ids, other)
		}
	}
	rows := make([][]float32, len(ids))
	for i, id := range ids {
		rows[i] = s.rows.row(id)
	}
	for i, line := range s.near(rows...) {
		s.compare(ids[i])
		old := s.lists[ids[i]]
		s.know(ids[i], line, k)
		if old.known {
			s.lists[ids[i]].changed = old.changed // a longer list of the same
		}
		s.hold(ids[i])
	}
}

// within returns the themes whose similarity to one is at least floor, nearest
// first. They are valid until the set changes.
func (s *set) within(id int, floor float64) []Neighbour {
	s.nearest(id, 1)
	l := s.lists[id]
	if l.floor > floor {
		l = s.listFrom(id, s.near(s.themes[id].row)[0], floor)
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
// entries where there are so many; hold is to be called after it.
func (s *set) know(id int, products []float32, k int) {
	floor := math.Inf(-1)
	if k < s.live-1 {
		floor = float64(s.highest(id, products, k)) - float64(s.rows.slack())
	}
	s.setList(id, s.listFrom(id, products, floor))
}

func (s *set) setList(id int, l list) {
	s.lists[id] = l
	s.floors[id] = float32(l.floor) - 2*s.rows.slack()
}

// hold notes that the entries of a new list are in it.
func (s *set) hold(id int) {
	for _, e := range s.lists[id].entries {
		s.holders[e.Index] = append(s.holders[e.Index], id)
	}
}

// highest returns the k-th highest near product of other themes.
func (s *set) highest(id int, products []float32, k int) float32 {
	top := newTop(k)
	for other, p := range products {
		if p > top.least() && other != id && s.themes[other] != nil {
			top.add(p)
		}
	}
	return top.least()
}

// listFrom returns the list of all other themes that reach floor.
func (s *set) listFrom(id int, products []float32, floor float64) list {
	l := list{known: true, seen: len(s.came), changed: s.age, floor: floor}
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

// knowAll makes the lists of all themes.
func (s *set) knowAll() {
	var ids []int
	for id, t := range s.themes {
		if t != nil {
			ids = append(ids, id)
		}
	}
	s.knowThose(ids)
}

// knowThose makes the lists of those of the themes that have none.
func (s *set) knowThose(ids []int) {
	ids = slices.DeleteFunc(ids, func(id int) bool { return s.lists[id].known })
	const part = 64
	parallel(len(ids), part, func(from, to int) {
		rows := make([][]float32, 0, part)
		for _, id := range ids[from:to] {
			rows = append(rows, s.rows.row(id))
		}
		for i, line := range s.near(rows...) {
			s.know(ids[from+i], line, spare)
		}
	})
	for _, id := range ids {
		s.hold(id)
	}
}

// unchanged is whether the list of a theme and those of the themes in near,
// which reach floor, are as they were at an age.
func (s *set) unchanged(id int, near []Neighbour, floor float64, age int) bool {
	if s.lists[id].floor > floor || s.lists[id].changed > age {
		return false
	}
	for _, e := range near {
		s.nearest(e.Index, 1)
		if s.lists[e.Index].changed > age {
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

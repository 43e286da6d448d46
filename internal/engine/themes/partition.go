package themes

import (
	"math"
	"slices"
)

// A partition knows of all themes of a set what the objective over the whole
// of them needs, and what it would be after a change.
//
// What a change does to sizes, to the nearest similarities of themes and to
// their median and deviation follows from the change and from the lists of
// nearest themes. The sum over all themes is taken anew, because every change
// moves the median, and with it every term; that is one exponential for a
// theme.
type partition struct {
	*set
	nearest []float64 // by id, rounded; NaN where a theme is no more
	bars    []float32 // the same
	sorted  []float64 // the same, without NaN
	sizes   []int     // by id
	n       int       // semantics
	squares int       // sum of the squares of the sizes
}

// newPartition returns the partition of a set that has no themes yet.
func newPartition(s *set) *partition {
	s.watched = true
	return &partition{set: s}
}

// A change replaces themes by others.
type change struct{ gone, come []*theme }

// refresh takes in what has happened to the set since the last time.
func (p *partition) refresh() {
	p.compareAll()
	for len(p.nearest) < len(p.themes) {
		p.nearest = append(p.nearest, math.NaN())
		p.bars = append(p.bars, float32(math.NaN()))
		p.sizes = append(p.sizes, 0)
	}
	slices.Sort(p.touched)
	for _, id := range slices.Compact(p.touched) {
		size, nearest := 0, math.NaN()
		if t := p.themes[id]; t != nil {
			size, nearest = len(t.members), p.nearestTo(id, nil)
			p.cohesionOf(t)
		}
		p.n += size - p.sizes[id]
		p.squares += size*size - p.sizes[id]*p.sizes[id]
		p.sizes[id] = size
		if old := p.nearest[id]; !math.IsNaN(old) {
			at, _ := slices.BinarySearch(p.sorted, old)
			p.sorted = slices.Delete(p.sorted, at, at+1)
		}
		if !math.IsNaN(nearest) {
			at, _ := slices.BinarySearch(p.sorted, nearest)
			p.sorted = slices.Insert(p.sorted, at, nearest)
		}
		p.nearest[id], p.bars[id] = nearest, float32(nearest)
	}
	p.touched = p.touched[:0]
}

// compact closes the gaps that themes left, once they are most of the ids.
func (p *partition) compact() {
	if len(p.themes) < 2*p.live {
		return
	}
	p.refresh()
	at := 0
	for id, t := range p.themes {
		if t != nil {
			p.nearest[at], p.bars[at], p.sizes[at] = p.nearest[id], p.bars[id], p.sizes[id]
			at++
		}
	}
	p.nearest, p.bars, p.sizes = p.nearest[:at], p.bars[:at], p.sizes[:at]
	p.set.compact()
}

// nearestTo returns the similarity of the theme nearest to one, leaving out
// some.
func (p *partition) nearestTo(id int, without []*theme) float64 {
	for _, e := range p.set.nearest(id, len(without)+1) {
		if !slices.Contains(without, p.themes[e.Index]) {
			return rounded(e.Similarity)
		}
	}
	return 0
}

// A prospect is what the objective needs to know of a theme that comes with a
// change.
type prospect struct {
	line    []float32 // near products with the rows of all ids
	reach   []int     // ids of the themes to which it may be nearest
	outside float64   // similarity of the nearest theme that stays
}

// best returns the change with the highest objective, of equally good ones the
// first. Made holds all themes that come with a change; changes that share one
// have the same themes gone.
func (p *partition) best(changes []change, made []*theme) int {
	p.refresh()
	rows := make([][]float32, len(made))
	for i, t := range made {
		rows[i] = t.row
		p.cohesionOf(t)
	}
	gone := make(map[*theme][]*theme, len(made))
	for _, c := range changes {
		for _, t := range c.come {
			gone[t] = c.gone
		}
	}
	prospects := make(map[*theme]prospect, len(made))
	for i, line := range p.near(rows...) {
		prospects[made[i]] = p.prospect(made[i], line, gone[made[i]])
	}
	// What is read side by side must be there already.
	for id, t := range p.themes {
		if t != nil {
			p.set.nearest(id, 3)
		}
	}
	scores := make([]float64, len(changes))
	parallel(len(changes), 2, func(from, to int) {
		for i := from; i < to; i++ {
			scores[i] = p.after(changes[i], prospects)
		}
	})
	best := 0
	for i, f := range scores {
		if f > scores[best] {
			best = i
		}
	}
	return best
}

// prospect returns that of a theme that comes when others go.
func (p *partition) prospect(t *theme, line []float32, gone []*theme) prospect {
	made := prospect{line: line, outside: math.Inf(-1)}
	slack := 2 * p.rows.slack()
	least := float32(math.Inf(-1))
	for id, product := range line {
		if product+slack >= p.bars[id] { // not where a theme is no more
			made.reach = append(made.reach, id)
		}
		if product > least && p.stays(id, gone) {
			least = product
		}
	}
	least -= slack
	for id, product := range line {
		if product >= least && p.stays(id, gone) {
			made.outside = max(made.outside, between(p.themes[id], t))
		}
	}
	return made
}

func (p *partition) stays(id int, gone []*theme) bool {
	t := p.themes[id]
	return t != nil && !slices.Contains(gone, t)
}

// after returns the objective after a change.
func (p *partition) after(c change, prospects map[*theme]prospect) float64 {
	n, k, squares := p.n, len(p.sorted), p.squares
	nearest := slices.Clone(p.nearest)
	var out, in []float64
	for _, t := range c.gone {
		n -= len(t.members)
		squares -= len(t.members) * len(t.members)
		k--
		out = append(out, nearest[t.id])
		nearest[t.id] = math.NaN()
	}
	come := make([]prospect, len(c.come))
	for i, t := range c.come {
		come[i] = prospects[t]
		n += len(t.members)
		squares += len(t.members) * len(t.members)
		k++
	}
	if k == 0 {
		return 0
	}
	for _, id := range p.moved(c, come) {
		if s := p.nearestAmong(id, c, come); s != nearest[id] {
			out, in = append(out, nearest[id]), append(in, s)
			nearest[id] = s
		}
	}
	arrived := len(in)
	for i, t := range c.come {
		s := 0.0
		if k > 1 {
			s = nearestOfNew(t, c, come[i].outside)
		}
		in = append(in, s)
	}
	own := slices.Clone(in[arrived:])
	b := newBell(exchange(p.sorted, out, in))
	sum := 0.0
	for id, s := range nearest {
		if !math.IsNaN(s) {
			sum += p.themes[id].cohesion * b.at(s)
		}
	}
	for i, t := range c.come {
		sum += t.cohesion * b.at(own[i])
	}
	return sparsity(n, k, squares) + sum/float64(k)
}

// moved returns the ids of themes that stay and whose nearest theme may be
// another after the change, each once.
func (p *partition) moved(c change, come []prospect) []int {
	var ids []int
	for _, t := range c.gone {
		for _, holder := range p.holders[t.id] {
			if p.themes[holder] != nil && p.themes[p.lists[holder].entries[0].Index] == t {
				ids = append(ids, holder)
			}
		}
	}
	for _, made := range come {
		ids = append(ids, made.reach...)
	}
	slices.Sort(ids)
	return slices.DeleteFunc(slices.Compact(ids), func(id int) bool { return !p.stays(id, c.gone) })
}

// nearestAmong returns the similarity of the theme nearest to one that stays.
func (p *partition) nearestAmong(id int, c change, come []prospect) float64 {
	best := math.Inf(-1)
	if p.live-1 > len(c.gone) || len(p.lists[id].entries) > len(c.gone) {
		best = p.nearestTo(id, c.gone)
	}
	slack := 2 * p.rows.slack()
	for i, made := range come {
		if float64(made.line[id]+slack) >= best {
			best = max(best, rounded(between(p.themes[id], c.come[i])))
		}
	}
	return best
}

// nearestOfNew returns the similarity of the theme nearest to one that comes,
// given that of the nearest theme that stays.
func nearestOfNew(t *theme, c change, outside float64) float64 {
	for _, other := range c.come {
		if other != t {
			outside = max(outside, between(t, other))
		}
	}
	return rounded(outside)
}

// exchange returns sorted numbers without some and with others.
func exchange(sorted, out, in []float64) []float64 {
	slices.Sort(out)
	slices.Sort(in)
	result := make([]float64, 0, len(sorted)+len(in)-len(out))
	for _, x := range sorted {
		if len(out) > 0 && out[0] == x {
			out = out[1:]
			continue
		}
		for len(in) > 0 && in[0] <= x {
			result = append(result, in[0])
			in = in[1:]
		}
		result = append(result, x)
	}
	return append(result, in...)
}

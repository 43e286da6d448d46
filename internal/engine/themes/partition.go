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
		p.nearest[id] = nearest
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
			p.nearest[at], p.sizes[at] = p.nearest[id], p.sizes[id]
			at++
		}
	}
	p.nearest, p.sizes = p.nearest[:at], p.sizes[:at]
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

// best returns the change with the highest objective, of equally good ones the
// first. Made holds all themes that come with a change.
func (p *partition) best(changes []change, made []*theme) int {
	p.refresh()
	rows := make([][]float32, len(made))
	for i, t := range made {
		rows[i] = t.row
		p.cohesionOf(t)
	}
	lines := make(map[*theme][]float32, len(made))
	for i, line := range p.near(rows...) {
		lines[made[i]] = line
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
			scores[i] = p.after(changes[i], lines)
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

// after returns the objective after a change, given the near products of the
// themes that come with the rows of all ids.
func (p *partition) after(c change, lines map[*theme][]float32) float64 {
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
	for _, t := range c.come {
		n += len(t.members)
		squares += len(t.members) * len(t.members)
		k++
	}
	if k == 0 {
		return 0
	}
	for _, id := range p.moved(c, lines) {
		s := 0.0
		if k > 1 {
			s = p.nearestAmong(id, c)
		}
		if s != nearest[id] {
			out, in = append(out, nearest[id]), append(in, s)
			nearest[id] = s
		}
	}
	come := make([]float64, len(c.come))
	for i, t := range c.come {
		if k > 1 {
			come[i] = p.nearestOfNew(t, c, lines[t])
		}
		in = append(in, come[i])
	}
	b := newBell(exchange(p.sorted, out, in))
	sum := 0.0
	for id, s := range nearest {
		if !math.IsNaN(s) {
			sum += p.themes[id].cohesion * b.at(s)
		}
	}
	for i, t := range c.come {
		sum += t.cohesion * b.at(come[i])
	}
	return sparsity(n, k, squares) + sum/float64(k)
}

// moved returns the ids of themes that stay and whose nearest theme may be
// another after the change.
func (p *partition) moved(c change, lines map[*theme][]float32) []int {
	var ids []int
	slack := 2 * float64(p.rows.slack())
	near := make([][]float32, len(c.come))
	for i, t := range c.come {
		near[i] = lines[t]
	}
	for id, t := range p.themes {
		if t == nil || slices.Contains(c.gone, t) {
			continue
		}
		entries := p.lists[id].entries
		moved := len(entries) == 0 || slices.Contains(c.gone, p.themes[entries[0].Index])
		for _, line := range near {
			moved = moved || float64(line[id])+slack >= p.nearest[id]
		}
		if moved {
			ids = append(ids, id)
		}
	}
	return ids
}

// nearestAmong returns the similarity of the theme nearest to one that stays.
func (p *partition) nearestAmong(id int, c change) float64 {
	best := math.Inf(-1)
	if p.live-1 > len(c.gone) || len(p.lists[id].entries) > len(c.gone) {
		best = p.nearestTo(id, c.gone)
	}
	for _, come := range c.come {
		best = max(best, rounded(between(p.themes[id], come)))
	}
	return best
}

// nearestOfNew returns the similarity of the theme nearest to one that comes.
func (p *partition) nearestOfNew(t *theme, c change, line []float32) float64 {
	best := math.Inf(-1)
	for _, other := range c.come {
		if other != t {
			best = max(best, between(t, other))
		}
	}
	least := float32(math.Inf(-1))
	for id, product := range line {
		if o := p.themes[id]; o != nil && product > least && !slices.Contains(c.gone, o) {
			least = product
		}
	}
	least = max(least, float32(best)) - 2*p.rows.slack()
	for id, product := range line {
		if o := p.themes[id]; product >= least && o != nil && !slices.Contains(c.gone, o) {
			best = max(best, between(o, t))
		}
	}
	return rounded(best)
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

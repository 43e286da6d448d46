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
	above   []float64 // by id, 0 between two calls of union
	before  moments   // of all themes
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

// refresh takes in what has happened to the set since the last time. It returns the
// near products of the rows.
func (p *partition) refresh(rows ...[]float32) [][]float32 {
	lines := p.compareAll(rows...)
	for len(p.nearest) < len(p.themes) {
		p.nearest = append(p.nearest, math.NaN())
		p.bars = append(p.bars, float32(math.NaN()))
		p.sizes = append(p.sizes, 0)
		p.above = append(p.above, 0)
	}
	if len(p.touched) == 0 {
		return lines
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
	p.before = p.moments()
	return lines
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
	p.nearest, p.bars, p.sizes, p.above = p.nearest[:at], p.bars[:at], p.sizes[:at], p.above[:at]
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
	line    []float32 // near products with the rows of all ids; nil where they were not worked out
	reach   []int     // ids of the themes to which it may be nearest
	outside float64   // similarity of the nearest theme that stays
}

// best returns the change with the highest objective, of equally good ones the
// first. Prospects holds those of all themes that come with a change; the
// partition is as it was when they were made.
func (p *partition) best(changes []change, prospects map[*theme]prospect) int {
	// What is read side by side must be there already.
	for id, t := range p.themes {
		if t != nil {
			p.set.nearest(id, 3)
		}
	}
	outcomes := make([]outcome, len(changes))
	low, high := make([]float64, len(changes)), make([]float64, len(changes))
	parallel(len(changes), 2, func(from, to int) {
		for i := from; i < to; i++ {
			outcomes[i] = p.outcome(changes[i], prospects)
			low[i], high[i] = p.bounds(outcomes[i])
		}
	})
	var left []int
	for i, h := range high {
		if h >= slices.Max(low) {
			left = append(left, i)
		}
	}
	if len(left) == 1 {
		return left[0]
	}
	best, highest := left[0], math.Inf(-1)
	for _, i := range left {
		if f := p.objective(outcomes[i]); f > highest {
			best, highest = i, f
		}
	}
	return best
}

// pieces returns the prospects of themes that come when one is divided.
func (p *partition) pieces(made []*theme, divided *theme) map[*theme]prospect {
	rows := make([][]float32, len(made))
	for i, t := range made {
		rows[i] = t.row
		p.cohesionOf(t)
	}
	prospects := make(map[*theme]prospect, len(made))
	for i, line := range p.refresh(rows...) {
		prospects[made[i]] = p.prospect(made[i], line, []*theme{divided})
	}
	return prospects
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

// union returns the prospect of a theme that two others make. Its similarities
// are sums of theirs, so that the lists of the two bound them; themes in
// neither list are looked at where their bound matters.
func (p *partition) union(joined, x, y *theme) prospect {
	p.cohesionOf(joined)
	made := prospect{outside: math.Inf(-1)}
	rest := float64(2 * p.rows.slack()) // bound of the themes in neither list
	for _, t := range []*theme{x, y} {
		l, share := p.lists[t.id], share(t, joined)
		floor := max(l.floor, -1)
		rest += share * floor
		for _, e := range l.entries {
			p.above[e.Index] += share * (e.Similarity - floor)
		}
	}
	look := func(id int) {
		if id != x.id && id != y.id {
			if rest+p.above[id] >= p.nearest[id] {
				made.reach = append(made.reach, id)
			}
			if rest+p.above[id] >= made.outside {
				made.outside = max(made.outside, between(joined, p.themes[id]))
			}
		}
		p.above[id] = 0
	}
	for _, t := range []*theme{x, y} {
		for _, e := range p.lists[t.id].entries {
			look(e.Index)
		}
	}
	if rest >= min(p.sorted[0], made.outside) {
		for id := range p.themes {
			if p.themes[id] != nil {
				look(id)
			}
		}
	}
	return made
}

func (p *partition) stays(id int, gone []*theme) bool {
	t := p.themes[id]
	return t != nil && !slices.Contains(gone, t)
}

// An outcome is what a change does to the themes of a partition.
type outcome struct {
	change
	n, k, squares int
	moved         []Neighbour // themes that stay, with their new nearest similarity
	own           []float64   // nearest similarities of the themes that come
	bell          bell
}

// outcome returns that of a change.
func (p *partition) outcome(c change, prospects map[*theme]prospect) outcome {
	o := outcome{change: c, n: p.n, k: len(p.sorted) + len(c.come) - len(c.gone), squares: p.squares}
	var out, in []float64
	for _, t := range c.gone {
		o.n -= len(t.members)
		o.squares -= len(t.members) * len(t.members)
		out = append(out, p.nearest[t.id])
	}
	come := make([]prospect, len(c.come))
	for i, t := range c.come {
		come[i] = prospects[t]
		o.n += len(t.members)
		o.squares += len(t.members) * len(t.members)
		s := 0.0
		if o.k > 1 {
			s = nearestOfNew(t, c, come[i].outside)
		}
		o.own = append(o.own, s)
	}
	for _, id := range p.moved(c, come) {
		if s := p.nearestAmong(id, c, come); s != p.nearest[id] {
			out, in = append(out, p.nearest[id]), append(in, s)
			o.moved = append(o.moved, Neighbour{id, s})
		}
	}
	if o.k > 0 {
		o.bell = newBell(exchange(p.sorted, out, append(in, o.own...)))
	}
	return o
}

// objective returns the objective after a change.
func (p *partition) objective(o outcome) float64 {
	if o.k == 0 {
		return 0
	}
	nearest := slices.Clone(p.nearest)
	for _, t := range o.gone {
		nearest[t.id] = math.NaN()
	}
	for _, e := range o.moved {
		nearest[e.Index] = e.Similarity
	}
	sum := 0.0
	for id, s := range nearest {
		if !math.IsNaN(s) {
			sum += p.themes[id].cohesion * o.bell.at(s)
		}
	}
	for i, t := range o.come {
		sum += t.cohesion * o.bell.at(o.own[i])
	}
	return sparsity(o.n, o.k, o.squares) + sum/float64(o.k)
}

// A moments holds, of the themes before a change, the sums of cohesion · g · z^i
// for i from 0 to 4, where z is (s-m)/σ and g is exp(-z²/2).
type moments struct {
	bell
	sums [5]float64
}

func (p *partition) moments() moments {
	m := moments{bell: newBell(p.sorted)}
	for id, s := range p.nearest {
		if math.IsNaN(s) {
			continue
		}
		z := (s - m.m) / m.sigma
		term := p.themes[id].cohesion * m.at(s)
		for i := range m.sums {
			m.sums[i] += term
			term *= z
		}
	}
	return m
}

// bounds returns two numbers between which the objective after a change lies.
// A change moves m and σ little, and with x the change of the exponent,
//
//	x = a·z² + b·z + c,  |eˣ - 1 - x - x²/2| ≤ |x|³/6 · e^|x|
//
// so that moments give the sum over the themes before the change, and the few
// themes that the change touches are put right one by one. For e = |a|+|b|+|c|
// up to 0.05, g · |x|³/6 · e^|x| is at most 4.2 e³, since |x| ≤ e·(1+z²).
func (p *partition) bounds(o outcome) (low, high float64) {
	before := &p.before
	ratio := before.sigma / o.bell.sigma
	shift := (o.bell.m - before.m) / o.bell.sigma
	a, b, c := (1-ratio*ratio)/2, ratio*shift, -shift*shift/2
	e := math.Abs(a) + math.Abs(b) + math.Abs(c)
	if !(e <= .05) || o.k == 0 {
		return math.Inf(-1), math.Inf(1)
	}
	m := before.sums
	sum := m[0]*(1+c+c*c/2) + m[1]*b*(1+c) + m[2]*(a+b*b/2+a*c) + m[3]*a*b + m[4]*a*a/2
	for _, t := range o.gone {
		sum -= t.cohesion * o.bell.at(p.nearest[t.id])
	}
	for _, s := range o.moved {
		sum += p.themes[s.Index].cohesion * (o.bell.at(s.Similarity) - o.bell.at(p.nearest[s.Index]))
	}
	for i, t := range o.come {
		sum += t.cohesion * o.bell.at(o.own[i])
	}
	const rounding = 1e-9 // of the sums, and more
	f := sparsity(o.n, o.k, o.squares) + sum/float64(o.k)
	wide := 4.2*e*e*e*float64(len(p.sorted))/float64(o.k) + rounding
	return f - wide, f + wide
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
		if made.line == nil || float64(made.line[id]+slack) >= best {
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

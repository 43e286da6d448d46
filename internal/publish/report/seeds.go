package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
)

// overSeeds makes one line of those that differ in the seed alone, in the order
// of the first of each.
func overSeeds(lines []*line, o reading) []*line {
	type name struct{ dataset, method, model string }
	of := make(map[name][]*line)
	var order []name
	for _, l := range lines {
		n := name{l.cell.Dataset, l.cell.Method, l.cell.Model}
		if of[n] == nil {
			order = append(order, n)
		}
		of[n] = append(of[n], l)
	}
	return lists.Map(order, func(n name) *line { return merge(of[n], o) })
}

// merge makes one line of the lines of several seeds. The value of a request is
// the mean of its values over the seeds that have one, each counting for its
// weight; failures are those of all seeds.
func merge(seeds []*line, o reading) *line {
	if len(seeds) == 1 {
		return seeds[0]
	}
	first := seeds[0]
	l := newLine(first.run, first.cell, first.dataset, first.model)
	l.seeds = seeds
	for _, seed := range seeds {
		for key := range seed.seen {
			l.seen[key] = nil
		}
		for category, g := range seed.categories {
			for status, n := range g.status {
				l.group(category).status[status] += n
			}
			for name, c := range g.columns {
				of := c.unasked
				of.err /= float64(len(seeds))
				l.group(category).column(name).unasked.add(of)
			}
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(l.seen), compareRequests) {
		var of []*item
		for _, seed := range seeds {
			if i := seed.seen[key]; i != nil {
				of = append(of, i)
			}
		}
		l.seen[key] = l.addMean(key, of, o)
	}
	return l
}

func compareRequests(a, b request) int {
	return cmp.Or(cmp.Compare(a.sample, b.sample), cmp.Compare(a.id, b.id))
}

// addMean counts a request once, by the means of its items, which it returns.
func (l *line) addMean(key request, of []*item, o reading) *item {
	mean := &item{category: of[0].category, out: of[0].out, values: make([]float64, len(o.columns))}
	g := l.group(mean.category)
	g.n++
	if mean.out {
		g.out++
	}
	sample := g.seat(l.place(key.sample))
	for i, name := range o.columns {
		value, weight := meanOf(of, i, slices.Index(o.columns, o.weights[name]))
		mean.values[i] = math.NaN()
		if value != nil {
			mean.values[i] = *value
		}
		if !o.bare {
			g.column(name).add(sample, value, weight, true)
		}
	}
	return mean
}

// meanOf returns the mean of the values of a column, weighted by those of another one
// unless by is negative, and the mean weight. Nil where no item has a value.
func meanOf(of []*item, column, by int) (value, weight *float64) {
	var sum, weights, n float64
	for _, one := range of {
		w := 1.0
		if by >= 0 {
			w = one.values[by]
		}
		if x := one.values[column]; !math.IsNaN(x) && !math.IsNaN(w) {
			sum += w * x
			weights += w
			n++
		}
	}
	switch {
	case n == 0:
		return nil, nil
	case weights == 0: // a value that counts for nothing
		return new(0.0), new(0.0)
	}
	return new(sum / weights), new(weights / n)
}

// seed names the seeds of a line.
func (l *line) seed() string {
	seeds := lists.Map(l.bySeed(), func(s *line) string { return strconv.FormatUint(s.cell.Seed, 10) })
	return strings.Join(seeds, ", ")
}

// bySeed returns the lines of each seed, the line itself where there is one.
func (l *line) bySeed() []*line {
	if len(l.seeds) > 0 {
		return l.seeds
	}
	return []*line{l}
}

// scored returns how many requests are scored, over all seeds, and how many the
// run has.
func (l *line) scored() (n, planned int) {
	for _, seed := range l.bySeed() {
		of, _ := seed.n(seed.ids())
		n += of
		planned += seed.cell.Planned
	}
	return n, planned
}

// seedNotes say over which seeds the numbers of lines are means.
func (f layout) seedNotes(lines []*line) []string {
	var notes, said []string
	for _, l := range lines {
		seeds := l.seed()
		if len(l.seeds) == 0 || slices.Contains(said, seeds) {
			continue
		}
		said = append(said, seeds)
		note := fmt.Sprintf("mean and, in parentheses, standard deviation over %d seeds (%s); errors are those of all", len(l.seeds), seeds)
		if same := func(l *line) bool { return len(l.seeds) > 0 && l.seed() == seeds }; slices.ContainsFunc(lines, func(l *line) bool { return !same(l) }) {
			note += ": " + f.rows(lines, same)
		}
		notes = append(notes, note)
	}
	return notes
}

// several reports whether a line has several seeds.
func several(lines []*line) bool {
	return slices.ContainsFunc(lines, func(l *line) bool { return len(l.seeds) > 0 })
}

// shardNotes say which rows are of a part of the samples alone.
func (f layout) shardNotes(lines []*line) []string {
	var notes []string
	for _, l := range lines {
		s := l.run.Header.Shard
		if s == nil {
			continue
		}
		note := fmt.Sprintf("%s is shard %d/%d: it asked this part of the samples alone", f.names[l.run], s.Index, s.Of)
		notes = lists.AddNew(notes, note)
	}
	return notes
}

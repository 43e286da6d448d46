package report

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/stats"
	"recallbench/internal/result/record"
)

// A line is one cell of a run, summed up, or the cells that differ in nothing but the
// seed: a row of most tables. Only sums are kept, so that a report's memory does not
// grow with the number of requests but for their ids. Where requests of several lines
// have to be brought together, their values are kept too.
type line struct {
	run     *Run
	cell    record.Cell // that of the first seed
	dataset record.Dataset
	model   record.Model

	// seeds are the lines of each seed; nil where there is one. Of a line with
	// several, the sums are of requests whose values are means over the seeds.
	seeds []*line

	samples    map[string]int // places of the samples
	ordered    []int          // see order
	categories map[string]*group
	seen       map[request]*item
	unasked    int // requests about which a judge was not asked

	// intervals are those that were resampled, by categories and column; nil where
	// there is none.
	intervals map[string]map[string]*stats.Interval
}

type request struct{ sample, id string }

// An item is what is kept of a request.
type item struct {
	category string
	out      bool      // left out by the answer key
	values   []float64 // of the kept columns; NaN for none
	// repeats are what values are the means of, where results of other tools have them.
	repeats [][]float64
}

// A group is the requests of one category.
type group struct {
	n       int
	out     int // of them, those that the answer key leaves out
	status  map[record.Status]int
	columns map[string]*sums
	// places are those of the samples that have requests in the group, and seats
	// the indexes of these by place.
	places []int
	seats  map[int]int
}

// A sums holds a column's values over a group, by the group's samples: where each
// request has a sample of its own, most samples are in one group.
type sums struct {
	all       []stats.Cluster
	answered  []stats.Cluster // the same without failed requests; nil where none failed
	undefined int
	unasked   unasked
}

// unasked sums up the values that stand for a judge who was not asked.
type unasked struct {
	n     int
	value float64 // sum
	err   float64 // sum of their errors, which they share
}

func (u *unasked) add(v unasked) {
	u.n += v.n
	u.value += v.value
	u.err += v.err
}

func newLine(r *Run, c record.Cell, d record.Dataset, m record.Model) *line {
	return &line{
		run: r, cell: c, dataset: d, model: m,
		samples:    make(map[string]int),
		categories: make(map[string]*group),
		seen:       make(map[request]*item),
	}
}

func (l *line) add(s record.Score, o reading) error {
	key := request{s.Sample, s.Request}
	if _, ok := l.seen[key]; ok {
		return fmt.Errorf("request %s of %s is scored twice in cell %s; 'bench score' writes the scores again", s.Request, s.Sample, s.Cell)
	}
	l.seen[key] = nil
	category := o.under(s)
	if o.keep {
		kept := &item{category: category, out: s.Out, values: make([]float64, len(o.columns))}
		for i, name := range o.columns {
			kept.values[i] = math.NaN()
			if v := s.Values[name]; v != nil {
				kept.values[i] = *v
			}
		}
		l.seen[key] = kept
	}
	g := l.group(category)
	g.n++
	g.status[s.Status]++
	if s.Out {
		g.out++
	}
	if len(s.Unasked) > 0 {
		l.unasked++
	}
	if o.bare {
		return nil
	}
	sample := g.seat(l.place(s.Sample))
	for name, value := range s.Values {
		weight := new(1.0)
		if by, ok := o.weights[name]; ok {
			weight = s.Values[by]
		}
		g.column(name).add(sample, value, weight, s.Status == record.OK)
	}
	for name, err := range s.Unasked {
		if value := s.Values[name]; value != nil {
			g.column(name).unasked.add(unasked{1, *value, err})
		}
	}
	return nil
}

// place returns the place of a sample's sums.
func (l *line) place(sample string) int {
	at, ok := l.samples[sample]
	if !ok {
		at = len(l.samples)
		l.samples[sample] = at
	}
	return at
}

// group returns the group of a category.
func (l *line) group(category string) *group {
	g := l.categories[category]
	if g == nil {
		g = &group{status: make(map[record.Status]int), columns: make(map[string]*sums), seats: make(map[int]int)}
		l.categories[category] = g
	}
	return g
}

// seat returns the index of a sample's sums by its place.
func (g *group) seat(place int) int {
	i, ok := g.seats[place]
	if !ok {
		i = len(g.places)
		g.seats[place] = i
		g.places = append(g.places, place)
	}
	return i
}

func (g *group) column(name string) *sums {
	c := g.columns[name]
	if c == nil {
		c = new(sums)
		g.columns[name] = c
	}
	return c
}

// add counts a value; one without a weight is as good as undefined.
func (c *sums) add(sample int, value, weight *float64, answered bool) {
	if value == nil || weight == nil {
		c.undefined++
		return
	}
	if !answered && c.answered == nil {
		c.answered = append([]stats.Cluster{}, c.all...)
	}
	c.all = addTo(c.all, sample, *value, *weight)
	if answered && c.answered != nil {
		c.answered = addTo(c.answered, sample, *value, *weight)
	}
}

func addTo(sums []stats.Cluster, sample int, value, weight float64) []stats.Cluster {
	for len(sums) <= sample {
		sums = append(sums, stats.Cluster{})
	}
	sums[sample].AddWeighted(value, weight)
	return sums
}

// ids returns the categories of the line in the order of the dataset; those
// that it does not list come last, by id, numbers by their value.
func (l *line) ids() []string {
	var ids, rest []string
	for _, c := range l.dataset.Categories {
		ids = append(ids, c.ID)
	}
	for id := range l.categories {
		if !slices.Contains(ids, id) {
			rest = append(rest, id)
		}
	}
	slices.SortFunc(rest, func(a, b string) int {
		x, xErr := strconv.Atoi(a)
		y, yErr := strconv.Atoi(b)
		if xErr == nil && yErr == nil {
			return cmp.Compare(x, y)
		}
		return cmp.Compare(a, b)
	})
	return append(ids, rest...)
}

// order returns the places of the samples in the order of their ids, so that
// nothing depends on the order of the scores.
func (l *line) order() []int {
	if len(l.ordered) < len(l.samples) {
		l.ordered = l.ordered[:0]
		for _, sample := range slices.Sorted(maps.Keys(l.samples)) {
			l.ordered = append(l.ordered, l.samples[sample])
		}
	}
	return l.ordered
}

// allFailed reports whether there were requests and all of them failed, with
// every seed.
func (l *line) allFailed() bool {
	asked, answered := 0, 0
	for _, seed := range l.bySeed() {
		n, failed := seed.n(seed.ids())
		asked += n
		answered += n - countAll(failed)
	}
	return asked > 0 && answered == 0
}

// countAll adds up failed requests of each status.
func countAll(failed map[record.Status]int) (n int) {
	for _, k := range failed {
		n += k
	}
	return n
}

// n returns the number of requests of some categories, and how many failed by
// status.
func (l *line) n(ids []string) (n int, failed map[record.Status]int) {
	failed = make(map[record.Status]int)
	for _, id := range ids {
		g := l.categories[id]
		if g == nil {
			continue
		}
		n += g.n
		for status, k := range g.status {
			if status != record.OK {
				failed[status] += k
			}
		}
	}
	return n, failed
}

// A Run is what a report reads of a run folder.
type Run struct {
	// Name tells runs apart where their labels do not, such as the folder's.
	Name   string
	Header record.Header
	Scores iter.Seq2[record.Score, error] // under the key that counts
	// Under returns the scores under an answer key, of datasets with errata alone;
	// nil where there are none but Scores.
	Under func(errata.Key) iter.Seq2[record.Score, error]
}

// Category is the value of [Options].By that splits by category.
const Category = "category"

// A grouping says under which category, or what stands for it, a score counts.
type grouping func(record.Score) string

func byCategory(s record.Score) string { return s.Category }

// byLabel groups by the values of a label, and notes in seen the names of all
// labels.
func byLabel(label string, seen map[string]bool) grouping {
	return func(s record.Score) string {
		for name := range s.Labels {
			seen[name] = true
		}
		return cmp.Or(s.Labels[label], "no "+label)
	}
}

// A reading says how scores become lines.
type reading struct {
	weights map[string]string // the column that weighs a column, where one does
	under   grouping
	keep    bool     // the values of each request
	bare    bool     // no sums of them
	columns []string // that are kept
	apart   bool     // seeds are lines of their own
}

// lines reads the scores of a run into a line for each of its cells, in the
// order of the header. Cells that differ in the seed alone are one line.
func (r *Run) lines(o reading) ([]*line, error) {
	var lines []*line
	byCell := make(map[string]*line)
	several := len(r.Header.Seeds) > 1 && !o.apart
	o.keep = o.keep || several
	for _, c := range r.Header.Cells {
		d, has := r.Header.Dataset(c.Dataset)
		m, known := r.Header.Model(c.Model)
		if !has || !known {
			return nil, fmt.Errorf("%s: cell %s names dataset %q and model %q, which the header does not describe", r.Name, c.ID, c.Dataset, c.Model)
		}
		l := newLine(r, c, d, m)
		lines = append(lines, l)
		byCell[c.ID] = l
	}
	for score, err := range r.Scores {
		if err != nil {
			return nil, err
		}
		l, ok := byCell[score.Cell]
		if !ok {
			return nil, fmt.Errorf("%s: the scores are of cell %s, which the run does not have; 'bench score' writes them again", r.Name, score.Cell)
		}
		if err := l.add(score, o); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	if several {
		lines = overSeeds(lines, o)
	}
	return lines, nil
}

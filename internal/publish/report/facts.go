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
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

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

// A line is the facts of one cell of a run, or of the cells that differ in nothing but
// the seed: a row of most tables.
type line struct {
	run     *Run
	cell    record.Cell // that of the first seed
	dataset record.Dataset
	model   record.Model

	// seeds are the lines of each seed; nil where there is one. Of a line with
	// several, the items are of requests whose values are means over the seeds.
	seeds []*line

	columns    map[string]int // places of the columns that scores have
	items      []*item        // in the order of the scores
	seen       map[request]*item
	categories map[string][]*item
	samples    []string // sorted, so that nothing depends on the order of the scores

	// intervals are those that were resampled, by categories and column; nil where
	// there is none.
	intervals map[string]map[string]*stats.Interval
}

type request struct{ sample, id string }

func compareRequests(a, b request) int {
	return cmp.Or(cmp.Compare(a.sample, b.sample), cmp.Compare(a.id, b.id))
}

// An item is what is known of a request.
type item struct {
	request
	category string
	labels   map[string]string
	status   record.Status
	out      bool      // left out by the answer key
	values   []float64 // of all columns of the report; NaN for none
	weights  []float64 // what values count for; nil where each counts 1
	place    int       // of the sample among those of the line
	// unasked are the errors of values that stand for a judge who was not asked, by column.
	unasked map[string]float64
	// repeats are what values are the means of, where results of other tools have them.
	repeats [][]float64
}

// add puts an item where it belongs, and reports whether its request is new.
func (l *line) add(it *item) bool {
	if l.seen[it.request] != nil {
		return false
	}
	l.items = append(l.items, it)
	l.seen[it.request] = it
	l.categories[it.category] = append(l.categories[it.category], it)
	return true
}

// empty returns the line without its items.
func (l *line) empty() *line {
	n := *l
	n.items, n.seen, n.categories, n.intervals = nil, make(map[request]*item), make(map[string][]*item), nil
	return &n
}

// regrouped returns the line with its items in other categories.
func (l *line) regrouped(under func(*item) string) *line {
	n := l.empty()
	for _, it := range l.items {
		moved := *it
		moved.category = under(it)
		n.add(&moved)
	}
	n.seeds = lists.Map(l.seeds, func(seed *line) *line { return seed.regrouped(under) })
	return n
}

// byLabel regroups lines by the values of a label.
func byLabel(lines []*line, label string) []*line {
	return lists.Map(lines, func(l *line) *line {
		return l.regrouped(func(it *item) string { return cmp.Or(it.labels[label], "no "+label) })
	})
}

// labelsOf returns the names of the labels that requests of lines have, sorted.
func labelsOf(lines []*line) []string {
	seen := make(map[string]bool)
	for _, l := range lines {
		for _, it := range l.items {
			for name := range it.labels {
				seen[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// linesOf reads the scores of a run into a line for each of its cells, in the
// order of the header. Cells that differ in the seed alone are one line, unless the
// options take seeds apart.
func (b *builder) linesOf(r *Run) ([]*line, error) {
	var lines []*line
	byCell := make(map[string]*line)
	for _, c := range r.Header.Cells {
		d, has := r.Header.Dataset(c.Dataset)
		m, known := r.Header.Model(c.Model)
		if !has || !known {
			return nil, fmt.Errorf("%s: cell %s names dataset %q and model %q, which the header does not describe", r.Name, c.ID, c.Dataset, c.Model)
		}
		byCell[c.ID] = (&line{run: r, cell: c, dataset: d, model: m, columns: make(map[string]int)}).empty()
		lines = append(lines, byCell[c.ID])
	}
	for score, err := range r.Scores {
		if err != nil {
			return nil, err
		}
		l, ok := byCell[score.Cell]
		if !ok {
			return nil, fmt.Errorf("%s: the scores are of cell %s, which the run does not have; 'bench score' writes them again", r.Name, score.Cell)
		}
		if !l.add(b.itemOf(score, l.columns)) {
			return nil, fmt.Errorf("%s: request %s of %s is scored twice in cell %s; 'bench score' writes the scores again", r.Name, score.Request, score.Sample, score.Cell)
		}
	}
	for _, l := range lines {
		l.setSamples()
	}
	if len(r.Header.Seeds) > 1 && !b.Seeds {
		lines = overSeeds(lines)
	}
	return lines, nil
}

// setSamples finds the samples of the items.
func (l *line) setSamples() {
	places := make(map[string]int)
	for _, it := range l.items {
		places[it.sample] = 0
	}
	l.samples = slices.Sorted(maps.Keys(places))
	for i, sample := range l.samples {
		places[sample] = i
	}
	for _, it := range l.items {
		it.place = places[it.sample]
	}
}

// itemOf reads a score, and notes which columns it has.
func (b *builder) itemOf(s record.Score, has map[string]int) *item {
	it := &item{
		request: request{s.Sample, s.Request}, category: s.Category, labels: s.Labels, status: s.Status, out: s.Out, unasked: s.Unasked,
		values: make([]float64, len(b.known)),
	}
	for i, c := range b.known {
		it.values[i] = math.NaN()
		v, ok := s.Values[c.Name]
		if ok {
			has[c.Name] = i
		}
		if v != nil {
			it.values[i] = *v
		}
	}
	if slices.ContainsFunc(b.known, func(c metrics.Column) bool { return c.Weight != "" }) {
		it.weights = lists.Map(b.known, func(c metrics.Column) float64 {
			if c.Weight == "" {
				return 1
			}
			return it.values[b.at(c.Weight)]
		})
	}
	return it
}

func (it *item) weight(at int) float64 {
	if it.weights == nil {
		return 1
	}
	return it.weights[at]
}

// overSeeds makes one line of those that differ in the seed alone, in the order
// of the first of each.
func overSeeds(lines []*line) []*line {
	type name struct{ dataset, method, model string }
	nameOf := func(l *line) name { return name{l.cell.Dataset, l.cell.Method, l.cell.Model} }
	return lists.Map(lists.Distinct(lines, nameOf), func(n name) *line {
		return merge(lists.Filter(lines, func(l *line) bool { return nameOf(l) == n }))
	})
}

// merge makes one line of the lines of several seeds. The value of a request is
// the mean of its values over the seeds that have one, each counting for its
// weight; failures are those of all seeds.
func merge(seeds []*line) *line {
	if len(seeds) == 1 {
		return seeds[0]
	}
	l := seeds[0].empty()
	l.seeds, l.columns = seeds, make(map[string]int)
	of := make(map[request][]*item)
	for _, seed := range seeds {
		maps.Copy(l.columns, seed.columns)
		for _, it := range seed.items {
			of[it.request] = append(of[it.request], it)
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(of), compareRequests) {
		l.add(meanOf(of[key]))
	}
	l.setSamples()
	return l
}

// meanOf returns the means of the values of a request over its seeds.
func meanOf(of []*item) *item {
	mean := *of[0]
	mean.status, mean.unasked = record.OK, nil
	mean.values, mean.weights = make([]float64, len(of[0].values)), slices.Clone(of[0].weights)
	for i := range mean.values {
		var sum, weights, n float64
		for _, it := range of {
			if x, w := it.values[i], it.weight(i); !math.IsNaN(x) && !math.IsNaN(w) {
				sum, weights, n = sum+w*x, weights+w, n+1
			}
		}
		mean.values[i] = sum / weights // NaN for none
		if n > 0 && weights == 0 {
			mean.values[i] = 0 // which counts for nothing
		}
		if mean.weights != nil {
			mean.weights[i] = weights / n
		}
	}
	return &mean
}

// bySeed returns the lines of each seed, the line itself where there is one.
func (l *line) bySeed() []*line {
	if len(l.seeds) > 0 {
		return l.seeds
	}
	return []*line{l}
}

// ids returns the categories of the line in the order of the dataset; those
// that it does not list come last, by id, numbers by their value.
func (l *line) ids() []string {
	ids := lists.Map(l.dataset.Categories, func(c record.Category) string { return c.ID })
	rest := slices.DeleteFunc(slices.Collect(maps.Keys(l.categories)), func(id string) bool { return slices.Contains(ids, id) })
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

// asked returns the categories that some line has requests of, in order.
func asked(lines []*line) []string {
	var ids []string
	for _, l := range lines {
		ids = lists.AddNew(ids, lists.Filter(l.ids(), func(id string) bool { return l.categories[id] != nil })...)
	}
	return ids
}

// n returns the number of requests of some categories, and how many failed by
// status, over all seeds.
func (l *line) n(ids []string) (n int, failed map[record.Status]int) {
	failed = make(map[record.Status]int)
	for _, id := range ids {
		n += len(l.categories[id])
		for _, seed := range l.bySeed() {
			for _, it := range seed.categories[id] {
				if it.status != record.OK {
					failed[it.status]++
				}
			}
		}
	}
	return n, failed
}

// out counts the requests of some categories that the answer key leaves out.
func (l *line) out(ids []string) (n int) {
	for _, id := range ids {
		n += len(lists.Filter(l.categories[id], func(it *item) bool { return it.out }))
	}
	return n
}

// scored returns how many requests are scored, over all seeds, how many of them
// failed, and how many the run has.
func (l *line) scored() (n, failed, planned int) {
	for _, seed := range l.bySeed() {
		of, without := seed.n(seed.ids())
		n, failed, planned = n+of, failed+countAll(without), planned+seed.cell.Planned
	}
	return n, failed, planned
}

// allFailed reports whether there were requests and all of them failed, with
// every seed.
func (l *line) allFailed() bool {
	n, failed, _ := l.scored()
	return n > 0 && failed == n
}

// countAll adds up failed requests of each status.
func countAll(failed map[record.Status]int) (n int) {
	for _, k := range failed {
		n += k
	}
	return n
}

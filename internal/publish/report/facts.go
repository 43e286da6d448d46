package report

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// A Run holds what a report reads from a run folder.
type Run struct {
	// Name distinguishes runs with equal labels, such as the folder's name.
	Name   string
	Folder record.Folder
	Header record.Header
	Scores iter.Seq2[record.Score, error] // under the key that counts
	// Under returns the scores under an answer key, for datasets with errata only; nil if
	// there are only Scores.
	Under func(errata.Key) iter.Seq2[record.Score, error]
}

// Only returns the run with nothing but some of its cells.
func (r *Run) Only(cells []record.Cell) *Run {
	only := *r
	only.Header.Cells = slices.Clone(cells)
	of := func(scores iter.Seq2[record.Score, error]) iter.Seq2[record.Score, error] {
		return func(yield func(record.Score, error) bool) {
			for s, err := range scores {
				in := slices.ContainsFunc(only.Header.Cells, func(c record.Cell) bool { return c.ID == s.Cell })
				if (in || err != nil) && !yield(s, err) {
					return
				}
			}
		}
	}
	only.Scores = of(r.Scores)
	if r.Under != nil {
		only.Under = func(key errata.Key) iter.Seq2[record.Score, error] { return of(r.Under(key)) }
	}
	return &only
}

// Add adds the cells that another part of the same run has, as [Run.Only] made both. It
// reports false, and adds none, where the run has one of them.
func (r *Run) Add(part *Run) bool {
	for _, c := range part.Header.Cells {
		if slices.ContainsFunc(r.Header.Cells, func(have record.Cell) bool { return have.ID == c.ID }) {
			return false
		}
	}
	r.Header.Cells = append(r.Header.Cells, part.Header.Cells...)
	return true
}

// Category is the value of [Options].By that splits by category.
const Category = "category"

// A line holds the facts of one cell of a run, or of the cells that differ only in the seed.
// Most tables have it as a row.
type line struct {
	run     *Run
	cell    record.Cell // that of the first seed
	dataset record.Dataset
	model   record.Model

	// seeds are the lines of each seed; nil if there is one. With several, the values of
	// items are means over the seeds.
	seeds []*line
	// under are the lines under each answer key, in the order of [errata.Keys]; nil if they
	// were not read.
	under []*line

	places     map[string]int // indexes of columns in the values of items
	items      []*item        // in the order of the scores
	seen       map[request]*item
	categories map[string][]*item
	samples    []string // sorted, so that nothing depends on the order of the scores

	// intervals are the resampled ones, by categories and column; nil for none.
	intervals map[string]map[string]*stats.Interval
	sums      map[sumOf]summary // that were asked for
}

type request struct{ sample, id string }

func compareRequests(a, b request) int {
	return cmp.Or(cmp.Compare(a.sample, b.sample), cmp.Compare(a.id, b.id))
}

// An item holds what is known about a request.
type item struct {
	request
	category string
	labels   map[string]string
	status   record.Status
	out      bool      // left out by the answer key
	values   []float64 // of all columns of the report; NaN for none
	weights  []float64 // weights of values; nil if each is 1
	place    int       // index of the sample in the line
	// unasked are the errors of values that replace verdicts of a judge, by column.
	unasked map[string]float64
	// repeats are the repetitions that values are means of, if results of other tools have them.
	repeats [][]float64
}

// with returns a line like l with some items, each of a different request.
func (l *line) with(items []*item) *line {
	n := *l
	n.items, n.seen, n.categories, n.intervals, n.sums = items, make(map[request]*item, len(items)), make(map[string][]*item), nil, nil
	places := make(map[string]int)
	for _, it := range items {
		n.seen[it.request] = it
		n.categories[it.category] = append(n.categories[it.category], it)
		places[it.sample] = 0
	}
	n.samples = slices.Sorted(maps.Keys(places))
	for i, sample := range n.samples {
		places[sample] = i
	}
	for _, it := range items {
		it.place = places[it.sample]
	}
	return &n
}

// each returns the line with a function applied to its items, those of its seeds and those
// under each answer key.
func (l *line) each(of func([]*item) []*item) *line {
	n := l.with(of(l.items))
	n.cell.Planned += len(n.items) - len(l.items)
	n.dataset.Requests += len(n.items) - len(l.items)
	n.seeds = lists.Map(l.seeds, func(s *line) *line { return s.each(of) })
	n.under = lists.Map(l.under, func(s *line) *line { return s.each(of) })
	return n
}

// filtered returns the line with some of its items.
func (l *line) filtered(keep func(*item) bool) *line {
	return l.each(func(items []*item) []*item {
		return lists.Map(lists.Filter(items, keep), func(it *item) *item { return new(*it) })
	})
}

// byLabel groups the items of lines by the values of a label instead of by categories.
func byLabel(lines []*line, label string) []*line {
	return lists.Map(lines, func(l *line) *line {
		return l.each(func(items []*item) []*item {
			return lists.Map(items, func(it *item) *item {
				moved := *it
				moved.category = cmp.Or(it.labels[label], "no "+label)
				return &moved
			})
		})
	})
}

// filter keeps the requests that meet all conditions of [Options].Filter.
func (b *builder) filter() error {
	labels := append([]string{Category}, labelsOf(b.lines)...)
	for _, condition := range b.Filter {
		name, value, ok := strings.Cut(condition, "=")
		if !ok || !slices.Contains(labels, name) {
			return fmt.Errorf("filter %q: want NAME=VALUE, where NAME is %s", condition, enumerate(labels, "or"))
		}
		left := 0
		b.lines = lists.Map(b.lines, func(l *line) *line {
			l = l.filtered(func(it *item) bool {
				if name == Category {
					return it.category == value || l.dataset.CategoryName(it.category) == value
				}
				return it.labels[name] == value
			})
			left += len(l.items)
			return l
		})
		if left == 0 {
			return fmt.Errorf("filter %q: no question has it", condition)
		}
	}
	return nil
}

// labelsOf returns the names of the labels that requests of lines have, sorted.
func labelsOf(lines []*line) []string {
	names := make(map[string]string)
	for _, l := range lines {
		for _, it := range l.items {
			maps.Copy(names, it.labels)
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// read reads the scores of runs concurrently.
func (b *builder) read(runs []*Run) error {
	lines, faults := make([][]*line, len(runs)), make([]error, len(runs))
	var all sync.WaitGroup
	for i, r := range runs {
		all.Go(func() { lines[i], faults[i] = b.linesOf(r, r.Scores) })
	}
	all.Wait()
	b.lines = slices.Concat(lines...)
	return errors.Join(faults...)
}

// readKeys reads the scores of runs under each answer key, if [Options].Keys is set.
func (b *builder) readKeys(runs []*Run) error {
	for _, r := range runs {
		withErrata := slices.ContainsFunc(r.Header.Datasets, func(d record.Dataset) bool { return len(d.Errata) > 0 })
		if !b.Keys || r.Under == nil || !withErrata {
			continue
		}
		for _, key := range errata.Keys() {
			under, err := b.linesOf(r, r.Under(key))
			if err != nil {
				return err
			}
			for _, l := range b.lines {
				i := slices.IndexFunc(under, func(u *line) bool { return l.run == r && u.cell.ID == l.cell.ID })
				if i >= 0 && len(l.dataset.Errata) > 0 {
					l.under = append(l.under, under[i])
				}
			}
		}
	}
	return nil
}

// linesOf reads the scores of a run into a line for each of its cells, in the order of the
// header. Cells that differ only in the seed are one line, unless the options separate
// seeds.
func (b *builder) linesOf(r *Run, scores iter.Seq2[record.Score, error]) ([]*line, error) {
	items := make(map[string][]*item) // by cell
	for s, err := range scores {
		if err != nil {
			return nil, err
		}
		items[s.Cell] = append(items[s.Cell], b.itemOf(s))
	}
	for _, id := range slices.Sorted(maps.Keys(items)) {
		if !slices.ContainsFunc(r.Header.Cells, func(c record.Cell) bool { return c.ID == id }) {
			return nil, fmt.Errorf("%s: there are scores of cell %s, which the run does not have; 'bench score' computes them again", r.Name, id)
		}
	}
	var lines []*line
	for _, c := range r.Header.Cells {
		d, known := r.Header.Dataset(c.Dataset)
		m, described := r.Header.Model(c.Model)
		if !known || !described {
			return nil, fmt.Errorf("%s: cell %s names dataset %q and model %q, which the header does not describe", r.Name, c.ID, c.Dataset, c.Model)
		}
		l := (&line{run: r, cell: c, dataset: d, model: m, places: b.places}).with(items[c.ID])
		if i := slices.IndexFunc(l.items, func(it *item) bool { return l.seen[it.request] != it }); i >= 0 {
			return nil, fmt.Errorf("%s: question %s of %s is scored twice in cell %s; 'bench score' computes the scores again", r.Name, l.items[i].id, l.items[i].sample, c.ID)
		}
		lines = append(lines, l)
	}
	if len(r.Header.Seeds) > 1 && !b.Seeds {
		lines = overSeeds(lines)
	}
	return lines, nil
}

// requestOf identifies the request of a score. Samples that are the same history up to
// different points count as one sample here, as their questions are about one conversation.
func requestOf(s record.Score) request {
	if history := s.Labels[record.HistoryLabel]; history != "" {
		return request{history, s.Sample + " " + s.Request}
	}
	return request{s.Sample, s.Request}
}

// conversations returns the number of samples that the requests of a line are about.
func (l *line) conversations() int {
	if len(l.items) > 0 && l.items[0].labels[record.HistoryLabel] != "" {
		return len(l.samples)
	}
	return l.dataset.Samples
}

// itemOf reads a score.
func (b *builder) itemOf(s record.Score) *item {
	it := &item{
		request: requestOf(s), category: s.Category, labels: s.Labels, status: s.Status, out: s.Out, unasked: s.Unasked,
		values: make([]float64, len(b.known)),
	}
	weighted := false
	for i, c := range b.known {
		weighted = weighted || c.Weight != ""
		it.values[i] = math.NaN()
		if v := s.Values[c.Name]; v != nil {
			it.values[i] = *v
		}
	}
	if weighted {
		it.weights = lists.Map(b.known, func(c metrics.Column) float64 {
			if c.Weight == "" {
				return 1
			}
			return it.values[b.places[c.Weight]]
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

// overSeeds combines the lines that differ only in the seed, in the order of the first of
// each. The value of a request is the weighted mean of its values over the seeds that have
// one; failures are those of all seeds.
func overSeeds(lines []*line) []*line {
	type name struct{ dataset, method, model string }
	nameOf := func(l *line) name { return name{l.cell.Dataset, l.cell.Method, l.cell.Model} }
	return lists.Map(lists.Distinct(lines, nameOf), func(n name) *line {
		seeds := lists.Filter(lines, func(l *line) bool { return nameOf(l) == n })
		if len(seeds) == 1 {
			return seeds[0]
		}
		of := make(map[request][]*item)
		for _, seed := range seeds {
			for _, it := range seed.items {
				of[it.request] = append(of[it.request], it)
			}
		}
		keys := slices.SortedFunc(maps.Keys(of), compareRequests)
		l := seeds[0].with(lists.Map(keys, func(key request) *item { return meanOf(of[key]) }))
		l.seeds = seeds
		return l
	})
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

// bySeed returns the lines of each seed, or the line itself if there is only one.
func (l *line) bySeed() []*line {
	if len(l.seeds) > 0 {
		return l.seeds
	}
	return []*line{l}
}

// seed lists the seeds of a line.
func (l *line) seed() string {
	seeds := lists.Map(l.bySeed(), func(s *line) string { return strconv.FormatUint(s.cell.Seed, 10) })
	return strings.Join(seeds, ", ")
}

// ids returns the categories of the line in the order of the dataset, followed by those
// that it does not list, by id, numbers by value.
func (l *line) ids() []string {
	ids := lists.Map(l.dataset.Categories, func(c record.Category) string { return c.ID })
	return lists.AddNew(ids, slices.SortedFunc(maps.Keys(l.categories), compareNames)...)
}

// compareNames orders numbers by value, before other names.
func compareNames(a, b string) int {
	number := func(s string) float64 {
		if x, err := strconv.ParseFloat(s, 64); err == nil {
			return x
		}
		return math.Inf(1)
	}
	return cmp.Or(cmp.Compare(number(a), number(b)), cmp.Compare(a, b))
}

// asked returns, in order, the categories in which any line has requests.
func asked(lines []*line) []string {
	var ids []string
	for _, l := range lines {
		ids = lists.AddNew(ids, lists.Filter(l.ids(), func(id string) bool { return l.categories[id] != nil })...)
	}
	return ids
}

// count returns the number of requests of some categories.
func (l *line) count(ids []string) (n int) {
	for _, id := range ids {
		n += len(l.categories[id])
	}
	return n
}

// failures counts the failed requests of some categories, over all seeds.
func (l *line) failures(ids []string) (n int) {
	for _, seed := range l.bySeed() {
		for _, id := range ids {
			n += len(lists.Filter(seed.categories[id], func(it *item) bool { return it.status != record.OK }))
		}
	}
	return n
}

// out returns the number of requests that the answer key leaves out.
func (l *line) out() int {
	return len(lists.Filter(l.items, func(it *item) bool { return it.out }))
}

// scored returns how many requests are scored, and how many of them failed, over all seeds.
func (l *line) scored() (n, failed int) {
	for _, seed := range l.bySeed() {
		n += len(seed.items)
	}
	return n, l.failures(l.ids())
}

// planned returns how many requests the run has, over all seeds.
func (l *line) planned() (n int) {
	for _, seed := range l.bySeed() {
		n += seed.cell.Planned
	}
	return n
}

// allFailed reports whether there were requests and all failed with every seed.
func (l *line) allFailed() bool {
	n, failed := l.scored()
	return n > 0 && failed == n
}

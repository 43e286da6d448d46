package report

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/calibrate"
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
	own := func(scores iter.Seq2[record.Score, error]) iter.Seq2[record.Score, error] {
		return func(yield func(record.Score, error) bool) {
			for s, err := range scores {
				if (err != nil || only.has(s.Cell)) && !yield(s, err) {
					return
				}
			}
		}
	}
	only.Scores = own(r.Scores)
	if r.Under != nil {
		only.Under = func(key errata.Key) iter.Seq2[record.Score, error] { return own(r.Under(key)) }
	}
	return &only
}

// has reports whether the run has the cell of an id.
func (r *Run) has(id string) bool {
	return slices.ContainsFunc(r.Header.Cells, func(c record.Cell) bool { return c.ID == id })
}

// Add adds the cells that another part of the same run has, as [Run.Only] made both. It
// reports false, and adds none, where the run has one of them.
func (r *Run) Add(part *Run) bool {
	if slices.ContainsFunc(part.Header.Cells, func(c record.Cell) bool { return r.has(c.ID) }) {
		return false
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

	// intervals are the resampled ones, by column and categories, nil for none, and sums those
	// that were asked for.
	intervals map[[2]string]*stats.Interval
	sums      map[sumOf]summary
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
	n.items, n.seen, n.categories = items, make(map[request]*item, len(items)), make(map[string][]*item)
	n.intervals, n.sums = make(map[[2]string]*stats.Interval), make(map[sumOf]summary)
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

// each returns the line with copies of its items, those of its seeds and those under each
// answer key, as a function changes them; it leaves out those for which it reports false.
func (l *line) each(change func(*item) bool) *line {
	var items []*item
	for _, it := range l.items {
		if it = new(*it); change(it) {
			items = append(items, it)
		}
	}
	n := l.with(items)
	n.cell.Planned += len(n.items) - len(l.items)
	n.dataset.Requests += len(n.items) - len(l.items)
	n.seeds = lists.Map(l.seeds, func(s *line) *line { return s.each(change) })
	n.under = lists.Map(l.under, func(s *line) *line { return s.each(change) })
	return n
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
			l = l.each(func(it *item) bool {
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

// readKeys reads the scores of the runs under each answer key, if [Options].Keys is set.
func (b *builder) readKeys() error {
	for _, r := range b.runs {
		withErrata := slices.ContainsFunc(r.Header.Datasets, func(d record.Dataset) bool { return len(d.Errata) > 0 })
		if !b.Keys || r.Under == nil || !withErrata {
			continue
		}
		own := lists.Filter(b.lines, func(l *line) bool { return l.run == r })
		for _, key := range errata.Keys() {
			under, err := b.linesOf(r, r.Under(key), b.Seeds)
			if err != nil {
				return err
			}
			for i, l := range own {
				if len(l.dataset.Errata) > 0 {
					l.under = append(l.under, under[i])
				}
			}
		}
	}
	return nil
}

// linesOf reads the scores of a run into a line for each of its cells, in the order of the
// header. Cells that differ only in the seed are one line, unless seeds are apart.
func (f *Facts) linesOf(r *Run, scores iter.Seq2[record.Score, error], apart bool) ([]*line, error) {
	items := make(map[string][]*item) // by cell
	for s, err := range scores {
		if err != nil {
			return nil, err
		}
		items[s.Cell] = append(items[s.Cell], f.itemOf(s))
	}
	for _, id := range slices.Sorted(maps.Keys(items)) {
		if !r.has(id) {
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
		l := (&line{run: r, cell: c, dataset: d, model: m, places: f.places}).with(items[c.ID])
		if i := slices.IndexFunc(l.items, func(it *item) bool { return l.seen[it.request] != it }); i >= 0 {
			return nil, fmt.Errorf("%s: question %s of %s is scored twice in cell %s; 'bench score' computes the scores again", r.Name, l.items[i].id, l.items[i].sample, c.ID)
		}
		lines = append(lines, l)
	}
	if len(r.Header.Seeds) > 1 && !apart {
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
func (f *Facts) itemOf(s record.Score) *item {
	it := &item{
		request: requestOf(s), category: s.Category, labels: s.Labels, status: s.Status, out: s.Out, unasked: s.Unasked,
		values: lists.Map(f.known, func(c metrics.Column) float64 { return *cmp.Or(s.Values[c.Name], &noValue) }),
	}
	if slices.ContainsFunc(f.known, func(c metrics.Column) bool { return c.Weight != "" }) {
		it.weights = lists.Map(f.known, func(c metrics.Column) float64 {
			if c.Weight == "" {
				return 1
			}
			return it.values[f.places[c.Weight]]
		})
	}
	return it
}

// noValue stands for a value that a request does not have.
var noValue = math.NaN()

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

func isNumber(name string) bool {
	_, err := strconv.ParseFloat(name, 64)
	return err == nil
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

// out returns the number of requests that the answer key leaves out.
func (l *line) out() int {
	return len(lists.Filter(l.items, func(it *item) bool { return it.out }))
}

// scored returns how many requests are scored, and how many of them failed, over all seeds.
func (l *line) scored() (n, failed int) { return l.scoredIn(l.ids()) }

// scoredIn is scored for the requests of some categories.
func (l *line) scoredIn(ids []string) (n, failed int) {
	for _, seed := range l.bySeed() {
		for _, id := range ids {
			n += len(seed.categories[id])
			failed += len(lists.Filter(seed.categories[id], func(it *item) bool { return it.status != record.OK }))
		}
	}
	return n, failed
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

// A summary is a column's mean over some requests of a line, with its basis. Means are in
// the unit of the scores.
type summary struct {
	mean float64
	// deviation is the standard deviation of the mean over seeds; nil for one
	// seed.
	deviation *float64
	n         int // values in the mean, those of several seeds counted once
	undefined int
	answered  float64 // the mean without failed requests; NaN where all failed
	clusters  []stats.Cluster
	unasked   unasked
}

func (s summary) undefinedNote() string {
	return noteIf(s.undefined > 0, "no value for %d of %d questions, which are left out", s.undefined, s.n+s.undefined)
}

// unasked sums up the values that replace verdicts of a judge.
type unasked struct {
	n     int
	value float64 // sum
	err   float64 // sum of their errors, which they share
}

// sumOf names a summary.
type sumOf struct {
	column     metrics.Column
	categories string
}

// summary summarizes a column over the requests of some categories, and reports whether the
// column has any value. With several seeds, the mean is that of the seeds' means. It is
// computed once.
func (l *line) summary(column metrics.Column, ids []string) (summary, bool) {
	of := sumOf{column, strings.Join(ids, "\x00")}
	s, ok := l.sums[of]
	if !ok {
		s = l.overSeeds(column, ids)
		l.sums[of] = s
	}
	return s, s.n > 0
}

func (l *line) overSeeds(column metrics.Column, ids []string) summary {
	s, ok := l.sumUp(column, ids)
	if !ok || len(l.seeds) == 0 {
		return s
	}
	var means, answered []float64
	for _, seed := range l.seeds {
		of, ok := seed.sumUp(column, ids)
		if !ok {
			continue
		}
		means = append(means, of.mean)
		s.unasked.n, s.unasked.value = s.unasked.n+of.unasked.n, s.unasked.value+of.unasked.value
		s.unasked.err += of.unasked.err / float64(len(l.seeds))
		if !math.IsNaN(of.answered) {
			answered = append(answered, of.answered)
		}
	}
	s.mean, s.deviation = overMeans(means)
	s.answered, _ = overMeans(answered)
	return s
}

// all summarizes a column over all requests.
func (l *line) all(c metrics.Column) (summary, bool) { return l.summary(c, l.ids()) }

// overMeans returns the mean of the seeds' means (NaN for none) and their standard deviation
// over n - 1 (nil for fewer than two).
func overMeans(means []float64) (mean float64, deviation *float64) {
	if len(means) < 2 {
		return stat.Mean(means, nil), nil
	}
	mean, sd := stat.MeanStdDev(means, nil)
	return mean, &sd
}

// sumUp is summary for the items of the line itself.
func (l *line) sumUp(column metrics.Column, ids []string) (summary, bool) {
	var s summary
	at, ok := l.places[column.Name]
	if !ok {
		return s, false
	}
	s.clusters = make([]stats.Cluster, len(l.samples))
	answered := make([]stats.Cluster, len(l.samples))
	for _, id := range ids {
		in, without := make([]stats.Cluster, len(l.samples)), make([]stats.Cluster, len(l.samples))
		for _, it := range l.categories[id] {
			x, weight := it.values[at], it.weight(at)
			if math.IsNaN(x) || math.IsNaN(weight) {
				s.undefined++
				continue
			}
			in[it.place].AddWeighted(x, weight)
			if it.status == record.OK {
				without[it.place].AddWeighted(x, weight)
			}
			if err, ok := it.unasked[column.Name]; ok {
				s.unasked.n, s.unasked.value, s.unasked.err = s.unasked.n+1, s.unasked.value+x, s.unasked.err+err
			}
		}
		for i := range in {
			s.clusters[i].Merge(in[i])
			answered[i].Merge(without[i])
		}
	}
	if column.Sample { // each memory has one
		for i := range s.clusters {
			s.clusters[i], answered[i] = s.clusters[i].One(), answered[i].One()
		}
	}
	s.mean, s.n = stats.Mean(s.clusters)
	if column.Total {
		s.mean *= float64(s.n)
	}
	var n int
	if s.answered, n = stats.Mean(answered); n == 0 {
		s.answered = math.NaN()
	}
	return s, s.n > 0
}

// interval returns the 95 % interval of the mean of a column over some categories, which s
// summarizes. Those of all columns are resampled together, and cached. If the audit of a
// judge replaces verdicts, its error is added.
func (b *builder) interval(l *line, c metrics.Column, ids []string, s summary) (stats.Interval, bool) {
	switch {
	case c.Total:
		return stats.Interval{}, false
	case s.unasked.n > 0:
		return calibrate.AuditedInterval(s.clusters, s.unasked.err/float64(s.n))
	case c.Binary:
		return stats.RateInterval(s.clusters, stats.Level)
	}
	of := [2]string{c.Name, strings.Join(ids, "\x00")}
	if _, ok := l.intervals[of]; !ok {
		columns := slices.DeleteFunc(slices.Clone(b.known), func(c metrics.Column) bool { _, ok := l.summary(c, ids); return !ok || c.Total || c.Binary })
		series := lists.Map(columns, func(c metrics.Column) []stats.Cluster { s, _ := l.summary(c, ids); return s.clusters })
		boot := stats.Bootstrap{Resamples: stats.Resamples, Level: stats.Level, Seed: l.run.Header.Seed}
		for k, i := range boot.Intervals(series) {
			l.intervals[[2]string{columns[k].Name, of[1]}] = i
		}
	}
	if i := l.intervals[of]; i != nil {
		return *i, true
	}
	return stats.Interval{}, false
}

// cell prints the mean of a column over some categories with its notes.
func (b *builder) cell(t *Table, l *line, c metrics.Column, ids []string) Cell {
	s, ok := l.summary(c, ids)
	if !ok {
		return Cell{}
	}
	cell := scaled(&s.mean, c.Scale, c.Digits)
	if s.deviation != nil {
		cell = cell.withDeviation(new(*s.deviation*c.Scale), c.Digits)
	}
	if b.Intervals {
		if i, ok := b.interval(l, c, ids, s); ok {
			cell.Interval = new(i.Scale(c.Scale))
			cell.Text += fmt.Sprintf(" (%s, %s)", decimal(cell.Interval.Lo, c.Digits), decimal(cell.Interval.Hi, c.Digits))
		}
	}
	if u := s.unasked; u.n > 0 {
		cell.Notes = t.notes(fmt.Sprintf("f1@span decided %d answers; they count by the share of %s that an audit found right, whose error is in the interval",
			u.n, decimal(u.value/float64(u.n)*c.Scale, c.Digits)))
	}
	cell.Notes = append(cell.Notes, t.notes(s.undefinedNote())...)
	return cell
}

// bounds gives the means of a line over some categories without failed requests, which the
// main means include. It is empty if no column has a failed request that counts.
func (l *line) bounds(columns []metrics.Column, ids []string) string {
	n, failed := l.scoredIn(ids)
	if failed > 0 && failed == n {
		return fmt.Sprintf("all %d questions failed", failed)
	}
	var without []string
	for _, c := range columns {
		s, ok := l.summary(c, ids)
		if !ok || c.Sample || c.Total || math.IsNaN(s.answered) { // failed requests have the same memory, and do not lower sums
			continue
		}
		if mean := decimal(s.answered*c.Scale, c.Digits); mean != decimal(s.mean*c.Scale, c.Digits) {
			without = append(without, c.Name+" "+mean)
		}
	}
	if failed == 0 || len(without) == 0 {
		return ""
	}
	return fmt.Sprintf("%d failed questions count; without them: %s", failed, strings.Join(without, ", "))
}

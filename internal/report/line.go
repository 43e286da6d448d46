package report

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"

	"recallbench/internal/record"
	"recallbench/internal/stats"
)

// A Run is what a report reads of a run folder.
type Run struct {
	// Name tells runs apart where their labels do not, such as the folder's.
	Name   string
	Header record.Header
	Scores iter.Seq2[record.Score, error]
}

// A line is one cell of a run, summed up: a row of most tables. Only sums are
// kept, so a report's memory does not grow with the number of requests but for
// their ids.
type line struct {
	run     *Run
	cell    record.Cell
	dataset record.Dataset
	model   record.Model

	samples    map[string]int // places of the samples' sums
	categories map[string]*group
	seen       map[request]struct{}
}

type request struct{ sample, id string }

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

// A group is the requests of one category.
type group struct {
	n       int
	status  map[record.Status]int
	columns map[string]*sums
}

// A sums holds a column's values over a group.
type sums struct {
	all       []stats.Cluster // by sample
	answered  []stats.Cluster // the same without failed requests
	undefined int
}

// lines reads the scores of a run into a line for each of its cells, in the
// order of the header. weights names the column that weighs a column, where
// one does, and under says what the lines are split by.
func (r *Run) lines(weights map[string]string, under grouping) ([]*line, error) {
	var lines []*line
	byCell := make(map[string]*line)
	for _, c := range r.Header.Cells {
		l := &line{
			run: r, cell: c,
			samples:    make(map[string]int),
			categories: make(map[string]*group),
			seen:       make(map[request]struct{}),
		}
		d := slices.IndexFunc(r.Header.Datasets, func(d record.Dataset) bool { return d.Label == c.Dataset })
		m := slices.IndexFunc(r.Header.Models, func(m record.Model) bool { return m.Label == c.Model })
		if d < 0 || m < 0 {
			return nil, fmt.Errorf("%s: cell %s names dataset %q and model %q, which the header does not describe", r.Name, c.ID, c.Dataset, c.Model)
		}
		l.dataset, l.model = r.Header.Datasets[d], r.Header.Models[m]
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
		if err := l.add(score, under(score), weights); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	return lines, nil
}

// add counts a score under a category.
func (l *line) add(s record.Score, category string, weights map[string]string) error {
	key := request{s.Sample, s.Request}
	if _, ok := l.seen[key]; ok {
		return fmt.Errorf("request %s of %s is scored twice in cell %s; 'bench score' writes the scores again", s.Request, s.Sample, s.Cell)
	}
	l.seen[key] = struct{}{}
	sample, ok := l.samples[s.Sample]
	if !ok {
		sample = len(l.samples)
		l.samples[s.Sample] = sample
	}
	g := l.categories[category]
	if g == nil {
		g = &group{status: make(map[record.Status]int), columns: make(map[string]*sums)}
		l.categories[category] = g
	}
	g.n++
	g.status[s.Status]++
	for name, value := range s.Values {
		c := g.columns[name]
		if c == nil {
			c = new(sums)
			g.columns[name] = c
		}
		weight := new(1.0)
		if by, ok := weights[name]; ok {
			weight = s.Values[by]
		}
		c.add(sample, value, weight, s.Status == record.OK)
	}
	return nil
}

// add counts a value; one without a weight is as good as undefined.
func (c *sums) add(sample int, value, weight *float64, answered bool) {
	if value == nil || weight == nil {
		c.undefined++
		return
	}
	for len(c.all) <= sample {
		c.all = append(c.all, stats.Cluster{})
		c.answered = append(c.answered, stats.Cluster{})
	}
	c.all[sample].AddWeighted(*value, *weight)
	if answered {
		c.answered[sample].AddWeighted(*value, *weight)
	}
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
	var places []int
	for _, sample := range slices.Sorted(maps.Keys(l.samples)) {
		places = append(places, l.samples[sample])
	}
	return places
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

package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"recallbench/internal/calc/calibrate"
	"recallbench/internal/calc/stats"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// A summary is a column's mean over some requests of a line, and what is
// behind it. Means are in the unit of the scores.
type summary struct {
	mean float64
	// deviation is the standard deviation of the mean over seeds; nil for one
	// seed.
	deviation *float64
	n         int // values behind the mean, those of several seeds counted once
	values    int // the same, each counted
	undefined int
	failed    int     // values that are of failed requests
	zeros     bool    // their values are all 0
	answered  float64 // mean without them; 0 where all failed
	clusters  []stats.Cluster
	unasked   unasked
}

// summary sums up a column over the requests of some categories. It reports
// whether the column has a value at all. With several seeds, the mean is that of
// the seeds' means.
func (l *line) summary(column metrics.Column, ids []string) (summary, bool) {
	s, ok := l.sumUp(column, ids)
	if !ok || len(l.seeds) == 0 {
		return s, ok
	}
	var means, answered []float64
	s.failed, s.values, s.zeros = 0, 0, true
	for _, seed := range l.seeds {
		of, ok := seed.sumUp(column, ids)
		if !ok {
			continue
		}
		means = append(means, of.mean)
		s.failed += of.failed
		s.values += of.n
		s.zeros = s.zeros && of.zeros
		of.unasked.err /= float64(len(l.seeds))
		s.unasked.add(of.unasked)
		if of.failed < of.n {
			answered = append(answered, of.answered)
		}
	}
	s.mean, s.deviation = overMeans(means)
	s.answered, _ = overMeans(answered)
	return s, true
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

// overMeans returns the mean of the means of seeds and their standard deviation
// over n - 1, nil where there are fewer than two.
func overMeans(means []float64) (mean float64, deviation *float64) {
	switch len(means) {
	case 0:
		return 0, nil
	case 1:
		return means[0], nil
	}
	mean, sd := stat.MeanStdDev(means, nil)
	return mean, &sd
}

// sumUp is summary for the items of the line itself.
func (l *line) sumUp(column metrics.Column, ids []string) (summary, bool) {
	var s summary
	at, ok := l.columns[column.Name]
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
				s.unasked.add(unasked{1, x, err})
			}
		}
		for i := range in {
			s.clusters[i].Merge(in[i])
			answered[i].Merge(without[i])
		}
	}
	all := slices.Clone(s.clusters)
	if column.Sample {
		for i := range all {
			s.clusters[i], answered[i] = s.clusters[i].One(), answered[i].One()
		}
	}
	s.mean, s.n = stats.Mean(s.clusters)
	s.values = s.n
	if column.Total {
		s.mean *= float64(s.n)
	}
	var n int
	s.answered, n = stats.Mean(answered)
	s.failed = s.n - n
	if column.Sample || column.Total {
		s.failed = 0 // a failed request has the same memory, and no less of a sum
	}
	s.zeros = stats.Total(all).Squares == stats.Total(answered).Squares
	return s, s.n > 0
}

// interval returns the 95 % interval of the mean of a column over some categories,
// which s sums up. Those of the columns beside it are resampled with it, and kept. Where
// the audit of a judge stands in for verdicts, its error is added.
func (b *builder) interval(l *line, c metrics.Column, ids []string, s summary) (stats.Interval, bool) {
	switch {
	case c.Total:
		return stats.Interval{}, false
	case s.unasked.n > 0:
		return calibrate.AuditedInterval(s.clusters, s.unasked.err/float64(s.n))
	case c.Binary:
		return stats.RateInterval(s.clusters, stats.Level)
	}
	key := strings.Join(ids, "\x00")
	if l.intervals == nil {
		l.intervals = make(map[string]map[string]*stats.Interval)
	}
	if l.intervals[key] == nil {
		l.intervals[key] = make(map[string]*stats.Interval)
	}
	known := l.intervals[key]
	if _, ok := known[c.Name]; !ok {
		var names []string
		var series [][]stats.Cluster
		for _, beside := range b.tabled(c) {
			if of, ok := l.summary(beside, ids); ok {
				names, series = append(names, beside.Name), append(series, of.clusters)
			}
		}
		boot := stats.Bootstrap{Resamples: stats.Resamples, Level: stats.Level, Seed: l.run.Header.Seed}
		for k, i := range boot.Intervals(series) {
			known[names[k]] = i
		}
	}
	if i := known[c.Name]; i != nil {
		return *i, true
	}
	return stats.Interval{}, false
}

// tabled returns the columns that are in one table with a column, and have
// intervals of resamples.
func (b *builder) tabled(c metrics.Column) []metrics.Column {
	columns := []metrics.Column{c}
	if hasColumn(b.columns, c.Name) {
		columns = b.columns
	} else if i := slices.IndexFunc(b.wide, func(spec *metrics.Spec) bool { return hasColumn(spec.Columns, c.Name) }); i >= 0 {
		columns = b.wide[i].Columns
	}
	return slices.DeleteFunc(slices.Clone(columns), func(c metrics.Column) bool { return c.Total || c.Binary })
}

// cell prints the mean of a column over some categories with what there is to
// say about it.
func (b *builder) cell(t *Table, l *line, c metrics.Column, ids []string) Cell {
	s, ok := l.summary(c, ids)
	if !ok {
		var cell Cell
		switch {
		case s.undefined > 0:
			cell.Notes = append(cell.Notes, t.Note(fmt.Sprintf("no value for any of %d requests", s.undefined)))
		case !b.measures(l.run, c):
			cell.Notes = append(cell.Notes, t.Note(fmt.Sprintf("%s is not scored with %s", b.names[l.run], c.Name)))
		}
		return cell
	}
	cell := Cell{Value: new(s.mean * c.Scale)}
	cell.Text = decimal(*cell.Value, c.Digits)
	if s.deviation != nil {
		cell.Deviation = new(*s.deviation * c.Scale)
		cell.Text += deviation(*cell.Deviation, c.Digits)
	}
	if b.Intervals {
		if i, ok := b.interval(l, c, ids, s); ok {
			cell.Interval = new(i.Scale(c.Scale))
			cell.Text += fmt.Sprintf(" (%s, %s)", decimal(cell.Interval.Lo, c.Digits), decimal(cell.Interval.Hi, c.Digits))
		}
	}
	if u := s.unasked; u.n > 0 {
		cell.Notes = append(cell.Notes, t.Note(fmt.Sprintf("f1@span decided %d of %d answers, and an audit of such answers found a rate of %s right: "+
			"it stands for them, and its error is in the interval", u.n, s.values, decimal(u.value/float64(u.n)*c.Scale, c.Digits))))
	}
	if s.undefined > 0 {
		cell.Notes = append(cell.Notes, t.Note(fmt.Sprintf("no value for %d of %d requests, which are left out", s.undefined, s.n+s.undefined)))
	}
	return cell
}

// bounds says what failed requests do to the means of a line over some
// categories: headline means count them, as a reader who waits for an answer
// would, and here is what the means are without them. It is empty when no
// column has a failed request that counts.
func (l *line) bounds(columns []metrics.Column, ids []string) string {
	if _, failed := l.n(ids); len(failed) == 0 {
		return ""
	}
	failed, zeros := 0, true
	var without []string
	for _, c := range columns {
		s, ok := l.summary(c, ids)
		if !ok || s.failed == 0 {
			continue
		}
		if s.failed == s.values {
			return fmt.Sprintf("all %d requests failed", s.values)
		}
		mean := decimal(s.answered*c.Scale, c.Digits)
		if mean == decimal(s.mean*c.Scale, c.Digits) {
			continue
		}
		failed = max(failed, s.failed)
		zeros = zeros && s.zeros
		without = append(without, c.Name+" "+mean)
	}
	if len(without) == 0 {
		return ""
	}
	as := "count"
	if zeros {
		as = "count as 0"
	}
	return fmt.Sprintf("%d failed requests %s; without them: %s", failed, as, strings.Join(without, ", "))
}

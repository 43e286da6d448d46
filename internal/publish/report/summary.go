package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"recallbench/internal/calc/calibrate"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

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
		if l.sums == nil {
			l.sums = make(map[sumOf]summary)
		}
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
	key := strings.Join(ids, "\x00")
	if l.intervals == nil {
		l.intervals = make(map[string]map[string]*stats.Interval)
	}
	if l.intervals[key] == nil {
		columns := slices.DeleteFunc(slices.Clone(b.known), func(c metrics.Column) bool { _, ok := l.summary(c, ids); return !ok || c.Total || c.Binary })
		series := lists.Map(columns, func(c metrics.Column) []stats.Cluster { s, _ := l.summary(c, ids); return s.clusters })
		l.intervals[key] = make(map[string]*stats.Interval)
		boot := stats.Bootstrap{Resamples: stats.Resamples, Level: stats.Level, Seed: l.run.Header.Seed}
		for k, i := range boot.Intervals(series) {
			l.intervals[key][columns[k].Name] = i
		}
	}
	if i := l.intervals[key][c.Name]; i != nil {
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
		cell.Notes = t.notes(fmt.Sprintf("f1@span decided %d answers; they count by the share of %s that an audit found right, whose error is in the interval",
			u.n, decimal(u.value/float64(u.n)*c.Scale, c.Digits)))
	}
	if s.undefined > 0 {
		cell.Notes = append(cell.Notes, t.Note(fmt.Sprintf("no value for %d of %d questions, which are left out", s.undefined, s.n+s.undefined)))
	}
	return cell
}

// bounds gives the means of a line over some categories without failed requests, which the
// main means include. It is empty if no column has a failed request that counts.
func (l *line) bounds(columns []metrics.Column, ids []string) string {
	failed := l.failures(ids)
	if failed > 0 && failed == l.count(ids)*len(l.bySeed()) {
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

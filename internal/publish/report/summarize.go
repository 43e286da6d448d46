package report

import (
	"errors"
	"slices"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// Summarize sums up the scores of a run for an index of runs: a row for each
// method with a model on a dataset, with all columns that are means of requests,
// those of the main table with their 95 % intervals. Spent are the sums of the
// run's records; a row that has none has no price and no time. Of the options only
// Metric is read.
func Summarize(r *Run, spent []record.Spent, o Options) ([]record.SummaryRow, error) {
	b, err := newBuilder(Options{Metric: o.Metric, Intervals: true}, r)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(b.read([]*Run{r}), b.selectColumns()); err != nil {
		return nil, err
	}
	var rows []record.SummaryRow
	for _, l := range b.lines {
		n, failed, _ := l.scored()
		row := record.SummaryRow{
			Dataset: l.cell.Dataset, Method: l.cell.Method, Model: l.cell.Model, Requests: n, Errors: failed,
			Cells:   lists.Map(l.bySeed(), func(seed *line) string { return seed.cell.ID }),
			Columns: make(map[string]record.SummaryMean), Categories: make(map[string]map[string]record.SummaryMean),
		}
		for _, c := range b.known {
			if mean, ok := b.summaryMean(l, c, l.ids(), hasColumn(b.columns, c.Name)); ok {
				row.Columns[c.Name] = mean
			}
		}
		for _, id := range asked([]*line{l}) {
			means := make(map[string]record.SummaryMean)
			for _, c := range b.columns {
				if mean, ok := b.summaryMean(l, c, []string{id}, false); ok {
					means[c.Name] = mean
				}
			}
			row.Categories[l.dataset.CategoryName(id)] = means
		}
		if i := slices.IndexFunc(spent, func(s record.Spent) bool {
			return s.Dataset == row.Dataset && s.Method == row.Method && s.Model == row.Model
		}); i >= 0 {
			if s := spent[i]; s.Cost != nil {
				row.USD = new(*s.Cost * float64(s.Requests))
			}
			if s := spent[i]; s.Latency != nil {
				row.Median = &s.Latency.Median
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// summaryMean is the mean of a column over some categories of a line, with its
// interval where one is asked for and there is one.
func (b *builder) summaryMean(l *line, c metrics.Column, ids []string, interval bool) (record.SummaryMean, bool) {
	s, ok := l.summary(c, ids)
	if !ok {
		return record.SummaryMean{}, false
	}
	mean := record.SummaryMean{N: s.n, Mean: s.mean}
	if !interval {
		return mean, true
	}
	if i, ok := b.interval(l, c, ids, s); ok {
		mean.Low, mean.High = &i.Lo, &i.Hi
		mean.Samples = stats.Count(s.clusters)
	}
	return mean, true
}

package report

import (
	"slices"
	"testing"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

// Summarize says what the main table says, with its intervals.
func TestSummarize(t *testing.T) {
	for _, r := range []*Run{standInRun(), seedsRun()} {
		o := fakeOptions()
		o.Intervals = true
		doc := try.Get(Build([]*Run{r}, o))(t)
		c := r.Header.Cells[0]
		spent := []record.Spent{{Dataset: c.Dataset, Method: c.Method, Model: c.Model, Requests: 4, Cost: new(0.5), Latency: &record.Latency{Median: 12}}}
		rows := try.Get(Summarize(r, spent, o))(t)
		main := doc.Tables[0]
		var columns []metrics.Column
		for _, name := range r.Header.Metrics {
			columns = append(columns, try.Get(fakeMetrics(name))(t).Columns...)
		}
		if len(rows) != len(main.Rows) {
			t.Fatalf("%s: %d rows, want %d", r.Name, len(rows), len(main.Rows))
		}
		for i, row := range rows {
			for j, column := range main.Columns {
				cell := main.Rows[i][j]
				mean, ok := row.Columns[column.Name]
				if !ok || cell.Value == nil {
					continue
				}
				at := slices.IndexFunc(columns, func(c metrics.Column) bool { return c.Name == column.Name })
				scale := columns[at].Scale
				if got := mean.Mean * scale; got != *cell.Value {
					t.Errorf("%s: %s of %s is %v, want %v", r.Name, column.Name, row.Method, got, *cell.Value)
				}
				if cell.Interval != nil && (mean.Low == nil || *mean.Low*scale != cell.Interval.Lo || *mean.High*scale != cell.Interval.Hi) {
					t.Errorf("%s: interval of %s of %s is %v, %v, want %v", r.Name, column.Name, row.Method, mean.Low, mean.High, *cell.Interval)
				}
			}
			if len(row.Cells) == 0 || len(row.Categories) == 0 {
				t.Errorf("%s: %s has cells %v and %d categories", r.Name, row.Method, row.Cells, len(row.Categories))
			}
		}
		if first := rows[0]; *first.USD != 2 || *first.Median != 12 || len(first.Cells) != max(1, len(r.Header.Seeds)) {
			t.Errorf("%s: the first row has %v dollars, %v ms, cells %v", r.Name, *first.USD, *first.Median, first.Cells)
		}
		if last := rows[len(rows)-1]; len(rows) > 1 && last.USD != nil {
			t.Errorf("%s: a row without records has a price", r.Name)
		}
	}
}

package gate

import (
	"errors"
	"fmt"
	"slices"

	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// A Subject is a run to check, or a baseline.
type Subject struct {
	*report.Run
	// Spent sums up the records; it is called only if a rule needs it.
	Spent func() ([]record.Spent, error)
}

// A rowKey names a row of tables, its category by name; if that is empty, the row is over
// all requests.
type rowKey struct{ dataset, method, model, category string }

// all returns the row of a key over all requests.
func (k rowKey) all() rowKey {
	k.category = ""
	return k
}

func keyOf(m report.Means) rowKey { return rowKey{m.Dataset, m.Method, m.Model, m.CategoryName} }

// quantities are the columns of a row that do not come from metrics: errors, and figures from
// the records.
var quantities = []metrics.Column{
	{Name: "errors", Scale: 100, Digits: 2, Lower: true},
	{Name: "cost", Scale: 1, Digits: 6, Lower: true},
	{Name: "latency-mean", Scale: 1, Digits: 3, Lower: true},
	{Name: "latency-median", Scale: 1, Digits: 3, Lower: true},
	{Name: "latency-p95", Scale: 1, Digits: 3, Lower: true},
}

func isQuantity(name string) bool {
	return slices.ContainsFunc(quantities, func(q metrics.Column) bool { return q.Name == name })
}

// spent reports whether a column comes from the records, which know no categories.
func spent(name string) bool { return isQuantity(name) && name != "errors" }

// A side is a subject with its numbers.
type side struct {
	Subject
	what string // the run or the baseline
	// header is the run's header as a baseline has it, so that paths are shortened in the
	// same way.
	header record.Header
	rows   []report.Means // with quantities behind the metrics' columns
}

// newSide reads the numbers of a subject, including those of the records if needed.
func newSide(what string, s Subject, o report.Options, withSpent bool) (*side, error) {
	rows, err := report.MeansOf(s.Run, o)
	var records []record.Spent
	if withSpent {
		var err2 error
		records, err2 = s.Spent()
		err = errors.Join(err, err2)
	}
	for i, m := range rows {
		values := []*float64{nil, nil, nil, nil, nil}
		if m.Requests > 0 {
			values[0] = new(float64(m.Failed) / float64(m.Requests))
		}
		for _, p := range records {
			if m.Category != "" || p.Dataset != m.Dataset || p.Method != m.Method || p.Model != m.Model {
				continue
			}
			values[1] = p.Cost
			if l := p.Latency; l != nil {
				values[2], values[3], values[4] = &l.Mean, &l.Median, &l.P95
			}
		}
		for j, q := range quantities {
			rows[i].Columns = append(rows[i].Columns, report.ColumnMean{Column: q, Mean: values[j], Of: metrics.Usage})
		}
	}
	return &side{Subject: s, what: what, header: record.Portable(s.Header), rows: rows}, err
}

func (s *side) row(k rowKey) (report.Means, bool) {
	if s != nil {
		for _, m := range s.rows {
			if keyOf(m) == k {
				return m, true
			}
		}
	}
	return report.Means{}, false
}

func column(m report.Means, name string) (report.ColumnMean, bool) {
	for _, c := range m.Columns {
		if c.Name == name {
			return c, true
		}
	}
	return report.ColumnMean{}, false
}

// value returns a number of a row in the unit of tables, or why there is none.
func (s *side) value(k rowKey, name string) (x *float64, why string) {
	row, ok := s.row(k)
	all, whole := s.row(k.all())
	switch {
	case !whole:
		return nil, "the " + s.what + " has no such row"
	case !ok:
		return nil, "the " + s.what + " has no question of the category"
	case all.Requests == all.Planned && all.Requests > 0:
	case s.Header.Imported():
		return nil, fmt.Sprintf("the %s has an imported answer to %d of %d questions; 'bench import --missing error' counts the others as 0", s.what, all.Requests, all.Planned)
	default:
		return nil, fmt.Sprintf("the %s is %s: %d of %d questions are scored", s.what, s.Header.Status, all.Requests, all.Planned)
	}
	c, ok := column(row, name)
	switch {
	case !ok:
		return nil, fmt.Sprintf("the %s is not scored with %s", s.what, name)
	case c.Mean == nil && name == "cost":
		return nil, "the price of a question is not known in the " + s.what
	case c.Mean == nil:
		return nil, fmt.Sprintf("no question of the %s has a value", s.what)
	}
	return new(*c.Mean * c.Scale), ""
}

package gate

import (
	"fmt"
	"slices"

	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
)

// A Subject is a run that is compared with rules, or a baseline.
type Subject struct {
	*report.Run
	// Spent sums up the records; called only where a rule asks for it.
	Spent func() ([]record.Spent, error)
	// Blessed is what is known of a baseline; nil for a run.
	Blessed *record.Baseline
}

// A rowKey names a row of tables, its category by name; over all requests where that is
// empty.
type rowKey struct{ dataset, method, model, category string }

// all returns the row of a key over all requests.
func (k rowKey) all() rowKey {
	k.category = ""
	return k
}

// A side is a subject with its numbers.
type side struct {
	Subject
	what string // the run or the baseline
	// header is that of the run as a baseline keeps it, so that a path does not
	// differ from what a baseline has of it.
	header record.Header
	rows   []report.Means
	spent  []record.Spent
}

func newSide(what string, s Subject, o report.Options) (*side, error) {
	rows, err := report.MeansOf(s.Run, o)
	return &side{Subject: s, what: what, header: record.Portable(s.Header), rows: rows}, err
}

// readSpent sums up the records, once.
func (s *side) readSpent() error {
	if s == nil || s.spent != nil {
		return nil
	}
	var err error
	s.spent, err = s.Spent()
	return err
}

func keyOf(m report.Means) rowKey { return rowKey{m.Dataset, m.Method, m.Model, m.CategoryName} }

func (s *side) row(k rowKey) (report.Means, bool) {
	if s == nil {
		return report.Means{}, false
	}
	i := slices.IndexFunc(s.rows, func(m report.Means) bool { return keyOf(m) == k })
	if i < 0 {
		return report.Means{}, false
	}
	return s.rows[i], true
}

func column(m report.Means, name string) (report.ColumnMean, bool) {
	i := slices.IndexFunc(m.Columns, func(c report.ColumnMean) bool { return c.Name == name })
	if i < 0 {
		return report.ColumnMean{}, false
	}
	return m.Columns[i], true
}

// value returns a number of a row in the unit of tables, or why there is none.
func (s *side) value(k rowKey, name string) (x *float64, why string) {
	row, ok := s.row(k)
	if !ok {
		if _, ok := s.row(k.all()); ok {
			return nil, "the " + s.what + " has no request of the category"
		}
		return nil, "the " + s.what + " has no such row"
	}
	if all, _ := s.row(k.all()); all.Requests < all.Planned || all.Requests == 0 {
		if s.Header.Imported() {
			return nil, fmt.Sprintf("the %s has an imported answer to %d of %d requests; 'bench import --missing error' counts the others as 0", s.what, all.Requests, all.Planned)
		}
		return nil, fmt.Sprintf("the %s is %s: %d of %d requests are scored", s.what, s.Header.Status, all.Requests, all.Planned)
	}
	if _, ok := quantityNamed(name); ok {
		return s.quantity(row, name)
	}
	c, ok := column(row, name)
	switch {
	case !ok:
		return nil, fmt.Sprintf("the %s is not scored with %s", s.what, name)
	case c.Mean == nil:
		return nil, fmt.Sprintf("no request of the %s has a value", s.what)
	}
	return new(*c.Mean * c.Scale), ""
}

// quantity returns a number of a row that is no metric's.
func (s *side) quantity(row report.Means, name string) (x *float64, why string) {
	if !spent(name) {
		return new(float64(row.Failed) / float64(row.Requests) * 100), ""
	}
	i := slices.IndexFunc(s.spent, func(p record.Spent) bool {
		return p.Dataset == row.Dataset && p.Method == row.Method && p.Model == row.Model
	})
	if i < 0 {
		return nil, "the " + s.what + " keeps no records of the row"
	}
	cost, latency := s.spent[i].Cost, s.spent[i].Latency
	switch {
	case name == "cost" && cost == nil:
		return nil, "the price of a request is not known in the " + s.what
	case name == "cost":
		return cost, ""
	case latency == nil:
		return nil, "no request was answered in the " + s.what
	case name == "latency-mean":
		return &latency.Mean, ""
	case name == "latency-median":
		return &latency.Median, ""
	}
	return &latency.P95, ""
}

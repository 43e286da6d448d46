package gate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// A Rule bounds columns of rows. Its selectors are names, in which * stands for
// any text; a row is selected where each of them has a name for it.
type Rule struct {
	// Name of the rule in reports; what it bounds by default.
	Name string `yaml:"name"`
	// Columns are those of metrics, or errors (failed requests, in percent), cost
	// (dollars a request), latency-mean, latency-median and latency-p95
	// (milliseconds a request), which * does not stand for.
	Columns []string `yaml:"columns"`
	// Better is "higher" or "lower": only the columns that are better so.
	Better Direction `yaml:"better"`
	// Datasets are labels; all by default.
	Datasets []string `yaml:"datasets"`
	// Methods are labels; all by default.
	Methods []string `yaml:"methods"`
	// Models are labels; all by default.
	Models []string `yaml:"models"`
	// Categories are ids or names: a row for each. By default the rule is about
	// all requests together.
	Categories []string `yaml:"categories"`

	// Min is the smallest that the mean may be, in the unit of tables.
	Min *float64 `yaml:"min"`
	// Max is the largest that the mean may be, in the unit of tables.
	Max *float64 `yaml:"max"`
	// Margin is how much worse than the baseline the mean may be, in the unit of
	// tables, which for a percentage is points.
	Margin *float64 `yaml:"margin" jsonschema:"minimum=0"`
	// Ratio is how many times the baseline the mean may be, of a column that is
	// better when lower.
	Ratio *float64 `yaml:"ratio" jsonschema:"exclusiveMinimum=0"`
	// NotWorseBy is the margin by which the mean must be shown not to be worse than the
	// baseline, in the unit of tables.
	NotWorseBy *float64 `yaml:"not_worse_by" jsonschema:"exclusiveMinimum=0"`
	// EquivalentWithin is the margin within which the mean must be shown to be that of
	// the baseline, in the unit of tables.
	EquivalentWithin *float64 `yaml:"equivalent_within" jsonschema:"exclusiveMinimum=0"`
	// Undecided is "fail" or "warn": what becomes of a margin of these two that is
	// neither shown to be kept nor to be passed. Fail by default.
	Undecided Undecided `yaml:"undecided"`
	// Warn keeps the rule from failing the gate.
	Warn bool `yaml:"warn"`
}

// Undecided says what becomes of a margin about which nothing is shown; empty for fail.
type Undecided string

// Values implements the enumeration of a rules file.
func (Undecided) Values() []string { return []string{"fail", "warn"} }

// A Direction says when a column is better; empty for either.
type Direction string

// Values implements the enumeration of a rules file.
func (Direction) Values() []string { return []string{"higher", "lower"} }

// Validate reports what makes no rule.
func (r Rule) Validate() error {
	var faults []error
	add := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if len(r.Columns) == 0 {
		add("columns is empty; want names such as f1@mem0, errors or latency-p95")
	}
	if len(r.bounds()) == 0 {
		add("bounds nothing; want min, max, margin, ratio, not_worse_by or equivalent_within")
	}
	for _, b := range r.bounds() {
		switch {
		case math.IsInf(b.limit, 0) || math.IsNaN(b.limit):
			add("%s is %v, want a finite number", b.kind, b.limit)
		case b.kind == boundMargin && b.limit < 0:
			add("margin is %v, want 0 or more: how much worse the mean may be", b.limit)
		case b.shows() && b.limit <= 0:
			add("%s is %v, want a margin above 0", b.kind, b.limit)
		case b.kind == boundRatio && b.limit <= 0:
			add("ratio is %v, want a number above 0, such as 1.1 for a tenth more", b.limit)
		}
	}
	if r.Min != nil && r.Max != nil && *r.Min > *r.Max {
		add("min is %v, which is above max, %v", *r.Min, *r.Max)
	}
	if len(r.Categories) > 0 {
		for i, c := range r.Columns {
			if q, ok := quantityNamed(c); ok && !q.byCategory {
				add("columns[%d] is %s, which is not known by category", i, c)
			}
		}
	}
	return errors.Join(faults...)
}

// title names a rule by what it bounds.
func (r Rule) title() string {
	var bounds []string
	for _, b := range r.bounds() {
		bounds = append(bounds, b.kind)
	}
	return strings.Join(bounds, "/") + " of " + strings.Join(r.Columns, ", ")
}

// A bound is one of those that a rule has.
type bound struct {
	kind  string
	limit float64
}

// The kinds of bounds.
const (
	boundMin    = "min"
	boundMax    = "max"
	boundMargin = "margin"
	boundRatio  = "ratio"

	boundNotWorse   = "not_worse_by"
	boundEquivalent = "equivalent_within"
)

// shows reports whether a bound must be shown to be kept.
func (b bound) shows() bool { return b.kind == boundNotWorse || b.kind == boundEquivalent }

// relative reports whether a bound is about the difference to the baseline.
func (b bound) relative() bool { return b.kind == boundMargin || b.kind == boundRatio || b.shows() }

func (r Rule) bounds() []bound {
	var all []bound
	for _, b := range []struct {
		kind  string
		limit *float64
	}{{boundMin, r.Min}, {boundMax, r.Max}, {boundMargin, r.Margin}, {boundRatio, r.Ratio}, {boundNotWorse, r.NotWorseBy}, {boundEquivalent, r.EquivalentWithin}} {
		if b.limit != nil {
			all = append(all, bound{b.kind, *b.limit})
		}
	}
	return all
}

// A quantity is a number of a row that is no metric's column.
type quantity struct {
	metrics.Column
	byCategory bool
	// spent is set where the number comes from the records, and not the scores:
	// it is then found by of, nil where it is not known.
	spent bool
	of    func(record.Spent) *float64
	// unknown says why the number may not be known.
	unknown string
}

func quantities() []quantity {
	latency := func(name string, of func(record.Latency) float64) quantity {
		return quantity{
			Column: metrics.Column{Name: name, Scale: 1, Digits: 3, Lower: true}, spent: true,
			of: func(s record.Spent) *float64 {
				if s.Latency == nil {
					return nil
				}
				return new(of(*s.Latency))
			},
			unknown: "no request was answered",
		}
	}
	return []quantity{
		{Column: metrics.Column{Name: "errors", Scale: 100, Digits: 2, Lower: true}, byCategory: true},
		{
			Column: metrics.Column{Name: "cost", Scale: 1, Digits: 6, Lower: true}, spent: true,
			of:      func(s record.Spent) *float64 { return s.Cost },
			unknown: "the price of a request is not known",
		},
		latency("latency-mean", func(l record.Latency) float64 { return l.Mean }),
		latency("latency-median", func(l record.Latency) float64 { return l.Median }),
		latency("latency-p95", func(l record.Latency) float64 { return l.P95 }),
	}
}

func quantityNamed(name string) (quantity, bool) {
	all := quantities()
	i := slices.IndexFunc(all, func(q quantity) bool { return q.Name == name })
	if i < 0 {
		return quantity{}, false
	}
	return all[i], true
}

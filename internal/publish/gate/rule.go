package gate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

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
	// Warn keeps the rule from failing the gate.
	Warn bool `yaml:"warn"`
}

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
		add("bounds nothing; want min, max, margin or ratio")
	}
	for _, b := range r.bounds() {
		switch {
		case math.IsInf(b.limit, 0) || math.IsNaN(b.limit):
			add("%s is %v, want a finite number", b.kind, b.limit)
		case b.kind == boundMargin && b.limit < 0:
			add("margin is %v, want 0 or more: how much worse the mean may be", b.limit)
		case b.kind == boundRatio && b.limit <= 0:
			add("ratio is %v, want a number above 0, such as 1.1 for a tenth more", b.limit)
		}
	}
	if r.Min != nil && r.Max != nil && *r.Min > *r.Max {
		add("min is %v, which is above max, %v", *r.Min, *r.Max)
	}
	if len(r.Categories) > 0 {
		for i, c := range r.Columns {
			if spent(c) {
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
)

// relative reports whether a bound is about the difference to the baseline.
func (b bound) relative() bool { return b.kind == boundMargin || b.kind == boundRatio }

func (r Rule) bounds() []bound {
	var all []bound
	for _, b := range []struct {
		kind  string
		limit *float64
	}{{boundMin, r.Min}, {boundMax, r.Max}, {boundMargin, r.Margin}, {boundRatio, r.Ratio}} {
		if b.limit != nil {
			all = append(all, bound{b.kind, *b.limit})
		}
	}
	return all
}

// quantities are the numbers of a row that are no metric's columns.
func quantities() []metrics.Column {
	return []metrics.Column{
		{Name: "errors", Scale: 100, Digits: 2, Lower: true},
		{Name: "cost", Scale: 1, Digits: 6, Lower: true},
		{Name: "latency-mean", Scale: 1, Digits: 3, Lower: true},
		{Name: "latency-median", Scale: 1, Digits: 3, Lower: true},
		{Name: "latency-p95", Scale: 1, Digits: 3, Lower: true},
	}
}

func quantityNamed(name string) (metrics.Column, bool) {
	i := slices.IndexFunc(quantities(), func(q metrics.Column) bool { return q.Name == name })
	if i < 0 {
		return metrics.Column{}, false
	}
	return quantities()[i], true
}

// spent reports whether a column comes from the records, which know no categories.
func spent(name string) bool {
	_, ok := quantityNamed(name)
	return ok && name != "errors"
}

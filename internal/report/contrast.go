package report

import (
	"errors"

	"recallbench/internal/stats"
	"recallbench/metrics"
)

// A Side is what is compared: a run, or of it the method of a label.
type Side struct {
	*Run
	Method string // label; empty for all
}

// A Contrast is one row of a comparison: the values of a column that two sides
// have for the same requests, held against each other.
type Contrast struct {
	// Dataset, Method and Model name what is compared, and BaseMethod and BaseModel
	// what it is held against where these are other labels. A row over several of
	// them has none.
	Dataset, Method, Model string
	BaseMethod, BaseModel  string
	Category               string // empty for all
	Column                 metrics.Column
	// Base and New are means, in the unit of the scores: of the pairs, or where the
	// sides cannot be paired of all requests of each.
	Base, New float64
	// Paired tells whether answers to the same requests were brought together, and
	// Unpaired why not where they were not.
	Paired   bool
	Unpaired string
	N        int // pairs, or requests of the smaller side
	Samples  int // conversations that they are about
	// EffectiveN is how many independent pairs would say as much; nil where it is
	// not known.
	EffectiveN *float64
	// Interval is the 95 % interval of New - Base, of a cluster bootstrap.
	Interval *stats.Interval
	// Test names the test that decides, and P is its p-value; Adjusted is that by
	// Holm over all rows. They are empty and nil where there is no test, for which
	// Missing gives the reason.
	Test     string
	P        *float64
	Adjusted *float64
	Missing  string
	// Detectable is the smallest difference that the test would show in four cases
	// of five; nil where it is not known.
	Detectable *float64
	// Shown tells whether a difference is shown: Adjusted is at most 0.05.
	Shown bool
}

// Difference is New - Base, in the unit of the scores.
func (c Contrast) Difference() float64 { return c.New - c.Base }

// Better reports whether the difference, shown or not, is for the better.
func (c Contrast) Better() bool { return (c.Difference() > 0) != c.Column.Lower }

// ContrastOptions say what is compared and how.
type ContrastOptions struct {
	Options
	// By says what a row is: empty for a method on a dataset, "category" for these
	// split by category, "dataset" or "method" for one row over all methods or
	// datasets.
	Rows string
}

// Contrasts holds sides against a base, and returns the rows with what a reader
// could be misled by.
func Contrasts(base Side, sides []Side, o ContrastOptions) ([]Contrast, []string, error) {
	return nil, nil, errors.ErrUnsupported
}

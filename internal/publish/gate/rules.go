package gate

import (
	"errors"
	"regexp"
	"strings"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/fault"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/publish/report"
)

// Rules are the rules that a run must satisfy.
type Rules struct {
	// FailOn are the verdicts that fail the gate: regression and insufficient data
	// by default.
	FailOn []Verdict `yaml:"fail_on"`
	// Alpha is the significance level of tests; 0.05 by default.
	Alpha float64 `yaml:"alpha" jsonschema:"exclusiveMinimum=0,exclusiveMaximum=1,default=0.05"`
	// Correct is how p-values are adjusted for the number of tests of the gate: by
	// "maxt", the default, "holm", "bh" or "none".
	Correct Correction `yaml:"correct"`
	// Unit is what the tests treat as independent: each "sample", which is a
	// conversation and the default, or each "request".
	Unit Unit `yaml:"unit"`
	// AcceptTwo tests differences of two conversations, too.
	AcceptTwo bool `yaml:"accept_two"`
	// ByCategory also checks each category with enough pairs against a margin over all
	// requests: a significant fall fails even if a gain in another category hides it. True by
	// default.
	ByCategory bool `yaml:"by_category" jsonschema:"default=true"`
	// Pairs is the smallest number of paired requests for testing a margin; 20 by default.
	Pairs int `yaml:"pairs" jsonschema:"minimum=1,default=20"`
	// Allow names settings in which run and baseline may differ and still be compared: by
	// default those of the models and of how much is retrieved, because the questions are
	// the same.
	Allow []Attribute `yaml:"allow"`
	// Rules are the rules; at least one.
	Rules []Rule `yaml:"rules"`

	doc *strictyaml.Document
}

// A Rule bounds columns of rows. Its selectors are names, in which * matches any text; a row
// is selected if it matches each selector.
type Rule struct {
	// Name of the rule in reports; what it bounds by default.
	Name string `yaml:"name"`
	// Columns are those of metrics, or errors (failed requests, in percent), cost (dollars
	// per request), latency-mean, latency-median and latency-p95 (milliseconds per request),
	// which * does not match.
	Columns []string `yaml:"columns"`
	// Better is "higher" or "lower", and selects only columns that are better this way.
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

	// Min is the smallest allowed mean, in the unit of tables.
	Min *float64 `yaml:"min"`
	// Max is the largest allowed mean, in the unit of tables.
	Max *float64 `yaml:"max"`
	// Margin is how much worse than the baseline the mean may be, in the unit of
	// tables, which for a percentage is points.
	Margin *float64 `yaml:"margin" jsonschema:"minimum=0"`
	// Ratio is how many times the baseline the mean may be, for columns in which lower is
	// better.
	Ratio *float64 `yaml:"ratio" jsonschema:"exclusiveMinimum=0"`
	// Warn keeps the rule from failing the gate.
	Warn bool `yaml:"warn"`
}

// A Correction is a way to adjust p-values.
type Correction string

// Values implements the enumeration of a rules file.
func (Correction) Values() []string { return infer.Corrections() }

// A Unit is what tests treat as independent; empty for samples.
type Unit string

// Values implements the enumeration of a rules file.
func (Unit) Values() []string {
	return []string{string(report.BySample), string(report.ByRequest)}
}

// A Direction says when a column is better; empty for either.
type Direction string

// Values implements the enumeration of a rules file.
func (Direction) Values() []string { return []string{"higher", "lower"} }

// Default returns the rules of a gate without a rules file: no column in which higher is
// better may be significantly worse than in the baseline, over all requests or in a category,
// and at most one percent more of the requests may fail.
func Default() *Rules {
	r, err := Parse("default rules", []byte(defaults))
	if err != nil {
		panic(err) // a test parses them
	}
	return r
}

// DefaultText returns the rules file that [Default] reads.
func DefaultText() string { return defaults }

const defaults = `fail_on: [regression, insufficient data]
alpha: 0.05
by_category: true
pairs: 20
rules:
  - {name: quality, columns: ["*"], better: higher, margin: 0}
  - {name: errors, columns: [errors], margin: 1}
`

// Parse reads a rules file; messages begin with its name. All faults are reported at once,
// as a *[strictyaml.Error].
func Parse(name string, data []byte) (*Rules, error) {
	doc, err := strictyaml.Parse(name, data)
	if err != nil {
		return nil, err
	}
	r := &Rules{FailOn: []Verdict{Regression, Insufficient}, Alpha: 0.05, Correct: infer.MaxT, ByCategory: true, Pairs: 20, Allow: []Attribute{"reader", "embedder", "k"}, doc: doc}
	doc.Root().Decode(r)
	if err := doc.Err(); err != nil {
		return nil, err
	}
	for i := range r.Rules {
		if rule := &r.Rules[i]; rule.Name == "" {
			rule.Name = rule.title()
		}
	}
	return r, nil
}

// Validate reports values out of range.
func (r *Rules) Validate() error {
	var faults fault.List
	faults.Want(len(r.FailOn) > 0, "fail_on is empty, so the gate would never fail; name regression, or set warn: true in rules")
	faults.Want(len(r.Rules) > 0, "rules is empty; want at least one")
	return errors.Join(faults...)
}

// Validate reports faults of a rule.
func (r Rule) Validate() error {
	var faults fault.List
	faults.Want(len(r.Columns) > 0, "columns is empty; want names such as f1@mem0, errors or latency-p95")
	faults.Want(len(r.bounds()) > 0, "has no bound; want min, max, margin or ratio")
	if r.Min != nil && r.Max != nil {
		faults.Want(*r.Min <= *r.Max, "min is %v, which is above max %v", *r.Min, *r.Max)
	}
	for i, c := range r.Columns {
		faults.Want(len(r.Categories) == 0 || !spent(c), "columns[%d] is %s, which has no values by category", i, c)
	}
	return errors.Join(faults...)
}

// title names a rule by its bounds and columns.
func (r Rule) title() string {
	kinds := lists.Map(r.bounds(), func(b bound) string { return b.kind })
	return strings.Join(kinds, "/") + " of " + strings.Join(r.Columns, ", ")
}

// A bound is one of a rule's bounds.
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

// A selector reports whether a name matches a list of patterns.
type selector func(name string) bool

// selectorOf reads patterns, in which only * is special and matches any text. Without
// patterns, every name matches.
func selectorOf(patterns []string) selector {
	if len(patterns) == 0 {
		return func(string) bool { return true }
	}
	quoted := lists.Map(patterns, func(p string) string { return strings.ReplaceAll(regexp.QuoteMeta(p), `\*`, ".*") })
	return regexp.MustCompile(`(?s)^(?:` + strings.Join(quoted, "|") + `)$`).MatchString
}

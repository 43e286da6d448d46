package gate

import (
	"errors"
	"fmt"
	"slices"

	"recallbench/internal/calc/infer"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/publish/report"
)

// Rules are what a run has to keep to.
type Rules struct {
	// FailOn are the verdicts that fail the gate: regression and insufficient data
	// by default.
	FailOn []Verdict `yaml:"fail_on"`
	// Alpha is the level at which a test shows a difference; 0.05 by default.
	Alpha float64 `yaml:"alpha" jsonschema:"exclusiveMinimum=0,exclusiveMaximum=1,default=0.05"`
	// Correct is how p-values are adjusted for the number of tests of the gate: by
	// "maxt", the default, "holm", "bh" or "none".
	Correct Correction `yaml:"correct"`
	// Unit is what the tests take for independent: each "sample", which is a
	// conversation and the default, or each "request".
	Unit Unit `yaml:"unit"`
	// AcceptTwo lets a difference of two conversations be shown.
	AcceptTwo bool `yaml:"accept_two"`
	// ByCategory holds what has a margin over all requests by category too, each
	// with enough pairs: a fall that is shown fails, also where the gain of another
	// category hides it. True by default.
	ByCategory bool `yaml:"by_category" jsonschema:"default=true"`
	// Pairs is the smallest number of paired requests that a margin is tested on;
	// 20 by default.
	Pairs int `yaml:"pairs" jsonschema:"minimum=1,default=20"`
	// Allow names differences in the settings of run and baseline that are no
	// reason not to compare them: by default those of the models and of how much is
	// retrieved, as the same questions are asked all the same.
	Allow []Attribute `yaml:"allow"`
	// Rules are what is held; at least one.
	Rules []Rule `yaml:"rules"`

	doc *strictyaml.Document
}

// A Correction is a way to adjust p-values.
type Correction string

// Values implements the enumeration of a rules file.
func (Correction) Values() []string { return infer.Corrections() }

// A Unit is what tests take for independent; empty for samples.
type Unit string

// Values implements the enumeration of a rules file.
func (Unit) Values() []string {
	return []string{string(report.BySample), string(report.ByRequest)}
}

// Default returns the rules of a gate that is given none: no column that is better
// when higher may be shown to be worse than in the baseline, over all requests or in
// a category. At most one percent more of the requests may fail.
func Default() *Rules {
	r, err := Parse("default rules", []byte(defaults))
	if err != nil {
		panic(err) // a test parses them
	}
	return r
}

// DefaultText is the rules file that [Default] reads.
func DefaultText() string { return defaults }

const defaults = `fail_on: [regression, insufficient data]
alpha: 0.05
by_category: true
pairs: 20
rules:
  - {name: quality, columns: ["*"], better: higher, margin: 0}
  - {name: errors, columns: [errors], margin: 1}
`

// Parse reads a rules file. The name stands in messages. All faults are reported
// at once, as a *[strictyaml.Error].
func Parse(name string, data []byte) (*Rules, error) {
	doc, err := strictyaml.Parse(name, data)
	if err != nil {
		return nil, err
	}
	r := &Rules{FailOn: []Verdict{Regression, Insufficient}, Alpha: 0.05, Correct: infer.MaxT, ByCategory: true, Pairs: 20, Allow: []Attribute{Reader, Embedder, K}, doc: doc}
	root := doc.Root()
	root.Decode(r)
	if err := doc.Err(); err != nil {
		return nil, err
	}
	for i := range r.Rules {
		if r.Rules[i].Name == "" {
			r.Rules[i].Name = r.Rules[i].title()
		}
	}
	return r, nil
}

// Validate reports values out of range.
func (r *Rules) Validate() error {
	var faults []error
	if !(r.Alpha > 0 && r.Alpha < 1) {
		faults = append(faults, fmt.Errorf("alpha is %v, want a level above 0 and below 1", r.Alpha))
	}
	if r.Pairs < 1 {
		faults = append(faults, fmt.Errorf("pairs is %d, want at least 1", r.Pairs))
	}
	if len(r.FailOn) == 0 {
		faults = append(faults, errors.New("fail_on is empty: such a gate never fails; name regression, or give a rule warn: true"))
	}
	if len(r.Rules) == 0 {
		faults = append(faults, errors.New("rules is empty; want at least one"))
	}
	return errors.Join(faults...)
}

// Relative reports whether a rule asks for a baseline.
func (r *Rules) Relative() bool {
	return slices.ContainsFunc(r.Rules, func(rule Rule) bool { return slices.ContainsFunc(rule.bounds(), bound.relative) })
}

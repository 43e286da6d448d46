// Package gate decides whether a run is good enough: it checks the run against rules and, if
// they need one, against a baseline.
//
// [Parse] reads rules from a file, and [Default] returns those of a gate without one.
// [Check] checks a run against them. Its [Result] has an [Outcome] for each rule, row and
// column:
//
//	regression         the bound is exceeded and, if tested, significantly
//	soft               worse than the baseline, but either not significantly or within the margin
//	stable             within the bound
//	improvement        significantly better than the baseline
//	insufficient data  nothing can be said
//
// The rules say which verdicts fail the gate. Insufficient data does by default: a
// gate that passes because nothing was compared is worse than none.
//
// A Result is written as text, Markdown, JSON and JUnit XML. None of them contains text of
// the data, so that they can be published even if the data cannot.
package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/report"
	"recallbench/metrics"
)

// A checker holds what the outcomes of a gate share.
type checker struct {
	rules       *Rules
	run, base   *side                       // base is nil for none
	tests       map[testKey]report.Contrast // with the p-values that decide
	differences map[rowKey][]Difference     // of rows over all requests
}

// A testKey names a row of a comparison.
type testKey struct {
	rowKey
	column string
}

// Check checks a run against rules and, if they need one, a baseline; base is nil for none.
// Of the options, Metric is used. A rule that needs more than there is, or selects no row,
// is an error, as a *[strictyaml.Error] with its place in the file.
func Check(rules *Rules, run Subject, base *Subject, o report.Options) (*Result, error) {
	if run.Header.Shard != nil {
		return nil, fmt.Errorf("%s is shard %d of %d, and a gate needs all of them; 'bench resume' joins them", run.Name, run.Header.Shard.Index, run.Header.Shard.Of)
	}
	c := &checker{rules: rules, tests: make(map[testKey]report.Contrast), differences: make(map[rowKey][]Difference)}
	withSpent := slices.ContainsFunc(rules.Rules, func(r Rule) bool { return slices.ContainsFunc(r.Columns, spent) })
	var err error
	if c.run, err = newSide("run", run, o, withSpent); err != nil {
		return nil, err
	}
	if base != nil {
		if c.base, err = newSide("baseline", *base, o, withSpent); err != nil {
			return nil, err
		}
	}
	checks, err := c.expand()
	if err != nil {
		return nil, err
	}
	if err := c.test(checks, o); err != nil {
		return nil, err
	}
	var checked []check
	for _, x := range checks {
		if checked = append(checked, x); c.outcome(x).Verdict != Regression {
			checked = append(checked, c.hidden(x, checks)...)
		}
	}
	return c.conclude(checked), nil
}

// test compares the tested columns with the baseline and tests the rows that some check
// reads. What decides a fall over all requests is its p-value as adjusted among the rows over
// all requests; what decides falls in categories, and gains, is that among all rows. Each step
// is two-sided at the level, and half of its false positives are falls, so that together they
// fail the gate for at most that share of runs that do not differ.
func (c *checker) test(checks []check, o report.Options) error {
	var keys []testKey
	for _, x := range checks {
		if !x.tested() {
			continue
		}
		if _, _, why := c.numbers(x); why == "" {
			keys = lists.AddNew(keys, lists.Map(append(c.categories(x), x), check.test)...)
		}
	}
	whole := func(k testKey) bool { return k.category == "" }
	for _, by := range []string{"", report.Category} {
		of := lists.Filter(keys, func(k testKey) bool { return whole(k) == (by == "") })
		if len(of) == 0 {
			continue
		}
		all, _, err := report.Contrasts(report.Side{Run: c.base.Run}, []report.Side{{Run: c.run.Run}}, report.ContrastOptions{Undecided: true, Options: report.Options{
			Metric: o.Metric, Columns: lists.Distinct(of, func(k testKey) string { return k.column }), Unit: report.Unit(c.rules.Unit), By: by,
		}})
		if err != nil {
			return err
		}
		for _, x := range all {
			if x.BaseMethod == x.Method && x.BaseModel == x.Model { // and not brought together for want of better
				c.tests[testKey{rowKey{x.Dataset, x.Method, x.Model, x.Category}, x.Column.Name}] = *x
			}
		}
	}
	keys = lists.Filter(keys, func(k testKey) bool {
		x, ok := c.tests[k]
		return ok && x.Paired && (whole(k) || x.N >= c.rules.Pairs)
	})
	for i, family := range [][]testKey{keys, lists.Filter(keys, whole)} {
		if len(family) == 0 {
			continue
		}
		rows := lists.Map(family, func(k testKey) *report.Contrast { return new(c.tests[k]) })
		report.Decide(rows, infer.Options{Alpha: c.rules.Alpha, Correct: string(c.rules.Correct), AcceptTwo: c.rules.AcceptTwo, Seed: c.base.Header.Seed})
		for n, x := range rows {
			if i == 0 || x.Worse() {
				c.tests[family[n]] = *x
			}
		}
	}
	return nil
}

// categories returns the checks of a tested bound by category, if the rules have
// by_category: a fall in one may hide behind a gain in another.
func (c *checker) categories(x check) (all []check) {
	if !c.rules.ByCategory || x.row.category != "" || !x.tested() {
		return nil
	}
	for _, k := range c.run.order {
		if _, both := c.base.rows[k]; k.category != "" && k.all() == x.row && both {
			y := x
			y.row = k
			all = append(all, y)
		}
	}
	return all
}

// hidden returns the checks of categories that fell significantly beyond the margin, but for
// those that a rule names, which have an outcome already.
func (c *checker) hidden(x check, asked []check) []check {
	return lists.Filter(c.categories(x), func(y check) bool {
		named := slices.ContainsFunc(asked, func(a check) bool { return a.tested() && a.test() == y.test() })
		return !named && c.outcome(y).Verdict == Regression
	})
}

// numbers returns the numbers that a check compares, in the unit of tables, or why it cannot
// compare them.
func (c *checker) numbers(x check) (was, now *float64, why string) {
	now, why = c.run.value(x.row, x.column.Name)
	if why != "" || !x.bound.relative() {
		return nil, now, why
	}
	if was, why = c.base.value(x.row, x.column.Name); why != "" {
		return nil, now, why
	}
	k := x.row.all()
	if _, ok := c.differences[k]; !ok {
		c.differences[k] = differences(c.run.header, c.base.header, k, c.rules.Allow)
	}
	for _, d := range c.differences[k] {
		if !d.Allowed && d.matters(x.column.Of) {
			return was, now, "not comparable: " + d.String()
		}
	}
	return was, now, ""
}

func (c *checker) outcome(x check) Outcome {
	o := Outcome{
		Rule: x.rule.Name, Dataset: x.row.dataset, Method: x.row.method, Model: x.row.model, Category: x.row.category,
		Column: x.column.Name, Bound: x.bound.kind, Limit: x.bound.limit, digits: x.column.Digits,
	}
	o.Verdict, o.Why = c.judge(x, &o)
	o.Fails = !x.rule.Warn && slices.Contains(c.rules.FailOn, o.Verdict)
	return o
}

// judge decides the verdict of a check, with its reason, and fills in its numbers.
func (c *checker) judge(x check, o *Outcome) (_ Verdict, why string) {
	if o.Baseline, o.Value, why = c.numbers(x); why != "" {
		return Insufficient, why
	}
	if !x.tested() {
		return x.judgeMean(o.Baseline, *o.Value)
	}
	r, ok := c.tests[x.test()]
	if !ok {
		return Insufficient, "run and baseline have no such row in common"
	}
	o.Pairs, o.Samples, o.Test, o.P, o.Adjusted = r.N, r.Samples, r.Test, r.P, r.Adjusted
	if r.N > 0 {
		o.Baseline, o.Value = new(r.Base*x.column.Scale), new(r.New*x.column.Scale)
	}
	if r.Interval != nil {
		o.Interval = new(r.Interval.Scale(x.column.Scale))
	}
	return x.judgeContrast(c.rules.Pairs, r)
}

// conclude returns the outcomes of checks and what they amount to.
func (c *checker) conclude(checks []check) *Result {
	r := &Result{FailOn: c.rules.FailOn, Alpha: c.rules.Alpha, Correct: c.rules.Correct, Counts: make(map[Verdict]int), Outcomes: lists.Map(checks, c.outcome)}
	r.Run = r.side(c.run.Subject)
	if c.base != nil {
		r.Baseline = new(r.side(c.base.Subject))
	}
	for _, o := range r.Outcomes {
		r.Counts[o.Verdict]++
		r.Failed = r.Failed || o.Fails
	}
	if len(c.tests) > 0 && c.rules.Unit == Unit(report.ByRequest) {
		r.Notes = append(r.Notes, "p treats questions as independent, as the rules demand; those about one conversation are not, so it finds differences too often")
	}
	var held, compared []rowKey
	for _, x := range checks {
		if j := c.run.header.FindJudge(metrics.JudgeOf(x.column.Name)); x.column.Of == metrics.Judgement && j != nil {
			r.Notes = lists.AddNew(r.Notes, x.column.Name+": "+c.run.header.Trust(j))
		}
		held = lists.AddNew(held, x.row.all())
		if x.bound.relative() {
			compared = lists.AddNew(compared, x.row.all())
		}
	}
	for _, k := range compared {
		r.Differences = append(r.Differences, c.differences[k]...)
	}
	for _, k := range c.run.order {
		if k.category == "" && !slices.Contains(held, k) {
			r.Notes = append(r.Notes, fmt.Sprintf("not compared with anything: %s on %s with %s", k.method, k.dataset, k.model))
		}
	}
	return r
}

// slack is what rounding may add to a mean, or to the difference of two.
const slack = 1e-9

// judgeMean compares an untested mean with a limit, or with the baseline's mean.
func (x check) judgeMean(base *float64, value float64) (_ Verdict, why string) {
	switch limit := x.bound.limit; {
	case x.bound.kind == boundMin && value < limit-slack:
		return Regression, fmt.Sprintf("%s is below the minimum, %s", x.number(value), x.number(limit))
	case x.bound.kind == boundMax && value > limit+slack:
		return Regression, fmt.Sprintf("%s is above the maximum, %s", x.number(value), x.number(limit))
	case x.bound.kind == boundMargin:
		switch worse := x.worse(*base, value); {
		case worse > limit+slack:
			return Regression, fmt.Sprintf("worse by %s, beyond the margin; not tested", x.number(worse))
		case worse < -limit-slack:
			return Improvement, fmt.Sprintf("better by %s; not tested", x.number(-worse))
		}
	case x.bound.kind == boundRatio:
		switch ratio := value / *base; { // NaN for 0 of 0
		case *base == 0 && value != 0:
			return Regression, "the baseline has 0"
		case ratio > limit+slack:
			return Regression, fmt.Sprintf("%.3f times the baseline, above %.3f", ratio, limit)
		case ratio*limit < 1-slack:
			return Improvement, fmt.Sprintf("%.3f times the baseline", ratio)
		}
	}
	return Stable, ""
}

// number prints a number of the check's column.
func (x check) number(value float64) string {
	return report.Decimal(value, x.column.Digits, nil).Text
}

// worse returns how much worse a value is than base.
func (x check) worse(base, value float64) float64 {
	if x.column.Lower {
		return value - base
	}
	return base - value
}

// judgeContrast compares a tested difference, of at least some pairs, with the margin.
func (x check) judgeContrast(pairs int, r report.Contrast) (_ Verdict, why string) {
	worse := x.worse(r.Base*x.column.Scale, r.New*x.column.Scale)
	beyond := worse > x.bound.limit+slack
	switch {
	case !r.Paired:
		return Insufficient, r.Unpaired
	case r.Same():
		return Stable, "" // however few
	case r.N < pairs:
		return Insufficient, fmt.Sprintf("%d paired questions, fewer than %d", r.N, pairs)
	case beyond && r.Shown:
		return Regression, fmt.Sprintf("significantly worse by %s, beyond the margin", x.number(worse))
	case beyond && r.Reason() != "" && r.Insufficient != infer.FewDiffer:
		return Insufficient, fmt.Sprintf("worse by %s, beyond the margin, but this cannot be tested: %s", x.number(worse), r.Reason())
	case beyond:
		because := strings.TrimSuffix(": "+cmp.Or(r.Reason(), r.Reach()), ": ")
		return Soft, fmt.Sprintf("worse by %s, beyond the margin, but not significantly%s", x.number(worse), because)
	case worse > 0 && r.Shown:
		return Soft, fmt.Sprintf("significantly worse by %s, but within the margin", x.number(worse))
	case worse < 0 && r.Shown:
		return Improvement, "significantly better by " + x.number(-worse)
	}
	return Stable, ""
}

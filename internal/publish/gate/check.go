package gate

import (
	"errors"
	"fmt"
	"slices"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/report"
	"recallbench/metrics"
)

// Options say how a gate reads its runs.
type Options struct {
	// Report has Metric, which finds the metrics of the runs.
	Report report.Options
	// Fallen is how many requests are listed of a regression, those that fell the
	// most; 0 lists none.
	Fallen int
}

// Check holds a run against rules, and against a baseline where they ask for one;
// base is nil where there is none. A rule that asks for more than there is, or
// that no row keeps to because none is selected, is an error: one of them is a
// *[strictyaml.Error] that tells where in the file they are.
func Check(rules *Rules, run Subject, base *Subject, o Options) (*Result, error) {
	if run.Header.Shard != nil {
		return nil, fmt.Errorf("%s is shard %d of %d, and a gate is about all of them; 'bench merge' joins them", run.Name, run.Header.Shard.Index, run.Header.Shard.Of)
	}
	c := &checker{rules: rules, fallen: o.Fallen, differences: make(map[rowKey][]Difference)}
	var err error
	if c.run, err = newSide(run, o.Report); err != nil {
		return nil, err
	}
	if base != nil {
		if c.base, err = newSide(*base, o.Report); err != nil {
			return nil, err
		}
	}
	checks, err := c.expand()
	if err != nil {
		return nil, err
	}
	c.result = &Result{FailOn: rules.FailOn, Alpha: rules.Alpha, Correct: rules.Correct, Counts: make(map[Verdict]int), Run: nameOf(run)}
	if base != nil {
		c.result.Baseline = new(nameOf(*base))
	}
	c.result.noteEdits(run)
	if base != nil {
		c.result.noteEdits(*base)
	}
	if slices.ContainsFunc(checks, func(x check) bool { return spent(x.column.Name) }) {
		if err := errors.Join(c.run.readSpent(), c.base.readSpent()); err != nil {
			return nil, err
		}
	}
	if err := c.contrast(checks, o.Report); err != nil {
		return nil, err
	}
	var held []check // of the outcomes
	for _, x := range checks {
		o := c.outcome(x)
		hidden, outcomes := []check(nil), []Outcome(nil)
		switch {
		case !x.tested():
		case o.Verdict != Regression:
			hidden, outcomes = c.hidden(x, checks)
		case x.key.category == "":
			o.Why += c.where(x)
		default:
			o.Why += c.besides(x)
		}
		held = append(append(held, x), hidden...)
		c.result.Outcomes = append(append(c.result.Outcomes, o), outcomes...)
	}
	checks = held
	c.conclude(checks)
	return c.result, nil
}

func (r *Result) noteEdits(s Subject) {
	if note := s.Header.EditedNote(); note != "" {
		r.Notes = append(r.Notes, s.Name+" was "+note)
	}
}

func nameOf(s Subject) Side {
	n := Side{Name: s.Name, Run: s.Header.ID}
	if s.Blessed != nil {
		n.Set, n.Note = s.Blessed.Set, s.Blessed.Note
	}
	return n
}

// A checker holds what the outcomes of a gate share.
type checker struct {
	rules       *Rules
	fallen      int // how many requests are listed of a regression
	run, base   *side
	contrasts   map[contrastKey]report.Contrast // not tested yet
	first       map[contrastKey]report.Contrast // of rows over all requests, tested among themselves
	whole       map[contrastKey]report.Contrast // of all rows, tested together
	differences map[rowKey][]Difference         // of rows over all requests
	result      *Result
}

// comparable reports whether both sides have a number that a check is about, and
// nothing keeps it from being compared with the other.
func (c *checker) comparable(x check) bool {
	_, now := c.run.value("run", x.key, x.column.Name)
	_, was := c.base.value("baseline", x.key, x.column.Name)
	return now == "" && was == "" && c.settingsDiffer(x) == ""
}

// settingsDiffer says what keeps a row from being compared with its baseline; empty where
// nothing does.
func (c *checker) settingsDiffer(x check) string {
	k := x.key.all()
	if _, ok := c.differences[k]; !ok {
		c.differences[k] = differences(c.run.header, c.base.header, k, c.rules.Allow)
	}
	for _, d := range c.differences[k] {
		if !d.Allowed && d.matters(x.of) {
			return "not like for like: " + d.String()
		}
	}
	return ""
}

func (c *checker) outcome(x check) Outcome {
	o := Outcome{
		Rule: x.rule.Name, Dataset: x.key.dataset, Method: x.key.method, Model: x.key.model, Category: x.categoryName,
		Column: x.column.Name, Bound: x.bound.kind, Limit: x.bound.limit, key: x.key, digits: x.column.Digits,
	}
	j := c.judge(x, &o)
	o.Verdict, o.Why = j.verdict, j.why
	o.Fails = !x.rule.Warn && slices.Contains(c.rules.FailOn, o.Verdict)
	return o
}

// judge finds the verdict of a check and fills in the numbers behind it.
func (c *checker) judge(x check, o *Outcome) judgement {
	var why string
	if o.Value, why = c.run.value("run", x.key, x.column.Name); why != "" {
		return judgement{Insufficient, why}
	}
	if !x.bound.relative() {
		return judgeLimit(x.bound, *o.Value, x.column)
	}
	if o.Baseline, why = c.base.value("baseline", x.key, x.column.Name); why != "" {
		return judgement{Insufficient, why}
	}
	if why := c.settingsDiffer(x); why != "" {
		return judgement{Insufficient, why}
	}
	switch {
	case x.bound.kind == boundRatio:
		return judgeRatio(x.bound.limit, *o.Baseline, *o.Value)
	case !x.tested():
		return judgeDifference(x.bound.limit, *o.Baseline, *o.Value, x.column)
	}
	r, ok := c.decided(x.contrastKey())
	if !ok {
		return judgement{Insufficient, "run and baseline have no such row in common"}
	}
	scale := x.column.Scale
	o.Pairs, o.Samples, o.Test, o.P, o.Adjusted = r.N, r.Samples, r.Test, r.P, r.Adjusted
	if r.N > 0 {
		o.Baseline, o.Value = new(r.Base*scale), new(r.New*scale)
	}
	if r.Interval != nil {
		o.Interval = new(r.Interval.Scale(scale))
	}
	j := c.judgeContrast(x.bound.limit, r)
	if j.verdict == Regression {
		o.Regressed = r.Fallen(c.fallen)
	}
	return j
}

// conclude sums the outcomes up.
func (c *checker) conclude(checks []check) {
	r := c.result
	for _, o := range r.Outcomes {
		r.Counts[o.Verdict]++
		r.Failed = r.Failed || o.Fails
	}
	var said []rowKey
	for _, x := range checks {
		if j := c.run.header.FindJudge(metrics.JudgeOf(x.column.Name)); x.of == metrics.Judgement && j != nil {
			r.Notes = lists.AddNew(r.Notes, x.column.Name+": "+c.run.header.Trust(j))
		}
		if k := x.key.all(); x.bound.relative() && !slices.Contains(said, k) {
			said = append(said, k)
			r.Differences = append(r.Differences, c.differences[k]...)
		}
	}
	for _, m := range c.run.rows {
		held := slices.ContainsFunc(checks, func(x check) bool { return x.key.all() == keyOf(m) })
		if m.Category == "" && !held {
			r.Notes = append(r.Notes, fmt.Sprintf("not held against anything: %s on %s with %s", m.Method, m.Dataset, m.Model))
		}
	}
}

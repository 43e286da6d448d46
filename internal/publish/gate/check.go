package gate

import (
	"fmt"
	"slices"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/report"
	"recallbench/metrics"
)

// Options set how a gate reads its runs.
type Options struct {
	// Report has Metric, which finds the metrics of the runs.
	Report report.Options
	// Fallen is how many requests to list for a regression, those that fell the most; 0
	// lists none.
	Fallen int
}

// Check checks a run against rules and, if they need one, a baseline; base is nil for none.
// A rule that needs more than there is, or selects no row, is an error, as a
// *[strictyaml.Error] with its place in the file.
func Check(rules *Rules, run Subject, base *Subject, o Options) (*Result, error) {
	if run.Header.Shard != nil {
		return nil, fmt.Errorf("%s is shard %d of %d, and a gate needs all of them; 'bench resume' joins them", run.Name, run.Header.Shard.Index, run.Header.Shard.Of)
	}
	c := &checker{rules: rules, fallen: o.Fallen, differences: make(map[rowKey][]Difference)}
	c.result = &Result{FailOn: rules.FailOn, Alpha: rules.Alpha, Correct: rules.Correct, Counts: make(map[Verdict]int)}
	c.result.Run = c.result.side(run)
	withSpent := slices.ContainsFunc(rules.Rules, func(r Rule) bool { return slices.ContainsFunc(r.Columns, spent) })
	var err error
	if c.run, err = newSide("run", run, o.Report, withSpent); err != nil {
		return nil, err
	}
	if base != nil {
		if c.base, err = newSide("baseline", *base, o.Report, withSpent); err != nil {
			return nil, err
		}
		c.result.Baseline = new(c.result.side(*base))
	}
	checks, err := c.expand()
	if err != nil {
		return nil, err
	}
	if err := c.contrast(checks, o.Report); err != nil {
		return nil, err
	}
	var held []check // of the outcomes
	for _, x := range checks {
		c.result.Outcomes = append(c.result.Outcomes, c.outcome(x))
		held = append(held, x)
		if c.result.Outcomes[len(c.result.Outcomes)-1].Verdict == Regression {
			continue
		}
		for _, y := range c.hidden(x, checks) {
			c.result.Outcomes = append(c.result.Outcomes, c.outcome(y))
			held = append(held, y)
		}
	}
	c.conclude(held)
	return c.result, nil
}

// side names a subject, and notes its accepted edits.
func (r *Result) side(s Subject) Side {
	if note := s.Header.EditedNote(); note != "" {
		r.Notes = append(r.Notes, s.Name+" was "+note)
	}
	n := Side{Name: s.Name, Run: s.Header.ID}
	if b := s.Header.Baseline; b != nil {
		n.Set, n.Note = b.Set, b.Note
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

// contrast compares the tested columns with the baseline, and tests the rows that some check
// reads: first the rows over all requests among themselves, then all rows with their
// categories.
func (c *checker) contrast(checks []check, o report.Options) error {
	columns := make(map[string][]string) // by the kind of rows
	var keys []contrastKey
	for _, x := range checks {
		if !x.tested() || !c.comparable(x) {
			continue
		}
		for _, y := range append(c.categories(x), x) {
			rows := ""
			if y.key.category != "" {
				rows = report.Category
			}
			columns[rows], keys = lists.AddNew(columns[rows], y.column.Name), lists.AddNew(keys, y.contrastKey())
		}
	}
	c.contrasts = make(map[contrastKey]report.Contrast)
	for rows, names := range columns {
		all, _, err := report.Contrasts(report.Side{Run: c.base.Run}, []report.Side{{Run: c.run.Run}}, report.ContrastOptions{
			Options: report.Options{Metric: o.Metric, Columns: names, Unit: report.Unit(c.rules.Unit), By: rows}, Undecided: true,
		})
		if err != nil {
			return err
		}
		for _, x := range all {
			if x.BaseMethod == x.Method && x.BaseModel == x.Model { // and not brought together for want of better
				c.contrasts[contrastKey{rowKey{x.Dataset, x.Method, x.Model, x.Category}, x.Column.Name}] = x
			}
		}
	}
	keys = lists.Filter(keys, func(k contrastKey) bool {
		x, ok := c.contrasts[k]
		return ok && x.Paired && (k.category == "" || x.N >= c.rules.Pairs)
	})
	c.whole = c.decide(keys)
	c.first = c.decide(lists.Filter(keys, func(k contrastKey) bool { return k.category == "" }))
	if c.rules.Unit == Unit(report.ByRequest) {
		c.result.Notes = append(c.result.Notes, "p treats questions as independent, as the rules demand; those about one conversation are not, so it finds differences too often")
	}
	return nil
}

// decide tests rows as one family.
func (c *checker) decide(keys []contrastKey) map[contrastKey]report.Contrast {
	if len(keys) == 0 {
		return nil
	}
	rows := lists.Map(keys, func(k contrastKey) *report.Contrast { return new(c.contrasts[k]) })
	report.Decide(rows, infer.Options{Alpha: c.rules.Alpha, Correct: string(c.rules.Correct), AcceptTwo: c.rules.AcceptTwo, Seed: c.base.Header.Seed})
	decided := make(map[contrastKey]report.Contrast, len(keys))
	for i, k := range keys {
		decided[k] = *rows[i]
	}
	return decided
}

// decided returns the row of a check with the p-value that decides it: for a fall over all
// requests, adjusted among the rows over all requests; for falls in categories, and gains,
// among all rows. Each step is two-sided at the level, and half of its false positives are
// falls, so that together they fail the gate for at most that share of runs that do not
// differ.
func (c *checker) decided(x check) (r report.Contrast, ok bool) {
	k := x.contrastKey()
	if r, ok = c.first[k]; ok && r.Worse() {
		return r, true
	}
	if r, ok = c.whole[k]; ok {
		return r, true
	}
	r, ok = c.contrasts[k]
	return r, ok
}

// categories returns the checks of a tested bound by category, if the rules have
// by_category: a fall in one may hide behind a gain in another.
func (c *checker) categories(x check) (all []check) {
	if !c.rules.ByCategory || x.key.category != "" || !x.tested() {
		return nil
	}
	for _, m := range c.run.rows {
		if _, both := c.base.row(keyOf(m)); m.Category != "" && keyOf(m).all() == x.key && both {
			y := x
			y.key = keyOf(m)
			all = append(all, y)
		}
	}
	return all
}

// hidden returns the checks of categories that fell significantly beyond the margin, if the
// row over all requests is not a regression. A category that a rule names has an outcome
// already.
func (c *checker) hidden(x check, asked []check) []check {
	return lists.Filter(c.categories(x), func(y check) bool {
		r, ok := c.decided(y)
		named := slices.ContainsFunc(asked, func(a check) bool { return a.tested() && a.contrastKey() == y.contrastKey() })
		return ok && r.Shown && c.comparable(y) && !named && c.outcome(y).Verdict == Regression
	})
}

// comparable reports whether both sides have the number that a check is about, and no
// setting keeps them from being compared.
func (c *checker) comparable(x check) bool {
	_, now := c.run.value(x.key, x.column.Name)
	_, was := c.base.value(x.key, x.column.Name)
	return now == "" && was == "" && c.settingsDiffer(x) == ""
}

// settingsDiffer says which setting keeps a row from being compared with its baseline; empty
// for none.
func (c *checker) settingsDiffer(x check) string {
	k := x.key.all()
	if _, ok := c.differences[k]; !ok {
		c.differences[k] = differences(c.run.header, c.base.header, k, c.rules.Allow)
	}
	for _, d := range c.differences[k] {
		if !d.Allowed && d.matters(x.column.Of) {
			return "not comparable: " + d.String()
		}
	}
	return ""
}

func (c *checker) outcome(x check) Outcome {
	o := Outcome{
		Rule: x.rule.Name, Dataset: x.key.dataset, Method: x.key.method, Model: x.key.model, Category: x.key.category,
		Column: x.column.Name, Bound: x.bound.kind, Limit: x.bound.limit, digits: x.column.Digits,
	}
	o.Verdict, o.Why = c.judge(x, &o)
	o.Fails = !x.rule.Warn && slices.Contains(c.rules.FailOn, o.Verdict)
	return o
}

// judge decides the verdict of a check, with its reason, and fills in its numbers.
func (c *checker) judge(x check, o *Outcome) (_ Verdict, why string) {
	if o.Value, why = c.run.value(x.key, x.column.Name); why != "" {
		return Insufficient, why
	}
	if !x.bound.relative() {
		return judgeMean(x.bound, 0, *o.Value, x.column.Column)
	}
	if o.Baseline, why = c.base.value(x.key, x.column.Name); why != "" {
		return Insufficient, why
	}
	if why := c.settingsDiffer(x); why != "" {
		return Insufficient, why
	}
	if !x.tested() {
		return judgeMean(x.bound, *o.Baseline, *o.Value, x.column.Column)
	}
	r, ok := c.decided(x)
	if !ok {
		return Insufficient, "run and baseline have no such row in common"
	}
	scale := x.column.Scale
	o.Pairs, o.Samples, o.Test, o.P, o.Adjusted = r.N, r.Samples, r.Test, r.P, r.Adjusted
	if r.N > 0 {
		o.Baseline, o.Value = new(r.Base*scale), new(r.New*scale)
	}
	if r.Interval != nil {
		o.Interval = new(r.Interval.Scale(scale))
	}
	verdict, why := c.judgeContrast(x.bound.limit, r)
	if verdict == Regression {
		o.Regressed = r.Fallen(c.fallen)
	}
	return verdict, why
}

// conclude summarizes the outcomes.
func (c *checker) conclude(checks []check) {
	r := c.result
	for _, o := range r.Outcomes {
		r.Counts[o.Verdict]++
		r.Failed = r.Failed || o.Fails
	}
	var held, compared []rowKey
	for _, x := range checks {
		if j := c.run.header.FindJudge(metrics.JudgeOf(x.column.Name)); x.column.Of == metrics.Judgement && j != nil {
			r.Notes = lists.AddNew(r.Notes, x.column.Name+": "+c.run.header.Trust(j))
		}
		held = lists.AddNew(held, x.key.all())
		if x.bound.relative() {
			compared = lists.AddNew(compared, x.key.all())
		}
	}
	for _, k := range compared {
		r.Differences = append(r.Differences, c.differences[k]...)
	}
	for _, m := range c.run.rows {
		if m.Category == "" && !slices.Contains(held, keyOf(m)) {
			r.Notes = append(r.Notes, fmt.Sprintf("not compared with anything: %s on %s with %s", m.Method, m.Dataset, m.Model))
		}
	}
}

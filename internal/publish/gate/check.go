package gate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/infer"
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
		return nil, fmt.Errorf("%s is shard %d of %d, and a gate is about all of them; 'bench resume' joins them", run.Name, run.Header.Shard.Index, run.Header.Shard.Of)
	}
	c := &checker{rules: rules, fallen: o.Fallen, differences: make(map[rowKey][]Difference)}
	c.result = &Result{FailOn: rules.FailOn, Alpha: rules.Alpha, Correct: rules.Correct, Counts: make(map[Verdict]int), Run: nameOf(run)}
	var err error
	if c.run, err = newSide("run", run, o.Report); err != nil {
		return nil, err
	}
	c.result.noteEdits(run)
	if base != nil {
		if c.base, err = newSide("baseline", *base, o.Report); err != nil {
			return nil, err
		}
		c.result.Baseline = new(nameOf(*base))
		c.result.noteEdits(*base)
	}
	checks, err := c.expand()
	if err != nil {
		return nil, err
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
		var hidden []check
		switch {
		case !x.tested():
		case o.Verdict != Regression:
			hidden = c.hidden(x, checks)
		case x.key.category == "":
			o.Why += c.where(x)
		default:
			o.Why += c.besides(x)
		}
		held = append(append(held, x), hidden...)
		c.result.Outcomes = append(c.result.Outcomes, o)
		for _, y := range hidden {
			o := c.outcome(y)
			o.Why += c.besides(y)
			c.result.Outcomes = append(c.result.Outcomes, o)
		}
	}
	c.conclude(held)
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

// A contrastKey names a row of a comparison.
type contrastKey struct {
	rowKey
	column string
}

func (x check) contrastKey() contrastKey { return contrastKey{x.key, x.column.Name} }

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

// contrast holds the columns that are tested against the baseline, and tests those
// rows that some check reads: first the rows over all requests among themselves, then
// all of them with their categories.
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
			Options: report.Options{Metric: o.Metric, Columns: names, Unit: report.Unit(c.rules.Unit)}, Rows: rows, Undecided: true,
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
		c.result.Notes = append(c.result.Notes, "p takes requests for independent, as the rules ask; those about one conversation are alike, so it finds differences too often")
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

// decided returns the row of a check with the p-value that decides it. A fall over all
// requests is looked for first, among the rows over all requests; falls in categories, and
// gains, among all rows. Each step is two-sided at the level, so that chance makes half of
// that of falls in it: together they fail the gate in no more than the level of runs
// that do not differ.
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

// categories returns the checks of a tested bound by category, where the rules look
// into them: a fall of one may hide behind a gain of another.
func (c *checker) categories(x check) []check {
	if !c.rules.ByCategory || x.key.category != "" || !x.tested() {
		return nil
	}
	var all []check
	for _, m := range c.run.rows {
		if _, both := c.base.row(keyOf(m)); m.Category != "" && keyOf(m).all() == x.key && both {
			y := x
			y.key = keyOf(m)
			all = append(all, y)
		}
	}
	return all
}

// hidden returns the checks of categories that fell beyond the margin, and are shown
// to, where the row over all requests is no regression. A category that a rule names has
// an outcome already.
func (c *checker) hidden(x check, asked []check) []check {
	return lists.Filter(c.categories(x), func(y check) bool {
		r, ok := c.decided(y)
		named := slices.ContainsFunc(asked, func(a check) bool { return a.tested() && a.contrastKey() == y.contrastKey() })
		return ok && r.Shown && c.comparable(y) && !named && c.outcome(y).Verdict == Regression
	})
}

// difference prints the difference of a row.
func difference(r report.Contrast) string {
	return signed(r.Difference()*r.Column.Scale, r.Column.Digits)
}

// besides says what became of all requests together.
func (c *checker) besides(x check) string {
	x.key = x.key.all()
	if r, ok := c.decided(x); ok {
		return "; all requests together " + difference(r)
	}
	return ""
}

// where names the categories in which a fall over all requests is shown.
func (c *checker) where(x check) string {
	var names []string
	for _, y := range c.categories(x) {
		if r, ok := c.decided(y); ok && r.Shown && r.Worse() {
			names = append(names, fmt.Sprintf("%s (%s)", y.key.category, difference(r)))
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return "; shown by itself in " + strings.Join(names, ", ")
}

// comparable reports whether both sides have a number that a check is about, and
// nothing keeps it from being compared with the other.
func (c *checker) comparable(x check) bool {
	_, now := c.run.value(x.key, x.column.Name)
	_, was := c.base.value(x.key, x.column.Name)
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
		Rule: x.rule.Name, Dataset: x.key.dataset, Method: x.key.method, Model: x.key.model, Category: x.key.category,
		Column: x.column.Name, Bound: x.bound.kind, Limit: x.bound.limit, key: x.key, digits: x.column.Digits,
	}
	o.Verdict, o.Why = c.judge(x, &o)
	o.Fails = !x.rule.Warn && slices.Contains(c.rules.FailOn, o.Verdict)
	return o
}

// judge finds the verdict of a check, with its reason, and fills in the numbers behind it.
func (c *checker) judge(x check, o *Outcome) (_ Verdict, why string) {
	if o.Value, why = c.run.value(x.key, x.column.Name); why != "" {
		return Insufficient, why
	}
	if !x.bound.relative() {
		return judgeLimit(x.bound, *o.Value, x.column)
	}
	if o.Baseline, why = c.base.value(x.key, x.column.Name); why != "" {
		return Insufficient, why
	}
	if why := c.settingsDiffer(x); why != "" {
		return Insufficient, why
	}
	switch {
	case x.bound.kind == boundRatio:
		return judgeRatio(x.bound.limit, *o.Baseline, *o.Value)
	case !x.tested():
		return judgeDifference(x.bound.limit, *o.Baseline, *o.Value, x.column)
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

package gate

import (
	"slices"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/report"
)

// A contrastKey names a row of a comparison.
type contrastKey struct {
	rowKey // the category by its name
	column string
}

func (x check) contrastKey() contrastKey {
	k := contrastKey{x.key, x.column.Name}
	k.category = x.categoryName
	return k
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
	for _, rows := range []string{"", report.Category} {
		if columns[rows] == nil {
			continue
		}
		co := report.ContrastOptions{
			Options: report.Options{Metric: o.Metric, Columns: columns[rows], Unit: report.Unit(c.rules.Unit)}, Rows: rows, Undecided: true,
		}
		all, _, err := report.Contrasts(report.Side{Run: c.base.Run}, []report.Side{{Run: c.run.Run}}, co)
		if err != nil {
			return err
		}
		for _, x := range all {
			if x.BaseMethod != "" && x.BaseMethod != x.Method || x.BaseModel != "" && x.BaseModel != x.Model {
				continue // rows of other labels, which were brought together for want of better
			}
			c.contrasts[contrastKey{rowKey{x.Dataset, x.Method, x.Model, x.Category}, x.Column.Name}] = x
		}
	}
	keys = slices.DeleteFunc(keys, func(k contrastKey) bool {
		x, ok := c.contrasts[k]
		return !ok || !x.Paired || k.category != "" && x.N < c.rules.Pairs
	})
	c.whole = c.decide(keys)
	c.first = c.decide(slices.DeleteFunc(slices.Clone(keys), func(k contrastKey) bool { return k.category != "" }))
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

// decided returns a row with the p-value that decides it. A fall over all requests is
// looked for first, among the rows over all requests; falls in categories, and gains,
// among all rows. Each step is two-sided at the level, so that chance makes half of
// that of falls in it: together they fail the gate in no more than the level of runs
// that do not differ.
func (c *checker) decided(k contrastKey) (x report.Contrast, ok bool) {
	if x, ok = c.first[k]; ok && x.Worse() {
		return x, true
	}
	if x, ok = c.whole[k]; ok {
		return x, true
	}
	x, ok = c.contrasts[k]
	return x, ok
}

package gate

import (
	"slices"

	"recallbench/internal/report"
	"recallbench/internal/stats"
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

// contrast holds the columns that are tested against the baseline, and adjusts the
// p-values of those rows that some rule reads.
func (c *checker) contrast(checks []check, o report.Options) error {
	columns := make(map[string][]string) // by the kind of rows
	var keys []contrastKey
	for _, x := range checks {
		if !x.tested() || !c.comparable(x) {
			continue
		}
		rows := ""
		if x.key.category != "" {
			rows = report.Category
		}
		columns[rows], keys = insert(columns[rows], x.column.Name), insert(keys, x.contrastKey())
	}
	c.contrasts, c.adjusted = make(map[contrastKey]report.Contrast), make(map[contrastKey]float64)
	for _, rows := range []string{"", report.Category} {
		if columns[rows] == nil {
			continue
		}
		co := report.ContrastOptions{
			Options: report.Options{Metric: o.Metric, Columns: columns[rows]}, Rows: rows, Unit: report.Unit(c.rules.Unit), Unadjusted: true,
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
	var p []float64
	tested := slices.DeleteFunc(slices.Clone(keys), func(k contrastKey) bool { return c.contrasts[k].P == nil || !c.contrasts[k].Paired })
	if slices.ContainsFunc(tested, func(k contrastKey) bool {
		x := c.contrasts[k]
		return x.Unit == report.ByRequest && x.Samples < x.N
	}) {
		c.result.Notes = append(c.result.Notes, "p of rows with fewer than six samples, or with unit: request, takes requests for independent; those about one sample are alike, so it finds differences too often")
	}
	c.family = 1
	if c.rules.Correct == Holm {
		c.family = len(tested)
	}
	for _, k := range tested {
		c.contrasts[k] = c.contrasts[k].Among(c.family, c.rules.Alpha)
		p = append(p, *c.contrasts[k].P)
	}
	if c.rules.Correct == Holm {
		p = stats.Holm(p)
	}
	for i, x := range p {
		c.adjusted[tested[i]] = x
	}
	return nil
}

package gate

import (
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/publish/report"
	"recallbench/internal/text/suggest"
)

// A check is a bound of a rule, for a column of a row.
type check struct {
	rule   Rule
	bound  bound
	row    rowKey
	column report.ColumnMean
}

// tested reports whether a test decides the check.
func (x check) tested() bool {
	return x.bound.kind == boundMargin && x.column.Tested() && !isQuantity(x.column.Name)
}

func (x check) test() testKey { return testKey{x.row, x.column.Name} }

// expand finds the rows and columns of each rule. It is a fault if there are none.
func (c *checker) expand() ([]check, error) {
	var checks []check
	for i, r := range c.rules.Rules {
		at := c.rules.doc.Root().At("rules", i)
		if c.base == nil && slices.ContainsFunc(r.bounds(), bound.relative) {
			at.Faultf("%s needs a baseline; give --baseline", r.title())
			continue
		}
		c.checkNames(r, at)
		if at.Faulty() {
			continue
		}
		before := len(checks)
		for _, b := range r.bounds() {
			for _, k := range c.rowsOf(r, b) {
				for _, column := range c.columnsOf(r, b, k) {
					checks = append(checks, check{r, b, k, column})
				}
			}
		}
		if len(checks) == before {
			at.Faultf("matches nothing: no row has everything that it selects, with a column that it can bound; * does not match columns that fall with the length of answers")
		}
	}
	return checks, c.rules.doc.Err()
}

// sides returns the subjects, the baseline first.
func (c *checker) sides() []*side {
	if c.base == nil {
		return []*side{c.run}
	}
	return []*side{c.base, c.run}
}

// checkNames records unknown names of a rule, and columns that cannot have its bounds.
func (c *checker) checkNames(r Rule, at strictyaml.Value) {
	have := make(map[string][]string) // by the key of the rule
	columns := make(map[string]report.ColumnMean)
	for _, s := range c.sides() {
		for _, m := range s.rows {
			for key, name := range map[string]string{"datasets": m.Dataset, "methods": m.Method, "models": m.Model} {
				have[key] = lists.AddNew(have[key], name)
			}
			if m.Category != "" {
				have["categories"] = lists.AddNew(have["categories"], m.CategoryName, m.Category)
			}
			for _, column := range m.Columns {
				columns[column.Name], have["columns"] = column, lists.AddNew(have["columns"], column.Name)
			}
		}
	}
	for _, of := range []struct {
		key, kind string
		names     []string
	}{
		{"columns", "column", r.Columns},
		{"datasets", "dataset", r.Datasets},
		{"methods", "method label", r.Methods},
		{"models", "model label", r.Models},
		{"categories", "category", r.Categories},
	} {
		for i, name := range of.names {
			if !slices.ContainsFunc(have[of.key], selectorOf([]string{name})) {
				at.At(of.key, i).Faultf("%s", suggest.Unknown(of.kind, name, have[of.key]))
			}
		}
	}
	for i, name := range r.Columns {
		column, ok := columns[name]
		switch {
		case !ok:
		case column.Neutral && slices.ContainsFunc(r.bounds(), bound.relative):
			at.At("columns", i).Faultf("%s has no better direction; bound it by min and max", name)
		case !column.Lower && r.Ratio != nil:
			at.At("columns", i).Faultf("for %s, higher is better; bound it by margin or min, not by ratio", name)
		}
	}
}

// rowsOf returns the rows that a bound is about: those of the baseline and of the run. A
// bound relative to the baseline includes a row that only the run has if the rule names its
// method.
func (c *checker) rowsOf(r Rule, b bound) (keys []rowKey) {
	datasets, methods, models, categories := selectorOf(r.Datasets), selectorOf(r.Methods), selectorOf(r.Models), selectorOf(r.Categories)
	for _, s := range c.sides() {
		for _, m := range s.rows {
			selected := datasets(m.Dataset) && methods(m.Method) && models(m.Model) && (m.Category != "") == (len(r.Categories) > 0) &&
				(m.Category == "" || categories(m.Category) || categories(m.CategoryName))
			if selected && (!b.relative() || s == c.base || slices.Contains(r.Methods, m.Method)) {
				keys = lists.AddNew(keys, keyOf(m))
			}
		}
	}
	return keys
}

// columnsOf returns the columns of a row that a bound is about: those that the rule names,
// and those matching its patterns that can have the bound and have a value. A pattern does
// not compare a column that only the run has with the baseline, and * alone does not match
// columns that fall with length.
func (c *checker) columnsOf(r Rule, b bound, k rowKey) (columns []report.ColumnMean) {
	patterns := lists.Filter(r.Columns, func(p string) bool { return strings.Contains(p, "*") })
	narrow := lists.Filter(patterns, func(p string) bool { return p != "*" })
	matches, matchesNarrow := selectorOf(patterns), selectorOf(narrow)
	var selected []string
	for _, s := range c.sides() {
		m, _ := s.row(k)
		for _, column := range m.Columns {
			fits := !b.relative() || s != c.run && !column.Neutral && column.Tested() && (b.kind != boundRatio || column.Lower)
			matched := len(narrow) > 0 && matchesNarrow(column.Name) || !column.FallsWithLength && len(patterns) > 0 && matches(column.Name)
			named := slices.Contains(r.Columns, column.Name)
			directed := r.Better == "" || !column.Neutral && column.Lower == (r.Better == "lower")
			wanted := named || fits && matched && column.Mean != nil && !isQuantity(column.Name)
			if wanted && directed && !slices.Contains(selected, column.Name) {
				selected, columns = append(selected, column.Name), append(columns, column)
			}
		}
	}
	return columns
}

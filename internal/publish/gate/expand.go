package gate

import (
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/publish/report"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
)

// A check is a bound of a rule, for a column of a row.
type check struct {
	rule   Rule
	bound  bound
	key    rowKey
	column metrics.Column
	of     metrics.Part
	mean   bool // whether the column is a mean over requests that can be tested
}

// tested reports whether the check is of a difference that a test decides.
func (x check) tested() bool { return x.bound.kind == boundMargin && x.mean }

// expand finds what each rule is about. A rule that is about nothing is a fault.
func (c *checker) expand() ([]check, error) {
	var checks []check
	for i, r := range c.rules.Rules {
		at := c.rules.doc.Root().At("rules").At(i)
		if c.base == nil && slices.ContainsFunc(r.bounds(), bound.relative) {
			at.Faultf("%s, which asks for a baseline; give --baseline", r.title())
			continue
		}
		c.checkNames(r, at)
		if at.Faulty() {
			continue
		}
		found := c.expandRule(r)
		if len(found) == 0 {
			at.Faultf("is about nothing: no row has all that it selects, with a column that it can bound; * does not stand for columns that fall with the length of answers")
		}
		checks = append(checks, found...)
	}
	return checks, c.rules.doc.Err()
}

// sides are the subjects that there are, the baseline first.
func (c *checker) sides() []*side {
	if c.base == nil {
		return []*side{c.run}
	}
	return []*side{c.base, c.run}
}

func (c *checker) checkNames(r Rule, at strictyaml.Value) {
	var datasets, methods, models, categories, columns []string
	for _, s := range c.sides() {
		for _, m := range s.rows {
			datasets, methods, models = lists.AddNew(datasets, m.Dataset), lists.AddNew(methods, m.Method), lists.AddNew(models, m.Model)
			if m.Category != "" {
				categories = lists.AddNew(categories, m.CategoryName, m.Category)
			}
			for _, column := range m.Columns {
				columns = lists.AddNew(columns, column.Name)
			}
		}
	}
	for _, q := range quantities() {
		columns = append(columns, q.Name)
	}
	for _, s := range []struct {
		key, kind string
		names     []string
		have      []string
	}{
		{"columns", "column", r.Columns, columns},
		{"datasets", "dataset", r.Datasets, datasets},
		{"methods", "method label", r.Methods, methods},
		{"models", "model label", r.Models, models},
		{"categories", "category", r.Categories, categories},
	} {
		for i, name := range s.names {
			if !slices.ContainsFunc(s.have, func(h string) bool { return matches(name, h) }) {
				at.At(s.key).At(i).Faultf("%s", suggest.Unknown(s.kind, name, s.have))
			}
		}
	}
	for i, name := range r.Columns {
		if why := c.unfit(r, name); why != "" {
			at.At("columns").At(i).Faultf("%s", why)
		}
	}
}

// unfit says why a column that a rule names cannot have its bounds.
func (c *checker) unfit(r Rule, name string) string {
	x, ok := c.columnNamed(name)
	if !ok {
		return ""
	}
	for _, b := range r.bounds() {
		switch {
		case b.relative() && x.column.Neutral:
			return name + " is neither better when higher nor when lower; bound it by min and max"
		case b.kind == boundRatio && !x.column.Lower:
			return name + " is better when higher; bound it by margin or min, and not by ratio"
		}
	}
	return ""
}

func (c *checker) columnNamed(name string) (check, bool) {
	if q, ok := quantityNamed(name); ok {
		return check{column: q, of: metrics.Usage}, true
	}
	for _, s := range c.sides() {
		for _, m := range s.rows {
			if found, ok := column(m, name); ok {
				return check{column: found.Column, of: found.Of, mean: found.Tested()}, true
			}
		}
	}
	return check{}, false
}

func (c *checker) expandRule(r Rule) []check {
	var checks []check
	for _, b := range r.bounds() {
		for _, m := range c.rowsOf(r, b) {
			for _, name := range c.columnsOf(r, b, keyOf(m)) {
				x, _ := c.columnNamed(name)
				x.rule, x.bound, x.key = r, b, keyOf(m)
				checks = append(checks, x)
			}
		}
	}
	return checks
}

// rowsOf returns the rows that a bound is about. One that is relative to the baseline
// is about the rows of the baseline, and those that only the run has where the rule
// names them. Another is about the rows of both.
func (c *checker) rowsOf(r Rule, b bound) []report.Means {
	var rows []report.Means
	for _, s := range c.sides() {
		for _, m := range s.rows {
			if !selects(r.Datasets, m.Dataset) || !selects(r.Methods, m.Method) || !selects(r.Models, m.Model) {
				continue
			}
			if m.Category == "" != (len(r.Categories) == 0) || m.Category != "" && !selects(r.Categories, m.Category) && !selects(r.Categories, m.CategoryName) {
				continue
			}
			if slices.ContainsFunc(rows, func(have report.Means) bool { return keyOf(have) == keyOf(m) }) {
				continue
			}
			if b.relative() && s == c.run && !c.named(r, m) {
				continue
			}
			rows = append(rows, m)
		}
	}
	return rows
}

// named reports whether a rule names a row that only the run has. Where the method
// is new with it, only the name of the method does.
func (c *checker) named(r Rule, m report.Means) bool {
	if slices.Contains(r.Methods, m.Method) {
		return true
	}
	known := slices.ContainsFunc(c.base.rows, func(b report.Means) bool { return b.Method == m.Method })
	return known && (slices.Contains(r.Datasets, m.Dataset) || slices.Contains(r.Models, m.Model))
}

// columnsOf returns the columns of a row that a bound is about: those that the rule
// names, and of those that it has a pattern for, those that can have the bound and have a
// value.
func (c *checker) columnsOf(r Rule, b bound, k rowKey) []string {
	var names []string
	for _, name := range r.Columns {
		if !strings.Contains(name, "*") {
			names = lists.AddNew(names, name)
		}
	}
	for _, s := range c.sides() {
		m, _ := s.row(k)
		for _, column := range m.Columns {
			fits := !b.relative() || !column.Neutral && column.Tested() && (b.kind != boundRatio || column.Lower)
			patterns := slices.DeleteFunc(slices.Clone(r.Columns), func(p string) bool { return p == "*" && column.FallsWithLength })
			if fits && column.Mean != nil && len(patterns) > 0 && selects(patterns, column.Name) {
				names = lists.AddNew(names, column.Name)
			}
		}
		if b.relative() {
			break // a column that only the run has is held against nothing
		}
	}
	return slices.DeleteFunc(names, func(name string) bool {
		x, ok := c.columnNamed(name)
		return !ok || r.Better != "" && (x.column.Neutral || x.column.Lower != (r.Better == "lower"))
	})
}

// selects reports whether a list of patterns has one for a name; an empty list has
// one for all.
func selects(patterns []string, name string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return matches(p, name) })
}

// matches reports whether a pattern stands for a name: * is any text, all else is
// itself.
func matches(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	name, ok := strings.CutPrefix(name, parts[0])
	if !ok || len(parts) == 1 {
		return ok && name == ""
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		if _, name, ok = strings.Cut(name, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(name, parts[last])
}

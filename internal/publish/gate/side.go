package gate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
)

// A Subject is a run to check, or a baseline.
type Subject struct {
	*report.Run
	// Spent sums up the records; it is called only if a rule needs it.
	Spent func() ([]record.Spent, error)
}

// A rowKey names a row of tables, its category by name; if that is empty, the row is over
// all requests.
type rowKey struct{ dataset, method, model, category string }

// all returns the row of a key over all requests.
func (k rowKey) all() rowKey {
	k.category = ""
	return k
}

// quantities are the columns of a row that do not come from metrics: errors, and figures from
// the records.
var quantities = []metrics.Column{
	{Name: "errors", Scale: 100, Digits: 2, Lower: true},
	{Name: "cost", Scale: 1, Digits: 6, Lower: true},
	{Name: "latency-mean", Scale: 1, Digits: 3, Lower: true},
	{Name: "latency-median", Scale: 1, Digits: 3, Lower: true},
	{Name: "latency-p95", Scale: 1, Digits: 3, Lower: true},
}

func isQuantity(name string) bool {
	return slices.ContainsFunc(quantities, func(q metrics.Column) bool { return q.Name == name })
}

// spent reports whether a column comes from the records, which know no categories.
func spent(name string) bool { return isQuantity(name) && name != "errors" }

// A side is a subject with its numbers.
type side struct {
	Subject
	what string // the run or the baseline
	// header is the run's header as a baseline has it, so that paths are shortened in the
	// same way.
	header record.Header
	order  []rowKey // those of rows
	rows   map[rowKey]report.Means
}

// newSide reads the numbers of a subject, including those of the records if needed.
func newSide(what string, s Subject, o report.Options, withSpent bool) (*side, error) {
	all, err := report.MeansOf(s.Run, o)
	var records []record.Spent
	if withSpent && err == nil {
		records, err = s.Spent()
	}
	side := &side{Subject: s, what: what, header: record.Portable(s.Header), rows: make(map[rowKey]report.Means)}
	for _, m := range all {
		values := make(map[string]*float64)
		if m.Requests > 0 {
			values["errors"] = new(float64(m.Failed) / float64(m.Requests))
		}
		own := func(p record.Spent) bool { return p.Dataset == m.Dataset && p.Method == m.Method && p.Model == m.Model }
		if i := slices.IndexFunc(records, own); i >= 0 && m.Category == "" {
			values["cost"] = records[i].Cost
			if l := records[i].Latency; l != nil {
				values["latency-mean"], values["latency-median"], values["latency-p95"] = &l.Mean, &l.Median, &l.P95
			}
		}
		for _, q := range quantities {
			m.Columns = append(m.Columns, report.ColumnMean{Column: q, Mean: values[q.Name], Of: metrics.Usage})
		}
		k := rowKey{m.Dataset, m.Method, m.Model, m.CategoryName}
		side.order = append(side.order, k)
		side.rows[k] = m
	}
	return side, err
}

// value returns a number of a row in the unit of tables, or why there is none.
func (s *side) value(k rowKey, name string) (x *float64, why string) {
	row, ok := s.rows[k]
	all, whole := s.rows[k.all()]
	i := slices.IndexFunc(row.Columns, func(c report.ColumnMean) bool { return c.Name == name })
	complete := all.Requests == all.Planned && all.Requests > 0
	switch {
	case !whole:
		return nil, "the " + s.what + " has no such row"
	case !ok:
		return nil, "the " + s.what + " has no question of the category"
	case !complete && s.Header.Imported():
		return nil, fmt.Sprintf("the %s has an imported answer to %d of %d questions; 'bench import --missing error' counts the others as 0", s.what, all.Requests, all.Planned)
	case !complete:
		return nil, fmt.Sprintf("the %s is %s: %d of %d questions are scored", s.what, s.Header.Status, all.Requests, all.Planned)
	case i < 0:
		return nil, fmt.Sprintf("the %s is not scored with %s", s.what, name)
	case row.Columns[i].Mean == nil && name == "cost":
		return nil, "the price of a question is not known in the " + s.what
	case row.Columns[i].Mean == nil:
		return nil, fmt.Sprintf("no question of the %s has a value", s.what)
	}
	return new(*row.Columns[i].Mean * row.Columns[i].Scale), ""
}

// An Attribute is a setting of [report.SettingsOf] that a row and its baseline must share for
// their numbers to be comparable, unless [Rules].Allow names it. Prompts, seeds and options
// other than k may always differ: gates exist to measure the effect of changing them.
type Attribute string

// Values implements the enumeration of a rules file, in the order of reports.
func (Attribute) Values() []string {
	return []string{"data", "settings", "key", "questions", "reader", "embedder", "k", "tokenizer", "judge"}
}

// attribute returns the one that a setting belongs to: judge for a named judge, else itself.
func attribute(setting string) Attribute {
	name, _, _ := strings.Cut(setting, " ")
	return Attribute(name)
}

// unsaid are settings that often differ and that no verdict depends on.
var unsaid = []string{"program", "categories", "served models"}

// A Difference is a setting in which a row and its baseline differ.
type Difference struct {
	Dataset  string `json:"dataset"`
	Method   string `json:"method"`
	Model    string `json:"model"`
	Setting  string `json:"attribute"`
	Baseline string `json:"baseline"`
	Run      string `json:"run"`
	Allowed  bool   `json:"allowed,omitempty"`
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: %s in the baseline, %s in the run", d.Setting, cmp.Or(d.Baseline, "none"), cmp.Or(d.Run, "none"))
}

// matters reports whether a difference affects a column of a metric of some part of a
// record.
func (d Difference) matters(of metrics.Part) bool {
	switch attribute(d.Setting) {
	case "tokenizer":
		return of == metrics.Usage
	case "judge":
		return of == metrics.Judgement
	case "key":
		return of != metrics.Usage && of != metrics.Rated
	}
	return true
}

// differences lists the settings in which a row and its baseline differ: first those that
// keep them from being compared, then those that may always differ. A judge that only one
// side has does not count, as the other side has no such column.
func differences(run, base record.Header, k rowKey, allow []Attribute) (all []Difference) {
	settings := func(h record.Header) map[string]string {
		return report.SettingsOf(h, lists.Filter(h.Cells, func(c record.Cell) bool { return c.Dataset == k.dataset && c.Method == k.method && c.Model == k.model }))
	}
	now, was := settings(run), settings(base)
	if now == nil || was == nil {
		return nil
	}
	decisive := Attribute("").Values()
	for _, name := range lists.AddNew(decisive, slices.Concat(slices.Sorted(maps.Keys(now)), slices.Sorted(maps.Keys(was)))...) {
		x, y, of := was[name], now[name], attribute(name)
		if x == y || of == "judge" && (x == "" || y == "") || slices.Contains(unsaid, name) {
			continue
		}
		all = append(all, Difference{
			Dataset: k.dataset, Method: k.method, Model: k.model, Setting: name, Baseline: x, Run: y,
			Allowed: !slices.Contains(decisive, string(of)) || slices.Contains(allow, of),
		})
	}
	return all
}

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
	columns := make(map[string]report.ColumnMean)
	have := make(map[string][]string) // names by key of the rule
	for _, s := range c.sides() {
		for _, k := range s.order {
			m := s.rows[k]
			for _, column := range m.Columns {
				columns[column.Name], have["columns"] = column, lists.AddNew(have["columns"], column.Name)
			}
			for key, name := range map[string]string{"datasets": k.dataset, "methods": k.method, "models": k.model} {
				have[key] = lists.AddNew(have[key], name)
			}
			if m.Category != "" {
				have["categories"] = lists.AddNew(have["categories"], m.CategoryName, m.Category)
			}
		}
	}
	for _, of := range []struct {
		key, kind string
		names     []string
	}{{"columns", "column", r.Columns}, {"datasets", "dataset", r.Datasets}, {"methods", "method label", r.Methods}, {"models", "model label", r.Models}, {"categories", "category", r.Categories}} {
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
		keys = lists.AddNew(keys, lists.Filter(s.order, func(k rowKey) bool {
			part := k.category != ""
			return datasets(k.dataset) && methods(k.method) && models(k.model) && part == (len(r.Categories) > 0) &&
				(!part || categories(k.category) || categories(s.rows[k].Category)) && (!b.relative() || s == c.base || slices.Contains(r.Methods, k.method))
		})...)
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
	for _, s := range c.sides() {
		for _, column := range s.rows[k].Columns {
			fits := !b.relative() || s != c.run && !column.Neutral && column.Tested() && (b.kind != boundRatio || column.Lower)
			matched := len(narrow) > 0 && matchesNarrow(column.Name) || !column.FallsWithLength && len(patterns) > 0 && matches(column.Name)
			wanted := slices.Contains(r.Columns, column.Name) || fits && matched && column.Mean != nil && !isQuantity(column.Name)
			directed := r.Better == "" || !column.Neutral && column.Lower == (r.Better == "lower")
			if wanted && directed && !slices.ContainsFunc(columns, func(have report.ColumnMean) bool { return have.Name == column.Name }) {
				columns = append(columns, column)
			}
		}
	}
	return columns
}

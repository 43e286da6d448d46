package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/text/termsafe"
	"recallbench/metrics"
)

// A Side is what is compared: a run, or of it the method of a label, with a model.
type Side struct {
	*Run
	Method, Model string // labels; empty for all
}

// ContrastOptions say what is compared and how.
type ContrastOptions struct {
	// Options are Metric and Columns, whose columns are compared, and how differences are
	// tested; no others are used.
	Options
	// Rows says what a row is: empty for a method on a dataset with a model,
	// "category" for these split by category, "dataset" or "method" for one row over
	// all that is on a dataset or of a method.
	Rows string
	// EquivalentWithin and NotWorseBy are margins that rows are compared with, in the
	// unit of the tables; 0 for none.
	EquivalentWithin, NotWorseBy float64
	// Undecided leaves the tests of the rows to [Decide].
	Undecided bool
}

// RowKinds are the values of [ContrastOptions].Rows.
func RowKinds() []string { return []string{Category, "dataset", "method"} }

// Contrasts holds sides against a base, and returns the rows with what a reader could
// be misled by. Cells are matched by dataset, method and model. Where both sides have
// one dataset of a name, one method on a dataset, or one model of a method, labels
// may differ.
//
// Answers are paired by sample and request id, and those of several seeds by their
// means; requests that only one side has are left out. Where the data are others,
// or no request is on both sides, the means of conversations are compared.
//
// It is an error where nothing matches, or no column is on both sides.
func Contrasts(base Side, sides []Side, o ContrastOptions) ([]Contrast, []string, error) {
	b, err := open(lists.Distinct(append([]Side{base}, sides...), func(s Side) *Run { return s.Run }), o.Options)
	if err != nil {
		return nil, nil, err
	}
	c := &compared{builder: b, rows: o.Rows}
	for _, s := range append([]Side{base}, sides...) {
		c.addSide(s)
	}
	if err := c.keepTested(); err != nil {
		return nil, nil, err
	}
	var rows []*Contrast
	var faults []error
	for i := range sides {
		of, err := c.contrasts(i + 1)
		rows, faults = append(rows, of...), append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, nil, err
	}
	if !o.Undecided {
		Decide(rows, o.infer(base.Header.Seed))
	}
	holdMargins(rows, o)
	noteLengths(rows)
	return lists.Map(rows, func(r *Contrast) Contrast { return *r }), c.notes, nil
}

// compared is the sides of a comparison, the base first.
type compared struct {
	*builder
	rows  string // what a row is, of [ContrastOptions]
	sides []comparedSide
	notes []string
}

type comparedSide struct {
	Side
	name  string // which tells it apart
	lines []*line
}

func (c *compared) note(format string, args ...any) {
	c.notes = lists.AddNew(c.notes, fmt.Sprintf(format, args...))
}

func (c *compared) addSide(s Side) {
	side := comparedSide{Side: s, name: cmp.Or(c.names[s.Run], s.Name)}
	if s.Method != "" {
		side.name += ":" + s.Method
	}
	if s.Model != "" {
		side.name += "@" + s.Model
	}
	if slices.ContainsFunc(c.sides, func(have comparedSide) bool { return have.name == side.name }) {
		side.name = fmt.Sprintf("%s (side %d)", side.name, len(c.sides)+1)
	}
	side.lines = lists.Filter(c.lines, func(l *line) bool {
		return l.run == s.Run && (s.Method == "" || l.cell.Method == s.Method) && (s.Model == "" || l.cell.Model == s.Model)
	})
	c.sides = append(c.sides, side)
}

// keepTested leaves out the selected columns that have no value of each request.
func (c *compared) keepTested() error {
	var rest []metrics.Column
	for _, column := range c.columns {
		switch {
		case column.Weight != "":
			c.note("%s is not compared: its mean is weighted by %s", column.Name, column.Weight)
		case column.Sample:
			c.note("%s is not compared: it is a number of a sample's memory, not of a request", column.Name)
		case column.Total:
			c.note("%s is not compared: it is a sum, not a mean over requests", column.Name)
		default:
			rest = append(rest, column)
		}
	}
	if c.columns = rest; len(rest) == 0 {
		return errors.New("no column to compare: none of those selected is a mean over requests")
	}
	return nil
}

// A match is two rows that are compared with each other.
type match struct {
	base, side *line
	requests   joined
	unpaired   string // why they cannot be paired; empty where they can
}

func newMatch(base, side *line) match {
	m := match{base: base, side: side, requests: joinRows(side, base)}
	if x, y := base.dataset.SHA256, side.dataset.SHA256; x != y {
		m.unpaired = fmt.Sprintf("cannot be paired: asked on other data, sha256 %s and %s", short(x), short(y))
	} else if len(m.requests) > 0 && !slices.ContainsFunc(m.requests, joint.common) {
		m.unpaired = "cannot be paired: no request is on both sides"
	}
	return m
}

// matches finds the rows of a side that have one of the base to be compared with, and
// notes which have none.
func (c *compared) matches(base, side comparedSide) ([]match, error) {
	var found []match
	var used []*line
	method, model := func(l *line) string { return l.cell.Method }, func(l *line) string { return l.cell.Model }
	for _, d := range alike([2][]*line{base.lines, side.lines}, func(l *line) string { return l.cell.Dataset }) {
		if x, y := d[0][0], d[1][0]; x.cell.Dataset != y.cell.Dataset && x.dataset.Name != y.dataset.Name {
			continue
		}
		for _, m := range alike(d, method) {
			for _, pair := range alike(m, model) {
				found, used = append(found, newMatch(pair[0][0], pair[1][0])), append(used, pair[0][0], pair[1][0])
			}
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("nothing to compare: %s has %s; %s has %s; want the same labels, or one method a side as RUN:LABEL",
			base.name, described(base.lines), side.name, described(side.lines))
	}
	for _, s := range []comparedSide{base, side} {
		alone := lists.Filter(s.lines, func(l *line) bool { return !slices.Contains(used, l) })
		if len(alone) > 0 {
			c.note("only in %s, and not compared: %s", s.name, described(alone))
		}
	}
	return found, nil
}

// alike splits two sets of rows by a label, in the order of the second, and returns the
// parts of each label that both have. Where each has one label, these may differ.
func alike(of [2][]*line, label func(*line) string) [][2][]*line {
	first, second := lists.Distinct(of[0], label), lists.Distinct(of[1], label)
	if len(first) == 1 && len(second) == 1 {
		return [][2][]*line{of}
	}
	var parts [][2][]*line
	for _, name := range second {
		if slices.Contains(first, name) {
			named := func(l *line) bool { return label(l) == name }
			parts = append(parts, [2][]*line{lists.Filter(of[0], named), lists.Filter(of[1], named)})
		}
	}
	return parts
}

// described names rows by dataset, method and model.
func described(lines []*line) string {
	names := lists.Map(lines, func(l *line) string {
		return fmt.Sprintf("%s on %s with %s", l.cell.Method, l.cell.Dataset, l.cell.Model)
	})
	return cmp.Or(termsafe.Text(strings.Join(names, ", ")), "nothing")
}

// contrasts compares a side with the base.
func (c *compared) contrasts(at int) ([]*Contrast, error) {
	base, side := c.sides[0], c.sides[at]
	found, err := c.matches(base, side)
	if err != nil {
		return nil, err
	}
	both := lists.Filter(c.columns, func(column metrics.Column) bool {
		return c.measures(base.Run, column) && c.measures(side.Run, column)
	})
	if len(both) == 0 {
		return nil, fmt.Errorf("nothing to compare: %s and %s are scored with no column that is the same", base.name, side.name)
	}
	for _, column := range c.columns {
		for _, s := range []comparedSide{base, side} {
			if !c.measures(s.Run, column) {
				c.note("%s is not compared: %s is not scored with it", column.Name, s.name)
			}
		}
	}
	c.matchNotes(base, side, found)
	var rows []*Contrast
	for _, s := range c.scopes(found) {
		j, why, left := s.requests()
		if left > 0 {
			c.note("%d of %d cells of the side left out: they %s", left, len(s.matches), why)
			why = ""
		}
		add := func(j joined, category string) {
			for _, column := range both {
				r := s.Contrast
				r.Side, r.Run, r.BaseRun = at-1, side.name, base.name
				r.Category, r.Column, r.Unpaired, r.Unit, r.row = category, column, why, c.Unit, infer.Row{Pair: at}
				r.fill(j, c.at(column.Name))
				r.leaveSame()
				if column.Neutral && r.N > 0 {
					r.Missing, r.row = neither, infer.Row{Pair: at}
				}
				rows = append(rows, &r)
			}
		}
		if c.rows != Category {
			add(j, "")
			continue
		}
		m := s.matches[0]
		for _, id := range asked([]*line{m.side, m.base}) {
			add(j.in([]string{id}, why == ""), m.side.dataset.CategoryName(id))
		}
	}
	return rows, nil
}

// A contrastScope is the matches that some rows are about, with their names.
type contrastScope struct {
	Contrast
	matches []match
}

// scopes puts matches together as the options say.
func (c *compared) scopes(found []match) []contrastScope {
	var scopes []contrastScope
	for _, m := range found {
		s := contrastScope{Contrast{
			Dataset: m.side.cell.Dataset, Method: m.side.cell.Method, Model: m.side.cell.Model,
			BaseMethod: m.base.cell.Method, BaseModel: m.base.cell.Model,
		}, []match{m}}
		switch c.rows {
		case "dataset":
			s.Method, s.BaseMethod, s.Model, s.BaseModel = "", "", "", ""
		case "method":
			s.Dataset, s.Model, s.BaseModel = "", "", ""
		}
		i := slices.IndexFunc(scopes, func(have contrastScope) bool {
			return have.Dataset == s.Dataset && have.Method == s.Method && have.Model == s.Model && have.BaseMethod == s.BaseMethod && have.BaseModel == s.BaseModel
		})
		if i < 0 {
			scopes = append(scopes, s)
		} else {
			scopes[i].matches = append(scopes[i].matches, m)
		}
	}
	return scopes
}

// requests returns the requests of a scope, and why they cannot be paired, empty where
// they can. What of several matches cannot be paired is left out where the rest can.
func (s contrastScope) requests() (j joined, why string, left int) {
	for _, m := range s.matches {
		why = cmp.Or(why, m.unpaired)
	}
	of := lists.Filter(s.matches, func(m match) bool { return m.unpaired == "" })
	if len(of) == 0 {
		return pool(s.matches, false), why, 0
	}
	return pool(of, true), why, len(s.matches) - len(of)
}

// pool brings together the requests of several matches: a request of several has
// the mean of its values. Where they are paired, it is over those matches for which
// both sides have a value.
func pool(matches []match, paired bool) joined {
	if len(matches) == 1 {
		return matches[0].requests
	}
	of := make(map[request][]joint)
	for _, m := range matches {
		for _, j := range m.requests {
			// Samples of two datasets are not the same, whatever their ids.
			j.sample = m.side.cell.Dataset + "\x00" + j.sample
			of[j.request] = append(of[j.request], j)
		}
	}
	pooled := make(joined, 0, len(of))
	for key, joints := range of {
		if common := lists.Filter(joints, joint.common); paired && len(common) > 0 {
			joints = common
		}
		pooled = append(pooled, joint{key, [2]*item{meanItem(joints, 0, paired), meanItem(joints, 1, paired)}})
	}
	slices.SortFunc(pooled, func(a, b joint) int { return compareRequests(a.request, b.request) })
	return pooled
}

// meanItem returns the mean of what joints have on a side, over those that have a
// value there, and if paired on the other side too.
func meanItem(joints []joint, side int, paired bool) *item {
	var mean *item
	var n []float64
	for _, j := range joints {
		own, other := j.items[side], j.items[1-side]
		if own == nil {
			continue
		}
		if mean == nil {
			mean, n = &item{category: own.category, values: make([]float64, len(own.values))}, make([]float64, len(own.values))
		}
		for i, x := range own.values {
			if !math.IsNaN(x) && !(paired && other != nil && math.IsNaN(other.values[i])) {
				mean.values[i] += x
				n[i]++
			}
		}
	}
	if mean != nil {
		for i := range mean.values {
			mean.values[i] /= n[i] // NaN for none
		}
	}
	return mean
}

// matchNotes says in what the rows that are compared with each other differ, and what else
// a reader of all rows could be misled by. A note that is not about all methods names them.
func (c *compared) matchNotes(base, side comparedSide, found []match) {
	var texts []string
	of := make(map[string][]string)
	about := func(m match, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		texts, of[text] = lists.AddNew(texts, text), lists.AddNew(of[text], m.side.cell.Method)
	}
	for _, m := range found {
		was, now := m.base.settings(), m.side.settings()
		for _, name := range settingNames(was, now) {
			kind, _, option := strings.Cut(name, "option ")
			own := option && kind == "" || name == "prompts" // of a method
			switch {
			case was[name] == now[name], own && m.base.cell.Use != m.side.cell.Use:
			case name == "method" && m.base.cell.Method != m.side.cell.Method, name == "data" && m.unpaired != "": // said by the rows
			default:
				about(m, "the sides differ in %s: %s in %s, %s in %s", name, cmp.Or(was[name], "none"), base.name, cmp.Or(now[name], "none"), side.name)
			}
		}
	}
	for i, s := range []comparedSide{base, side} {
		for _, m := range found {
			l := []*line{m.base, m.side}[i]
			for _, note := range c.layout(s.lines).rowNotes(l) {
				about(m, "%s", note)
			}
			if l.dataset.Caveat != "" {
				about(m, "%s", l.dataset.Caveat)
			}
			other := []*line{m.side, m.base}[i]
			others := c.layout([]comparedSide{side, base}[i].lines).judgeNotes([]*line{other}, c.columns)
			for _, note := range c.layout(s.lines).judgeNotes([]*line{l}, c.columns) {
				if !slices.Contains(others, note) {
					note = s.name + ": " + note
				}
				about(m, "%s", note)
			}
			for _, seed := range l.bySeed() {
				if n := len(lists.Filter(seed.items, func(it *item) bool { return len(it.unasked) > 0 })); n > 0 {
					about(m, "judges were not asked about %d answers of %s, for which an audit stands: its error is in no interval and no p-value here", n, s.name)
				}
			}
			if n, failed, _ := l.scored(); failed > 0 {
				about(m, "failed requests count as they do in tables, most as 0: %d of %d in %s", failed, n, s.name)
			}
			if n := len(l.seeds); n > 0 {
				about(m, "each request of %s counts by its mean over %d seeds (%s)", s.name, n, l.seed())
			}
		}
	}
	methods := lists.Distinct(found, func(m match) string { return m.side.cell.Method })
	for _, text := range texts {
		if names := of[text]; len(names) < len(methods) {
			text += " (" + strings.Join(names, ", ") + ")"
		}
		c.note("%s", text)
	}
}

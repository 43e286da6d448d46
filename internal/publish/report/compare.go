package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/text/termsafe"
	"recallbench/metrics"
)

// A Side is one side of a comparison: a run, or a method of it, with a model.
type Side struct {
	*Run
	Method, Model string // labels; empty for all
}

// ContrastOptions set what is compared and how.
type ContrastOptions struct {
	// Of Options, these are used: Metric; Columns, which are compared; those that set how
	// differences are tested; and By, if it is "category", for a row for each category.
	Options
	// EquivalentWithin and NotWorseBy are margins to test rows against, in the unit of the
	// tables; 0 for none.
	EquivalentWithin, NotWorseBy float64
	// Undecided leaves the tests of the rows to [Decide].
	Undecided bool
}

// Contrasts compares sides with a base, and returns the rows with notes on anything that
// could mislead. Cells are matched by dataset, method and model. If both sides have only
// one dataset of a name, one method on a dataset, or one model of a method, labels may
// differ.
//
// Answers are paired by sample and request id, and those of several seeds by their
// means; requests that only one side has are left out. If the data differ, or no request
// is on both sides, the means of conversations are compared.
//
// It is an error if nothing matches, or no column is on both sides.
func Contrasts(base Side, sides []Side, o ContrastOptions) ([]Contrast, []string, error) {
	b, err := open(lists.Distinct(append([]Side{base}, sides...), func(s Side) *Run { return s.Run }), o.Options)
	if err != nil {
		return nil, nil, err
	}
	c := &comparison{builder: b, base: b.side(base)}
	for _, column := range b.columns {
		if !testable(column) {
			c.note("%s is not compared: it is not an equally weighted mean over questions", column.Name)
		}
	}
	if b.columns = lists.Filter(b.columns, testable); len(b.columns) == 0 {
		return nil, nil, errors.New("no column to compare: none of the selected ones is a mean over questions")
	}
	var rows []*Contrast
	var faults []error
	for i, side := range sides {
		of, err := c.contrasts(i, b.side(side))
		rows, faults = append(rows, of...), append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, nil, err
	}
	return decided(rows, o, base.Header.Seed), c.notes, nil
}

// decided tests rows by the options.
func decided(rows []*Contrast, o ContrastOptions, seed uint64) []Contrast {
	if !o.Undecided {
		Decide(rows, o.infer(seed))
	}
	holdMargins(rows, o)
	noteLengths(rows)
	return lists.Map(rows, func(r *Contrast) Contrast { return *r })
}

// noteLengths adds a note if the sides differ in the length of answers, to columns that
// fall with length.
func noteLengths(rows []*Contrast) {
	for _, r := range rows {
		for _, w := range rows {
			same := w.Side == r.Side && w.Dataset == r.Dataset && w.Method == r.Method && w.Model == r.Model && w.Category == r.Category
			if !same || w.Column.Name != metrics.WordsSpec.Name || !r.Column.FallsWithLength || r.Same() {
				continue
			}
			if least, most := min(w.Base, w.New), max(w.Base, w.New); least > 0 && most > longer*least {
				r.Notes = append(r.Notes, fmt.Sprintf("longer answers score lower here: %s words in the base, %s in the new side", decimal(w.Base, 1), decimal(w.New, 1)))
			}
		}
	}
}

// A comparison compares sides with one base.
type comparison struct {
	*builder
	base  comparedSide
	notes []string
}

func (c *comparison) note(format string, args ...any) {
	c.notes = lists.AddNew(c.notes, fmt.Sprintf(format, args...))
}

type comparedSide struct {
	*Run
	name  string
	lines []*line
}

// side reads a side.
func (b *builder) side(s Side) comparedSide {
	side := comparedSide{s.Run, cmp.Or(b.names[s.Run], s.Name), lists.Filter(b.lines, func(l *line) bool {
		return l.run == s.Run && (s.Method == "" || l.cell.Method == s.Method) && (s.Model == "" || l.cell.Model == s.Model)
	})}
	if s.Method != "" {
		side.name += ":" + s.Method
	}
	if s.Model != "" {
		side.name += "@" + s.Model
	}
	return side
}

// A match is two rows that are compared with each other.
type match struct {
	base, side *line
	requests   joined
	unpaired   string // why they cannot be paired; empty if they can
}

func newMatch(base, side *line) match {
	m := match{base: base, side: side, requests: joinRows(side, base)}
	if x, y := base.dataset.SHA256, side.dataset.SHA256; x != y {
		m.unpaired = fmt.Sprintf("cannot be paired: the data differ, sha256 %s and %s", short(x), short(y))
	} else if len(m.requests) > 0 && !slices.ContainsFunc(m.requests, joint.common) {
		m.unpaired = "cannot be paired: no question is on both sides"
	}
	return m
}

// matches pairs the rows of a side with those of the base, and notes which have no partner.
func (c *comparison) matches(side comparedSide) ([]match, error) {
	var found []match
	var used []*line
	for _, d := range alike([2][]*line{c.base.lines, side.lines}, func(l *line) string { return l.cell.Dataset }) {
		if x, y := d[0][0], d[1][0]; x.cell.Dataset != y.cell.Dataset && x.dataset.Name != y.dataset.Name {
			continue
		}
		for _, m := range alike(d, func(l *line) string { return l.cell.Method }) {
			for _, pair := range alike(m, func(l *line) string { return l.cell.Model }) {
				found, used = append(found, newMatch(pair[0][0], pair[1][0])), append(used, pair[0][0], pair[1][0])
			}
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("nothing to compare: %s has %s; %s has %s; want the same labels, or one method for each side as RUN:LABEL",
			c.base.name, described(c.base.lines), side.name, described(side.lines))
	}
	for _, s := range []comparedSide{c.base, side} {
		alone := lists.Filter(s.lines, func(l *line) bool { return !slices.Contains(used, l) })
		if len(alone) > 0 {
			c.note("only in %s, and not compared: %s", s.name, described(alone))
		}
	}
	return found, nil
}

// alike splits two sets of rows by a label, in the order of the second, and returns the
// parts of each label that both have. If each has only one label, these may differ.
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
func (c *comparison) contrasts(at int, side comparedSide) ([]*Contrast, error) {
	found, err := c.matches(side)
	if err != nil {
		return nil, err
	}
	both := lists.Filter(c.columns, func(column metrics.Column) bool {
		measured := c.measures(c.base.Run, column) && c.measures(side.Run, column)
		if !measured {
			c.note("%s is not compared: %s or %s is not scored with it", column.Name, c.base.name, side.name)
		}
		return measured
	})
	if len(both) == 0 {
		return nil, fmt.Errorf("nothing to compare: %s and %s have no column in common", c.base.name, side.name)
	}
	c.matchNotes(found)
	var rows []*Contrast
	for _, m := range found {
		r := Contrast{
			Side: at, Run: side.name, BaseRun: c.base.name, Dataset: m.side.cell.Dataset, Method: m.side.cell.Method, Model: m.side.cell.Model,
			BaseMethod: m.base.cell.Method, BaseModel: m.base.cell.Model, Unpaired: m.unpaired, Unit: c.Unit, row: infer.Row{Pair: at + 1},
		}
		if c.By != Category {
			rows = append(rows, c.columnContrasts(r, m.requests, both)...)
			continue
		}
		for _, id := range asked([]*line{m.side, m.base}) {
			r.Category = m.side.dataset.CategoryName(id)
			rows = append(rows, c.columnContrasts(r, m.requests.in(id, m.unpaired == ""), both)...)
		}
	}
	return rows, nil
}

// columnContrasts compares some columns of requests.
func (b *builder) columnContrasts(like Contrast, requests joined, columns []metrics.Column) []*Contrast {
	return lists.Map(columns, func(column metrics.Column) *Contrast {
		r := like
		r.Column = column
		r.fill(requests, b.at(column.Name))
		r.leaveSame()
		if column.Neutral && r.N > 0 {
			r.Missing, r.row = neither, infer.Row{Pair: r.row.Pair}
		}
		return &r
	})
}

// matchNotes says in which settings matched rows differ, and what else could mislead a
// reader of all rows.
func (c *comparison) matchNotes(found []match) {
	var lines []*line
	for _, m := range found {
		pair := []*line{m.base, m.side}
		f := c.layout(pair)
		main := slices.DeleteFunc(slices.Clone(mainSettings), func(name string) bool { return name == "data" && m.unpaired != "" }) // said by the rows
		c.notes = lists.AddNew(c.notes, f.settingsDiffer(pair, main...)...)
		c.notes = lists.AddNew(c.notes, f.ownSettingsDiffer(pair, func(name string) bool {
			return name != "method" && name != "questions" && !slices.Contains(mainSettings, name)
		})...)
		lines = lists.AddNew(lines, pair...)
	}
	f := c.layout(lines)
	for _, l := range lines {
		c.notes = lists.AddNew(c.notes, f.rowNotes(l)...)
	}
	for _, about := range []func(*line) string{func(l *line) string { return l.dataset.Caveat }, unaskedNote, failedNote, meanNote} {
		c.notes = lists.AddNew(c.notes, f.each(lines, about)...)
	}
	c.notes = lists.AddNew(c.notes, f.judgeNotes(lines, c.columns)...)
}

// meanNote says which seeds the means of requests are over.
func meanNote(l *line) string {
	if len(l.seeds) == 0 {
		return ""
	}
	return fmt.Sprintf("each question counts by its mean over %d seeds (%s)", len(l.seeds), l.seed())
}

// unaskedNote says how many verdicts of a row were filled in by an audit.
func unaskedNote(l *line) string {
	n := 0
	for _, seed := range l.bySeed() {
		n += len(lists.Filter(seed.items, func(it *item) bool { return len(it.unasked) > 0 }))
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("judges were not asked about %d answers, which count by the rate of an audit; intervals and p-values here do not include its error", n)
}

// failedNote says how many requests of a row failed.
func failedNote(l *line) string {
	n, failed := l.scored()
	if failed == 0 {
		return ""
	}
	return fmt.Sprintf("failed questions count as they do in tables, usually as 0: %d of %d", failed, n)
}

package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/text/suggest"
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
// could mislead. Cells are matched by dataset, method and model; if each side has only one
// method, one model, or one label for the same dataset, these labels may differ.
//
// Answers are paired by sample and request id, and those of several seeds by their
// means; requests that only one side has are left out. If the data differ, or no request
// is on both sides, the means of conversations are compared.
//
// It is an error if nothing matches, or no column is on both sides.
func Contrasts(base Side, sides []Side, o ContrastOptions) (rows []*Contrast, notes []string, err error) {
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
	for i, side := range sides {
		of, fault := c.contrasts(i, b.side(side))
		rows, err = append(rows, of...), errors.Join(err, fault)
	}
	if err != nil {
		return nil, nil, err
	}
	decide(rows, o, base.Header.Seed)
	return rows, c.notes, nil
}

// decide tests rows by the options.
func decide(rows []*Contrast, o ContrastOptions, seed uint64) {
	if !o.Undecided {
		Decide(rows, o.infer(seed))
	}
	for _, r := range rows {
		units := r.row.Units
		if r.Column.Lower { // lower is better
			units = lists.Map(units, func(u infer.Unit) infer.Unit { u.Sum = -u.Sum; return u })
		}
		if m, ok := infer.Within(units, o.EquivalentWithin/r.Column.Scale); ok {
			r.Within = &Margin{o.EquivalentWithin, m.Same}
		}
		if m, ok := infer.Within(units, o.NotWorseBy/r.Column.Scale); ok && !r.Column.Neutral {
			r.NotWorse = &Margin{o.NotWorseBy, m.NotLess}
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

// matches pairs the rows of a side with those of the base that have the same dataset, method
// and model, and notes which have no partner. Labels may differ where each side has only one,
// but those of datasets only if they label the same one.
func (c *comparison) matches(side comparedSide) ([]match, error) {
	method := func(l *line) string { return l.cell.Method }
	var apart []func(*line) string // distinguish rows
	for _, label := range []func(*line) string{func(l *line) string { return l.cell.Dataset }, method, func(l *line) string { return l.cell.Model }} {
		if len(lists.Distinct(c.base.lines, label)) > 1 || len(lists.Distinct(side.lines, label)) > 1 {
			apart = append(apart, label)
		}
	}
	var found []match
	var used []*line
	for _, of := range byDataset(side.lines) {
		for _, l := range slices.Concat(groupBy(of, method)...) {
			i := slices.IndexFunc(c.base.lines, func(base *line) bool {
				same := base.cell.Dataset == l.cell.Dataset || base.dataset.Name == l.dataset.Name
				return same && !slices.ContainsFunc(apart, func(label func(*line) string) bool { return label(base) != label(l) })
			})
			if i >= 0 {
				found, used = append(found, newMatch(c.base.lines[i], l)), append(used, c.base.lines[i], l)
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

// columnContrasts compares some columns of requests. If the sides differ in the length of
// answers, columns that fall with it have a note.
func (b *builder) columnContrasts(like Contrast, requests joined, columns []metrics.Column) []*Contrast {
	rows := lists.Map(columns, func(column metrics.Column) *Contrast {
		r := contrastLike(like, requests, column, b.places[column.Name])
		if column.Neutral && r.N > 0 {
			r.Missing, r.row = neither, infer.Row{Pair: r.row.Pair}
		}
		return r
	})
	for _, words := range rows {
		least, most := min(words.Base, words.New), max(words.Base, words.New)
		if words.Column.Name != metrics.WordsSpec.Name || least <= 0 || most <= longer*least {
			continue
		}
		for _, r := range rows {
			if r.Column.FallsWithLength && !r.Same() {
				r.Notes = append(r.Notes, fmt.Sprintf("longer answers score lower here: %s words in the base, %s in the new side", decimal(words.Base, 1), decimal(words.New, 1)))
			}
		}
	}
	return rows
}

// matchNotes says in which settings matched rows differ, and what else could mislead a
// reader of all rows.
func (c *comparison) matchNotes(found []match) {
	var lines []*line
	for _, m := range found {
		pair := []*line{m.base, m.side}
		f := c.layout(pair)
		c.notes = lists.AddNew(c.notes, f.settingsDiffer(pair, func(name string) bool {
			return isMainSetting(name) && (name != "data" || m.unpaired == "") // which rows say
		})...)
		if m.base.cell.Use == m.side.cell.Use {
			c.notes = lists.AddNew(c.notes, f.settingsDiffer(pair, func(name string) bool {
				return name != "method" && name != "questions" && !isMainSetting(name)
			})...)
		}
		lines = lists.AddNew(lines, pair...)
	}
	f := c.layout(lines)
	for _, l := range lines {
		c.notes = lists.AddNew(c.notes, f.rowNotes(l)...)
	}
	for _, about := range []func(*line) string{
		func(l *line) string { return l.dataset.Caveat },
		func(l *line) string {
			n := 0
			for _, seed := range l.bySeed() {
				n += len(lists.Filter(seed.items, func(it *item) bool { return len(it.unasked) > 0 }))
			}
			return noteIf(n > 0, "judges were not asked about %d answers, which count by the rate of an audit; intervals and p-values here do not include its error", n)
		},
		func(l *line) string {
			n, failed := l.scored()
			return noteIf(failed > 0, "failed questions count as they do in tables, usually as 0: %d of %d", failed, n)
		},
		func(l *line) string {
			return noteIf(len(l.seeds) > 0, "each question counts by its mean over %d seeds (%s)", len(l.seeds), l.seed())
		},
	} {
		c.notes = lists.AddNew(c.notes, f.each(lines, about)...)
	}
	c.notes = lists.AddNew(c.notes, f.judgeNotes(lines, c.columns)...)
}

// Regressions counts the rows that are significantly worse than the base. It is an error
// if that could not be detected: nothing was compared, or the better direction of a column
// is unknown. Columns that fall with length count only if they were named.
func Regressions(rows []*Contrast, named bool) (worse int, err error) {
	compared := false
	why := "no row has values on both sides, except in columns that fall with the length of answers; name these with --columns"
	for _, r := range rows {
		if r.Column.FallsWithLength && !named {
			continue
		}
		compared = compared || r.Adjusted != nil || r.Same()
		if r.N > 0 && r.Reason() != "" {
			why = r.Reason()
		}
		if r.Shown && r.Worse() {
			worse++
		}
		if r.Column.Neutral && r.N > 0 && !r.Same() && r.Missing == "" {
			err = fmt.Errorf("%s differs, but a regression cannot be detected without knowing the better direction; give it as in --column %[1]s=better:higher", r.Column.Name)
		}
	}
	if err == nil && !compared {
		err = fmt.Errorf("nothing could be tested, so a regression cannot be detected: %s", why)
	}
	return worse, err
}

// contrast compares a column of two rows. The pair numbers the two sides.
func (b *builder) contrast(m match, c metrics.Column, pair int) *Contrast {
	x := &Contrast{line: m.side, base: m.base, Column: c, Unit: b.Unit, Unpaired: m.unpaired, row: infer.Row{Pair: pair}}
	x.fill(m.requests, b.places[c.Name])
	return x
}

// against compares every other row with the row of a label with the same model, in some
// columns, as one family.
func (f layout) against(label string, lines []*line, columns []metrics.Column) (family []*Contrast) {
	for pair, l := range lines {
		if l.cell.Method == label {
			continue
		}
		var m match
		base := baseOf(label, l, lines)
		if base != nil {
			m = newMatch(base, l)
		}
		for _, c := range columns {
			if base != nil {
				family = append(family, f.contrast(m, c, pair))
			} else {
				family = append(family, &Contrast{line: l, Column: c, Paired: true, Missing: fmt.Sprintf("there is no single row %s with the model %s", label, l.cell.Model)})
			}
		}
	}
	Decide(family, f.infer(lines[0].run.Header.Seed))
	return family
}

// baseOf returns the row that l is compared with: among those with a label and the model of
// l, the one of its run and seed, or of its run, or the only one; nil for none.
func baseOf(label string, l *line, lines []*line) *line {
	for _, fits := range []func(*line) bool{
		func(o *line) bool { return o.run == l.run && o.seed() == l.seed() },
		func(o *line) bool { return o.run == l.run },
		func(*line) bool { return true },
	} {
		fit := lists.Filter(lines, func(o *line) bool { return o.cell.Method == label && o.cell.Model == l.cell.Model && fits(o) })
		if len(fit) == 1 {
			return fit[0]
		}
	}
	return nil
}

// label returns the label of a method as the rows write it.
func (b *builder) label(name string) (string, error) {
	labels := lists.Distinct(b.lines, func(l *line) string { return l.cell.Method })
	i := slices.IndexFunc(labels, func(label string) bool { return strings.EqualFold(label, name) })
	if i < 0 {
		return "", errors.New(suggest.Unknown("method label", name, labels))
	}
	return labels[i], nil
}

// differenceNote describes differences to a row.
func differenceNote(base string) string {
	return fmt.Sprintf("the row minus %s, over the questions that both have, each by its mean over the seeds; failed questions count as they do in the means", base)
}

// againstTables lays out the differences of the rows of a dataset to those of a
// method, with tests.
func (b *builder) againstTables(lines []*line) []*Table {
	f := b.layout(lines)
	label := lines[0].dataset.Label
	t := &Table{Name: label + " against " + b.Against, Title: label + ", differences to " + b.Against}
	t.NoteTitle("difference: " + differenceNote(b.Against))
	family := f.against(b.Against, lines, b.columnsTested())
	names := lists.Map(f.parts, func(p namePart) Field[*Contrast] {
		return TextField(p.name, func(x *Contrast) string { return p.of(x.line) })
	})
	b.fillFamily(t, family, shownFields{names: repeating(names...), interval: b.Intervals})
	return []*Table{t}
}

// meanCell returns the mean of a column over all requests of a row, and nothing else.
func meanCell(l *line, c metrics.Column) Cell {
	s, ok := l.all(c)
	if !ok {
		return Cell{}
	}
	return scaled(&s.mean, c.Scale, c.Digits)
}

// ranks returns the ranks that rows may have in a column.
func (b *builder) ranks(lines []*line, c metrics.Column, o infer.Options) []infer.Rank {
	sign := 1.0
	if c.Lower {
		sign = -1
	}
	return infer.Ranks(len(lines), func(i, j int) []infer.Unit {
		x := b.contrast(newMatch(lines[j], lines[i]), c, 0)
		if !x.Paired {
			return nil
		}
		return lists.Map(x.row.Units, func(u infer.Unit) infer.Unit { u.Sum *= sign; return u })
	}, o)
}

// controls are the names of methods that a memory has to beat, and baselines of those that
// are not memories.
var (
	controls  = []string{"grep", "placebo"}
	baselines = append([]string{"stateless", "recent", "oracle"}, controls...)
)

// notBeaten returns the labels of the controls among the lines of a model that no memory
// among them beats significantly in a column.
func (b *builder) notBeaten(lines []*line, c metrics.Column) (labels []string) {
	memories := lists.Filter(lines, func(l *line) bool { return !slices.Contains(baselines, l.cell.Use) })
	for _, control := range lines {
		if len(memories) == 0 || !slices.Contains(controls, control.cell.Use) {
			continue
		}
		of := append([]*line{control}, memories...)
		family := b.layout(of).against(control.cell.Method, of, []metrics.Column{c})
		if !slices.ContainsFunc(family, func(x *Contrast) bool { return x.Shown && x.Better() }) {
			labels = lists.AddNew(labels, control.cell.Method)
		}
	}
	return labels
}

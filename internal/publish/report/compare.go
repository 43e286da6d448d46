package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
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
		r := contrastLike(like, requests, column, b.places[column.Name])
		if column.Neutral && r.N > 0 {
			r.Missing, r.row = neither, infer.Row{Pair: r.row.Pair}
		}
		return r
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
	return noteIf(len(l.seeds) > 0, "each question counts by its mean over %d seeds (%s)", len(l.seeds), l.seed())
}

// unaskedNote says how many verdicts of a row were filled in by an audit.
func unaskedNote(l *line) string {
	n := 0
	for _, seed := range l.bySeed() {
		n += len(lists.Filter(seed.items, func(it *item) bool { return len(it.unasked) > 0 }))
	}
	return noteIf(n > 0, "judges were not asked about %d answers, which count by the rate of an audit; intervals and p-values here do not include its error", n)
}

// failedNote says how many requests of a row failed.
func failedNote(l *line) string {
	n, failed := l.scored()
	return noteIf(failed > 0, "failed questions count as they do in tables, usually as 0: %d of %d", failed, n)
}

// Regressions counts the rows that are significantly worse than the base. It is an error
// if that could not be detected: nothing was compared, or the better direction of a column
// is unknown. Columns that fall with length count only if they were named.
func Regressions(rows []Contrast, named bool) (worse int, err error) {
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
	x := &Contrast{Column: c, Unit: b.Unit, Unpaired: m.unpaired, row: infer.Row{Pair: pair}}
	x.fill(m.requests, b.places[c.Name])
	return x
}

// against compares every row with the row of a label with the same model, in some columns,
// as one family. It returns the contrasts of each row, and the row that it is compared with,
// which for rows of that label is the row itself.
func (f layout) against(label string, lines []*line, columns []metrics.Column) (of map[*line][]*Contrast, bases map[*line]*line, family []*Contrast) {
	of, bases = make(map[*line][]*Contrast), make(map[*line]*line)
	for pair, l := range lines {
		if l.cell.Method == label {
			bases[l] = l
			continue
		}
		var m match
		if bases[l] = baseOf(label, l, lines); bases[l] != nil {
			m = newMatch(bases[l], l)
		}
		for _, c := range columns {
			x := &Contrast{Column: c, Paired: true, Missing: fmt.Sprintf("there is no single row %s with the model %s", label, l.cell.Model)}
			if bases[l] != nil {
				x = f.contrast(m, c, pair)
			}
			of[l], family = append(of[l], x), append(family, x)
		}
	}
	Decide(family, f.infer(lines[0].run.Header.Seed))
	return of, bases, family
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

// findLabels sets the labels of the options to those that the rows write, or reports one
// that no row has, and finds the full method of an ablation.
func (b *builder) findLabels() (err error) {
	if b.Against != "" {
		b.Against, err = b.label(b.Against)
	}
	return errors.Join(err, b.findFull())
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
	of, _, family := f.against(b.Against, lines, b.columnsTested())
	rows := make(map[*Contrast]*line)
	for l, contrasts := range of {
		for _, c := range contrasts {
			rows[c] = l
		}
	}
	names := lists.Map(f.named(), func(c Field[*line]) Field[*Contrast] {
		return Field[*Contrast]{c.Column, func(x *Contrast) Cell { return c.Of(rows[x]) }}
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

// placeOf prints the ranks that a row may have.
func placeOf(r infer.Rank) string {
	if r.Lowest == r.Highest {
		return strconv.Itoa(r.Lowest)
	}
	return fmt.Sprintf("%d–%d", r.Lowest, r.Highest)
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
		_, _, family := b.layout(of).against(control.cell.Method, of, []metrics.Column{c})
		if !slices.ContainsFunc(family, func(x *Contrast) bool { return x.Shown && x.Better() }) {
			labels = lists.AddNew(labels, control.cell.Method)
		}
	}
	return labels
}

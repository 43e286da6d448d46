package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
)

// ContrastTable lays out the rows of [Contrasts], with their notes: a table for
// each side. With all, columns are added that tell how a row came about; without,
// the table is as wide as a terminal.
func ContrastTable(rows []Contrast, notes []string, o ContrastOptions, all bool) *Document {
	d := &Document{Tables: []*Table{}}
	for side := 0; ; side++ {
		of := lists.Filter(rows, func(r Contrast) bool { return r.Side == side })
		if len(of) == 0 {
			return d
		}
		t := &Table{Name: of[0].Run + " against " + of[0].BaseRun, Title: of[0].Run + " against " + of[0].BaseRun}
		t.NoteTitle(notes...)
		d.Tables = append(d.Tables, t)
		named := t.nameContrasts(of, all)
		t.addContrasts(named, lists.Map(rows, func(r Contrast) *Contrast { return &r }), shownFields{means: true, interval: true, all: all}, o)
	}
}

// A named is a row of a table of contrasts: the cells that name it, and what was found.
type named struct {
	names []Cell
	*Contrast
}

// nameContrasts heads the columns that name rows, as far as they differ between rows; the
// title has what they share.
func (t *Table) nameContrasts(rows []Contrast, all bool) []named {
	one := rows[0]
	dataset := func(r Contrast) string { return r.Dataset }
	method := func(r Contrast) string { return besides(r.Method, r.BaseMethod) }
	model := func(r Contrast) string { return besides(r.Model, r.BaseModel) }
	several := func(name func(Contrast) string) bool {
		return slices.ContainsFunc(rows, func(r Contrast) bool { return name(r) != name(one) || all && name(r) != "" })
	}
	if !several(dataset) && one.Method != "" && one.Dataset != "" {
		t.Title += " on " + one.Dataset
	}
	if !several(model) && one.Model != "" {
		t.Title += ", model " + model(one)
	}
	out := lists.Map(rows, func(r Contrast) named { return named{Contrast: &r} })
	add := func(name string, in bool, of func(Contrast) string) {
		if !in {
			return
		}
		t.Columns = append(t.Columns, Column{Name: name, Repeats: true})
		for i, r := range rows {
			out[i].names = append(out[i].names, text(of(r)))
		}
	}
	add("dataset", several(dataset) || one.Method == "" && one.Dataset != "", dataset)
	add("method", one.Method != "", method)
	add("model", several(model), model)
	add("category", slices.ContainsFunc(rows, func(r Contrast) bool { return r.Category != "" }), func(r Contrast) string { return r.Category })
	return out
}

// besides names what is compared with something else.
func besides(name, base string) string {
	if name == base {
		return name
	}
	return name + " against " + base
}

// shownFields says which columns a table of contrasts has beside the difference and its test.
type shownFields struct {
	means, interval, all bool
	marks                bool // in place of a table of contrasts: marks alone
}

// addContrasts adds rows, with their columns behind those that name them, and what has to
// be said of the tests. Adjustments are over a family.
func (t *Table) addContrasts(rows []named, family []*Contrast, show shownFields, o ContrastOptions) {
	t.Rows = [][]Cell{}
	for _, r := range rows {
		t.Rows = append(t.Rows, r.names)
	}
	add := func(in bool, c Column, cell func(Contrast) Cell) {
		if !in {
			return
		}
		t.Columns = append(t.Columns, c)
		for i, r := range rows {
			t.Rows[i] = append(t.Rows[i], cell(*r.Contrast))
		}
	}
	number := func(in bool, name, head string, cell func(Contrast) Cell) {
		add(in, Column{Name: name, Head: head, Number: true}, cell)
	}
	scaledBy := func(of func(Contrast) *float64) func(Contrast) Cell {
		return func(r Contrast) Cell { return scaled(of(r), r.Column.Scale, r.Column.Digits) }
	}
	mean := func(of func(Contrast) float64) func(Contrast) Cell {
		return scaledBy(func(r Contrast) *float64 {
			if r.N == 0 {
				return nil
			}
			return new(of(r))
		})
	}
	add(true, Column{Name: "metric"}, func(r Contrast) Cell { return text(r.Column.Name, t.notes(r.Notes...)...) })
	number(show.means, "base", "", mean(func(r Contrast) float64 { return r.Base }))
	number(show.means, "new", "", mean(func(r Contrast) float64 { return r.New }))
	number(true, "difference", "", func(r Contrast) Cell { return r.differenceCell(show.interval) })
	add(true, Column{Name: "verdict"}, t.verdictCell)
	add(show.all, Column{Name: "test"}, func(r Contrast) Cell { return text(r.Test) })
	add(show.all, Column{Name: "unit"}, func(r Contrast) Cell {
		if r.P == nil {
			return Cell{}
		}
		return text(string(r.Unit))
	})
	number(true, "p", "", func(r Contrast) Cell { return pCell(r.P) })
	number(o.Correct != infer.None, "p-adjusted", infer.CorrectionHead(o.Correct), func(r Contrast) Cell { return pCell(r.Adjusted) })
	margin := func(size float64, name, head string, of func(Contrast) *Margin) {
		number(size > 0, name, fmt.Sprintf(head, size), func(r Contrast) Cell {
			if m := of(r); m != nil {
				return pCell(&m.P)
			}
			return Cell{}
		})
	}
	margin(o.EquivalentWithin, "p-equivalent", "p (within %g)", func(r Contrast) *Margin { return r.Within })
	margin(o.NotWorseBy, "p-not-worse", "p (not worse by %g)", func(r Contrast) *Margin { return r.NotWorse })
	number(true, "pairs", "", t.pairsCell)
	number(show.all, "higher", "", func(r Contrast) Cell { return count(r.Higher) })
	number(show.all, "lower", "", func(r Contrast) Cell { return count(r.Lower) })
	number(true, "samples", "", func(r Contrast) Cell { return count(r.Samples) })
	number(show.all, "effective-n", "effective n", func(r Contrast) Cell { return scaled(r.EffectiveN, 1, 0) })
	number(true, "detectable", "", scaledBy(func(r Contrast) *float64 { return r.Detectable }))
	few := slices.ContainsFunc(rows, func(r named) bool { return r.AtSix != nil })
	number(show.means && few || show.all, "detectable-six", fmt.Sprint("with ", infer.FlipUnits), scaledBy(func(r Contrast) *float64 { return r.AtSix }))
	t.NoteTitle(testNotes(lists.Map(rows, func(r named) *Contrast { return r.Contrast }), family, show, o)...)
}

// differenceCell prints the difference, with its interval where that is asked for.
func (c *Contrast) differenceCell(interval bool) Cell {
	if c.N == 0 {
		return Cell{}
	}
	cell := Cell{Value: new(c.Difference() * c.Column.Scale)}
	cell.Text = signed(*cell.Value, c.Column.Digits)
	if interval && c.Interval != nil {
		cell.Interval = new(c.Interval.Scale(c.Column.Scale))
		cell.Text += fmt.Sprintf(" (%s, %s)", signed(cell.Interval.Lo, c.Column.Digits), signed(cell.Interval.Hi, c.Column.Digits))
	}
	return cell
}

func (t *Table) verdictCell(c Contrast) Cell {
	cell := text(c.Verdict())
	switch why := c.Reason(); {
	case c.Same():
	case c.Missing != "":
		cell.Notes = append(cell.Notes, t.Note("no test: "+why))
	case why != "":
		cell.Notes = append(cell.Notes, t.Note(why))
	}
	if !c.Paired && c.Unpaired != "" {
		cell.Notes = append(cell.Notes, t.Note(c.Unpaired+"; means of "+c.Unit.noun()+"s are compared"))
	}
	return cell
}

// pairsCell counts the pairs of a row, or says what is compared in their place.
func (t *Table) pairsCell(c Contrast) Cell {
	if c.Paired {
		return count(c.N)
	}
	return Cell{Notes: []int{t.Note(fmt.Sprintf("means of %ss, each counting once, over %s of the base and %d of the new side", c.Unit.noun(), Plural(c.Of[0], "request"), c.Of[1]))}}
}

// scaled prints a number of the unit of the scores in that of a column; nil is none.
func scaled(x *float64, scale float64, digits int) Cell {
	if x == nil {
		return Cell{}
	}
	return Cell{Text: decimal(*x*scale, digits), Value: new(*x * scale)}
}

// pCell prints a p-value, nil for none: those too small for four decimals by a bound, as
// their digits depend on the tails of the assumption.
func pCell(p *float64) Cell {
	switch {
	case p == nil:
		return Cell{}
	case *p < 0.0001:
		return Cell{Text: "<0.0001", Value: p}
	}
	return Cell{Text: strconv.FormatFloat(*p, 'f', 4, 64), Value: p}
}

// adjustments say how p-values are adjusted over some tests, by correction.
var adjustments = map[string]string{
	infer.None: "not adjusted for the %s: one in 20 without any difference is found to differ by chance",
	infer.BH:   "adjusted by Benjamini and Hochberg over %s: of the differences that are shown one in 20 may be chance",
	infer.Holm: "adjusted by Holm over %s",
	infer.MaxT: "adjusted over %s by max-T of joint flips, or Holm where these do not decide",
}

// testNotes say what rows are and how they were tested; the adjustment is over a family.
// Each is a fixed sentence behind what it explains; docs/comparing.md has more on each.
func testNotes(rows, family []*Contrast, show shownFields, o ContrastOptions) []string {
	var notes []string
	add := func(in bool, format string, args ...any) {
		if in {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	has := func(is func(*Contrast) bool) bool { return slices.ContainsFunc(rows, is) }
	by := func(test string) bool { return has(func(r *Contrast) bool { return r.Test == test }) }
	unit := o.Unit.noun()
	add(!show.marks && has(func(r *Contrast) bool { return r.Paired }), "pairs: answers to the same request on both sides, by sample and id")
	add(by(infer.SignFlip), "p: sign flips of %ss, exact or %d", unit, infer.Draws)
	add(by(infer.CR2), "p: t by the CR2 error of fewer than %d %ss", infer.FlipUnits, unit)
	add(by(infer.Permutation), "p: permutation of whole %ss, as nothing is paired", unit)
	add(o.Unit == ByRequest && has(func(r *Contrast) bool { return r.P != nil }),
		"p takes requests for independent of each other, as --unit request asks; those about one conversation are alike, so it finds differences too often")
	adjusted := lists.Filter(family, func(r *Contrast) bool { return r.Adjusted != nil })
	correct := cmp.Or(o.Correct, infer.MaxT)
	if correct == infer.MaxT && !slices.ContainsFunc(family, func(r *Contrast) bool { return r.Test == infer.SignFlip }) {
		correct = infer.Holm
	}
	add(len(adjusted) > 0, "~: p is above %g and no difference is shown, which is not to say that there is none; p is "+adjustments[correct], alpha, Plural(len(adjusted), "test"))
	add(has(func(r *Contrast) bool {
		return r.Insufficient != "" && r.Insufficient != infer.NoUnits && r.Units > 0
	}), "insufficient: no difference could be shown, however large; --accept-two accepts two conversations, and --unit request takes requests for independent")
	add(show.interval && has(func(r *Contrast) bool { return r.Interval != nil }), "in parentheses the %g %% interval of the difference, by the same test, not adjusted", 100*stats.Level)
	add(o.EquivalentWithin > 0 || o.NotWorseBy > 0, "margins: one-sided t-tests by the CR2 error at 5 %%, for equivalence two of them, not adjusted; undecided: neither a difference nor a margin is shown")
	add(!show.marks && has(func(r *Contrast) bool { return r.Detectable != nil }), "detectable: the smallest difference that is shown in %g %% of comparisons like this one, before any adjustment", 100*infer.Power)
	add(show.means && has(func(r *Contrast) bool { return r.AtSix != nil }), "with %d: the same of %[1]d conversations with the same spread, where there are fewer", infer.FlipUnits)
	add(has(func(r *Contrast) bool { return r.Same() }), "=: all pairs have the same value on both sides, and there is nothing to test")
	return notes
}

package report

import (
	"cmp"
	"fmt"
	"slices"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
)

// ContrastTable lays out the rows of [Contrasts], with their notes: a table for
// each side. With all, it adds columns that tell how a row was computed; without,
// the table fits a terminal.
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
		show := shownFields{names: t.contrastNames(of, all), means: true, interval: true, all: all}
		t.fillContrasts(lists.Map(of, func(r Contrast) *Contrast { return &r }), show, o)
		t.NoteTitle(testNotes(lists.Map(rows, func(r Contrast) *Contrast { return &r }), show, o)...)
	}
}

// contrastNames returns the columns that name rows, if they differ between rows; the title
// has what all share.
func (t *Table) contrastNames(rows []Contrast, all bool) []tableColumn[*Contrast] {
	one := rows[0]
	parts := []tableColumn[*Contrast]{
		textColumn("dataset", func(r *Contrast) string { return r.Dataset }),
		textColumn("method", func(r *Contrast) string { return besides(r.Method, r.BaseMethod) }),
		textColumn("model", func(r *Contrast) string { return besides(r.Model, r.BaseModel) }),
		textColumn("category", func(r *Contrast) string { return r.Category }),
	}
	named := lists.Filter(parts, func(c tableColumn[*Contrast]) bool {
		same := !slices.ContainsFunc(rows, func(r Contrast) bool { return c.of(&r).Text != c.of(&one).Text })
		shared := same && c.of(&one).Text != "" && !all
		switch {
		case shared && c.Name == "dataset":
			t.Title += " on " + one.Dataset
		case shared && c.Name == "model":
			t.Title += ", model " + c.of(&one).Text
		}
		return !same || c.of(&one).Text != "" && (all || c.Name == "method" || c.Name == "category")
	})
	return repeating(named...)
}

// repeating marks columns whose value often repeats from row to row.
func repeating[R any](columns ...tableColumn[R]) []tableColumn[R] {
	for i := range columns {
		columns[i].Repeats = true
	}
	return columns
}

// besides names what is compared with something else.
func besides(name, base string) string {
	if name == base {
		return name
	}
	return name + " against " + base
}

// shownFields sets which columns a table of contrasts has besides the difference and its test.
type shownFields struct {
	names                []tableColumn[*Contrast]
	means, interval, all bool
	marks                bool // only marks, in place of a table of contrasts
}

// fillContrasts lays out rows.
func (t *Table) fillContrasts(rows []*Contrast, show shownFields, o ContrastOptions) {
	columns := slices.Clone(show.names)
	add := func(in bool, name, head string, of func(*Contrast) Cell) {
		if in {
			columns = append(columns, tableColumn[*Contrast]{Column{Name: name, Head: head, Number: true}, of})
		}
	}
	scaledBy := func(of func(*Contrast) *float64) func(*Contrast) Cell {
		return func(r *Contrast) Cell { return scaled(of(r), r.Column.Scale, r.Column.Digits) }
	}
	mean := func(of func(*Contrast) float64) func(*Contrast) Cell {
		return func(r *Contrast) Cell {
			if r.N == 0 {
				return Cell{}
			}
			return scaled(new(of(r)), r.Column.Scale, r.Column.Digits)
		}
	}
	marginP := func(m *Margin) Cell {
		if m == nil {
			return Cell{}
		}
		return PValue(&m.P)
	}
	columns = append(columns, tableColumn[*Contrast]{Column{Name: "metric"}, func(r *Contrast) Cell { return text(r.Column.Name, t.notes(r.Notes...)...) }})
	add(show.means, "base", "", mean(func(r *Contrast) float64 { return r.Base }))
	add(show.means, "new", "", mean(func(r *Contrast) float64 { return r.New }))
	add(true, "difference", "", func(r *Contrast) Cell { return r.differenceCell(show.interval) })
	columns = append(columns, tableColumn[*Contrast]{Column{Name: "verdict"}, t.verdictCell})
	if show.all {
		columns = append(columns, textColumn("test", func(r *Contrast) string { return r.Test }), textColumn("unit", func(r *Contrast) string { return string(r.Unit) }))
	}
	add(true, "p", "", func(r *Contrast) Cell { return PValue(r.P) })
	add(o.Correct != infer.None, "p-adjusted", infer.CorrectionHead(o.Correct), func(r *Contrast) Cell { return PValue(r.Adjusted) })
	add(o.EquivalentWithin > 0, "p-equivalent", fmt.Sprintf("p (within %g)", o.EquivalentWithin), func(r *Contrast) Cell { return marginP(r.Within) })
	add(o.NotWorseBy > 0, "p-not-worse", fmt.Sprintf("p (not worse by %g)", o.NotWorseBy), func(r *Contrast) Cell { return marginP(r.NotWorse) })
	add(true, "pairs", "", t.pairsCell)
	add(show.all, "higher", "", func(r *Contrast) Cell { return Whole(r.Higher) })
	add(show.all, "lower", "", func(r *Contrast) Cell { return Whole(r.Lower) })
	add(true, "samples", "", func(r *Contrast) Cell { return Whole(r.Samples) })
	add(show.all, "effective-n", "effective n", func(r *Contrast) Cell { return scaled(r.EffectiveN, 1, 0) })
	add(true, "detectable", "", scaledBy(func(r *Contrast) *float64 { return r.Detectable }))
	few := slices.ContainsFunc(rows, func(r *Contrast) bool { return r.AtSix != nil })
	add(show.means && few || show.all, "detectable-six", fmt.Sprint("with ", infer.FlipUnits), scaledBy(func(r *Contrast) *float64 { return r.AtSix }))
	fill(t, rows, columns...)
}

// fillFamily lays out contrasts of the rows of a run, with the notes on their tests.
func (b *builder) fillFamily(t *Table, family []*Contrast, show shownFields) {
	o := ContrastOptions{Options: b.Options}
	t.fillContrasts(family, show, o)
	t.NoteTitle(testNotes(family, show, o)...)
}

// differenceCell prints the difference, with its interval if requested.
func (c *Contrast) differenceCell(interval bool) Cell {
	if c.N == 0 {
		return Cell{}
	}
	var i *stats.Interval
	if interval && c.Interval != nil {
		i = new(c.Interval.Scale(c.Column.Scale))
	}
	return Change(c.Difference()*c.Column.Scale, c.Column.Digits, i)
}

func (t *Table) verdictCell(c *Contrast) Cell {
	cell := text(c.Verdict())
	if !c.Same() {
		cell.Notes = t.notes(c.Reason(), c.Unpaired)
	}
	return cell
}

// pairsCell counts the pairs of a row, or says what is compared instead.
func (t *Table) pairsCell(c *Contrast) Cell {
	if c.Paired {
		return Whole(c.N)
	}
	return Cell{Notes: t.notes(fmt.Sprintf("means of %ss, each counting once, over %d questions of the base and %d of the new side", c.Unit.noun(), c.Of[0], c.Of[1]))}
}

// adjustments describes how p-values are adjusted, by correction.
var adjustments = map[string]string{
	infer.None: "not adjusted: without any difference, one in 20 is significant by chance",
	infer.BH:   "adjusted by Benjamini and Hochberg: one in 20 of the significant differences may be chance",
	infer.Holm: "adjusted by Holm",
	infer.MaxT: "adjusted by max-T of joint flips, or by Holm where these are not used",
}

// testNotes says how rows of a family were tested, in fixed sentences that docs/comparing.md
// explains.
func testNotes(family []*Contrast, show shownFields, o ContrastOptions) []string {
	var notes []string
	add := func(in bool, format string, args ...any) {
		if in {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	has := func(is func(*Contrast) bool) bool { return slices.ContainsFunc(family, is) }
	by := func(test string) bool { return has(func(r *Contrast) bool { return r.Test == test }) }
	unit, wide := o.Unit.noun(), !show.marks
	add(wide && has(func(r *Contrast) bool { return r.Paired }), "pairs: answers to the same question on both sides, by conversation and id")
	add(by(infer.SignFlip), "p: sign flips of %ss, exact or %d", unit, infer.Draws)
	add(by(infer.CR2), "p: t-test with the CR2 error, for fewer than %d %ss", infer.FlipUnits, unit)
	add(by(infer.Permutation), "p: permutation of whole %ss, because nothing is paired", unit)
	add(o.Unit == ByRequest && has(func(r *Contrast) bool { return r.P != nil }),
		"p treats questions as independent (--unit request); those about one conversation are not, so it finds differences too often")
	tests := len(lists.Filter(family, func(r *Contrast) bool { return r.Adjusted != nil }))
	add(tests > 0, "~: no difference shown (p above %g over %s), which does not mean that there is none; p is %s",
		alpha, Plural(tests, "test"), adjustments[cmp.Or(o.Correct, infer.MaxT)])
	add(has(func(r *Contrast) bool { return r.Insufficient != "" && r.Insufficient != infer.NoUnits && r.Units > 0 }),
		"insufficient: no difference, however large, could be significant; --accept-two tests two conversations, and --unit request treats questions as independent")
	add(show.interval && has(func(r *Contrast) bool { return r.Interval != nil }), "in parentheses the %g %% interval of the difference, by the same test, not adjusted", 100*stats.Level)
	add(o.EquivalentWithin > 0 || o.NotWorseBy > 0, "margins: one-sided t-tests with the CR2 error at 5 %%, two of them for equivalence, not adjusted; undecided: neither a difference nor a margin is significant")
	add(wide && has(func(r *Contrast) bool { return r.Detectable != nil }), "detectable: the smallest difference that is significant in %g %% of comparisons like this one, before any adjustment", 100*infer.Power)
	add(show.means && has(func(r *Contrast) bool { return r.AtSix != nil }), "with %d: the same for %[1]d conversations with the same spread, if there are fewer", infer.FlipUnits)
	add(has((*Contrast).Same), "=: all pairs have equal values on both sides, so there is nothing to test")
	return notes
}

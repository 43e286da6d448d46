package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"recallbench/internal/stats"
)

// ContrastTable lays out the rows of [Contrasts], with their notes: a table for
// each side. With all, columns are added that tell how a row came about; without,
// the table is as wide as a terminal.
func ContrastTable(rows []Contrast, notes []string, o ContrastOptions, all bool) *Document {
	d := &Document{Tables: []*Table{}}
	for side := 0; ; side++ {
		var of []Contrast
		for _, r := range rows {
			if r.Side == side {
				of = append(of, r)
			}
		}
		if len(of) == 0 {
			break
		}
		t := &Table{Name: of[0].Run + " against " + of[0].BaseRun, Title: of[0].Run + " against " + of[0].BaseRun, Rows: [][]Cell{}}
		for _, n := range append(slices.Clone(notes), contrastNotes(rows, of, o)...) {
			t.TitleNotes = append(t.TitleNotes, t.note(n))
		}
		f := contrastLayout{Table: t, all: all}
		f.name(of)
		f.columns()
		for _, r := range of {
			f.row(r)
		}
		d.Tables = append(d.Tables, t)
	}
	return d
}

// A contrastLayout says which columns a table of contrasts has.
type contrastLayout struct {
	*Table
	all                              bool
	dataset, method, model, category bool
}

// name finds out what names a row: what differs between rows, and the method.
func (f *contrastLayout) name(rows []Contrast) {
	for _, r := range rows {
		f.dataset = f.dataset || f.all && r.Dataset != "" || r.Dataset != rows[0].Dataset
		f.method = f.method || r.Method != ""
		f.model = f.model || f.all && r.Model != "" || modelName(r) != modelName(rows[0])
		f.category = f.category || r.Category != ""
	}
	f.dataset = f.dataset || !f.method
	if !f.dataset && rows[0].Dataset != "" {
		f.Title += " on " + rows[0].Dataset
	}
	if !f.model && rows[0].Model != "" {
		f.Title += ", model " + modelName(rows[0])
	}
}

func methodName(r Contrast) string { return besides(r.Method, r.BaseMethod) }
func modelName(r Contrast) string  { return besides(r.Model, r.BaseModel) }

// besides names what is held against something else.
func besides(name, base string) string {
	if name == base {
		return name
	}
	return name + " against " + base
}

func (f *contrastLayout) columns() {
	add := func(in bool, c Column) {
		if in {
			f.Columns = append(f.Columns, c)
		}
	}
	add(f.dataset, Column{Name: "dataset", Repeats: true})
	add(f.method, Column{Name: "method", Repeats: true})
	add(f.model, Column{Name: "model", Repeats: true})
	add(f.category, Column{Name: "category", Repeats: true})
	add(true, Column{Name: "metric"})
	add(true, Column{Name: "base", Number: true})
	add(true, Column{Name: "new", Number: true})
	add(true, Column{Name: "difference", Number: true})
	add(true, Column{Name: "verdict"})
	add(f.all, Column{Name: "test"})
	add(true, Column{Name: "p", Number: true})
	add(true, Column{Name: "p-holm", Head: "p (Holm)", Number: true})
	add(f.all, Column{Name: "p-requests", Head: "p by requests", Number: true})
	add(f.all, Column{Name: "p-samples", Head: "p by samples", Number: true})
	add(true, Column{Name: "pairs", Number: true})
	add(f.all, Column{Name: "higher", Number: true})
	add(f.all, Column{Name: "lower", Number: true})
	add(true, Column{Name: "samples", Number: true})
	add(f.all, Column{Name: "effective-n", Head: "effective n", Number: true})
	add(true, Column{Name: "detectable", Number: true})
}

func (f *contrastLayout) row(r Contrast) {
	c := r.Column
	var row []Cell
	add := func(in bool, cell Cell) {
		if in {
			row = append(row, cell)
		}
	}
	number := func(x *float64, scale float64, digits int) Cell {
		if x == nil || math.IsInf(*x, 0) {
			return Cell{}
		}
		return Cell{Text: decimal(*x*scale, digits), Value: new(*x * scale)}
	}
	mean := func(x float64) Cell {
		if r.N == 0 {
			return Cell{}
		}
		return number(&x, c.Scale, c.Digits)
	}
	p := func(x *float64) Cell {
		if x == nil {
			return Cell{}
		}
		return pCell(*x)
	}
	add(f.dataset, text(r.Dataset))
	add(f.method, text(methodName(r)))
	add(f.model, text(modelName(r)))
	add(f.category, text(r.Category))
	metric := text(c.Name)
	for _, n := range r.Notes {
		metric.Notes = append(metric.Notes, f.note(n))
	}
	add(true, metric)
	add(true, mean(r.Base))
	add(true, mean(r.New))
	difference := mean(r.Difference())
	if difference.Value != nil {
		difference.Text = signed(*difference.Value, c.Digits)
	}
	if r.Interval != nil {
		i := r.Interval.Scale(c.Scale)
		difference.Interval = &i
		difference.Text += fmt.Sprintf(" (%s, %s)", signed(i.Lo, c.Digits), signed(i.Hi, c.Digits))
	}
	add(true, difference)
	verdict := text(r.Verdict())
	if r.Missing != "" && !r.Same() {
		verdict.Notes = append(verdict.Notes, f.note("no test: "+r.Missing))
	}
	if !r.Paired {
		verdict.Notes = append(verdict.Notes, f.note(r.Unpaired+"; the means are compared as those of other samples"))
	}
	add(true, verdict)
	add(f.all, text(r.Test))
	add(true, p(r.P))
	add(true, p(r.Adjusted))
	add(f.all, p(r.PRequests))
	add(f.all, p(r.PSamples))
	pairs := count(r.N)
	if !r.Paired {
		pairs = Cell{Notes: []int{f.note(fmt.Sprintf("means over %s of the base and %d of the new side", plural(r.Of[0], "request"), r.Of[1]))}}
	}
	add(true, pairs)
	add(f.all, count(r.Higher))
	add(f.all, count(r.Lower))
	add(true, count(r.Samples))
	add(f.all, number(r.EffectiveN, 1, 0))
	add(true, number(r.Detectable, c.Scale, c.Digits))
	f.Rows = append(f.Rows, row)
}

// contrastNotes say what the rows of a side are, and how they came about. The
// adjustment is over all rows.
func contrastNotes(all, rows []Contrast, o ContrastOptions) []string {
	var notes []string
	add := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	has := slices.ContainsFunc[[]Contrast]
	if has(rows, func(r Contrast) bool { return r.Paired }) {
		add("pairs: answers to the same request on both sides, by sample and id")
	}
	var tests []string
	for _, x := range []struct{ name, says string }{
		{mcNemar, "exact McNemar of requests that one side alone has right"},
		{signFlip, fmt.Sprintf("sign-flip permutation, exact or %d flips", stats.Flips)},
		{welch, "t of the difference of the means, which are not paired"},
	} {
		if has(rows, func(r Contrast) bool { return r.Test == x.name }) {
			tests = append(tests, x.says)
		}
	}
	if len(tests) > 0 {
		add("p: %s", strings.Join(tests, "; "))
	}
	if has(rows, func(r Contrast) bool { return r.tested(BySample) }) {
		add("p is by samples: only those are taken for independent of each other, not the requests about one")
	}
	if has(rows, func(r Contrast) bool { return r.tested(ByRequest) }) {
		why := ""
		if o.Unit == "" {
			why = fmt.Sprintf(", as flips of fewer than %d samples can show nothing", leastSamples)
			if !has(rows, func(r Contrast) bool { return r.Paired && r.tested(ByRequest) }) {
				why = ", as a side has fewer than two samples"
			}
		}
		add("p takes requests for independent of each other%s; those about one sample are alike, so it finds differences too often", why)
	}
	if has(rows, Contrast.Same) {
		add("=: all pairs have the same value on both sides, and there is nothing to test")
	}
	n := 0
	for _, r := range all {
		if r.P != nil {
			n++
		}
	}
	switch {
	case o.Unadjusted:
		add("~: p is above %g, no difference is shown; p is not adjusted for the %s, so that one in %d without any difference is found to differ by chance", alpha, plural(n, "test"), int(1/alpha))
	default:
		add("~: p, adjusted by Holm over %s, is above %g, no difference is shown, which is not to say that there is none", plural(n, "test"), alpha)
	}
	if least := leastP(rows); !o.Unadjusted && least*float64(n) > alpha {
		add("with so few samples p is at least %.2g, which Holm over %s can leave above %g whatever the difference: compare fewer rows, with --columns or RUN:LABEL", least, plural(n, "test"), alpha)
	}
	if has(rows, func(r Contrast) bool { return r.Interval != nil }) {
		add("in parentheses the %g %% interval of the difference, not adjusted", 100*stats.Level)
	}
	if has(rows, func(r Contrast) bool { return r.Detectable != nil }) {
		add("detectable: the smallest difference that is shown in %g %% of comparisons like this one, before any adjustment", 100*stats.Power)
	}
	return notes
}

// tested reports whether a test of a unit decides, where samples and requests are not
// the same.
func (c Contrast) tested(u Unit) bool { return c.P != nil && c.Unit == u && c.Samples < c.N }

// leastP returns the largest of the smallest p-values that rows could have by sign
// flips of their samples; 0 where none is decided by that.
func leastP(rows []Contrast) float64 {
	least := 0.0
	for _, r := range rows {
		if r.Paired && r.tested(BySample) {
			least = max(least, math.Ldexp(2, -r.Samples))
		}
	}
	return least
}

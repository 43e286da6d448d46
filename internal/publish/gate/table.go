package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/report"
)

// headline says in one line how the gate ended.
func (r *Result) headline() string {
	word := "passed"
	if r.Failed {
		word = "FAILED"
	}
	var counts []string
	for _, v := range Verdicts() {
		if n := r.Counts[v]; n > 0 {
			counts = append(counts, v.count(n))
		}
	}
	return "gate " + word + ": " + strings.Join(counts, ", ")
}

// sides says what was compared with what.
func (r *Result) sides() string {
	text := fmt.Sprintf("run %s (%s)", r.Run.Name, r.Run.Run)
	if b := r.Baseline; b != nil {
		text += fmt.Sprintf(" against %s (%s", b.Name, b.Run)
		if !b.Set.IsZero() {
			text += ", set " + b.Set.UTC().Format(time.DateOnly)
		}
		text += ")"
		if b.Note != "" {
			text += ": " + b.Note
		}
	}
	return text
}

// ranked returns the outcomes, the worst first, including stable ones only if all is set.
func (r *Result) ranked(all bool) []Outcome {
	rank := func(o Outcome) int {
		n := slices.Index(Verdicts(), o.Verdict)
		if o.Fails {
			n -= len(Verdicts())
		}
		return n
	}
	outcomes := slices.Clone(r.Outcomes)
	if !all {
		outcomes = slices.DeleteFunc(outcomes, func(o Outcome) bool { return o.Verdict == Stable })
	}
	slices.SortStableFunc(outcomes, func(a, b Outcome) int { return rank(a) - rank(b) })
	return outcomes
}

// Document lays out the outcomes as a table, the worst first; stable ones are only counted,
// unless all is set.
func (r *Result) Document(all bool) *report.Document {
	several := func(of func(Outcome) string) bool {
		return slices.ContainsFunc(r.Outcomes, func(o Outcome) bool { return of(o) != of(r.Outcomes[0]) })
	}
	texts := []struct {
		name string
		of   func(Outcome) string
		in   bool
	}{
		{"verdict", func(o Outcome) string { return string(o.Verdict) }, true},
		{"rule", func(o Outcome) string { return o.Rule }, true},
		{"dataset", func(o Outcome) string { return o.Dataset }, true},
		{"method", func(o Outcome) string { return o.Method }, true},
		{"model", func(o Outcome) string { return o.Model }, several(func(o Outcome) string { return o.Model })},
		{"category", func(o Outcome) string { return cmp.Or(o.Category, "all") }, several(func(o Outcome) string { return o.Category })},
		{"column", func(o Outcome) string { return o.Column }, true},
	}
	t := &report.Table{Name: "gate", Title: r.headline(), Rows: [][]report.Cell{}}
	t.NoteTitle(unmarked(r.sides()))
	if n := r.Counts[Stable]; n > 0 && !all {
		t.NoteTitle(Stable.count(n) + ", not listed")
	}
	for _, text := range texts {
		if text.in {
			t.Columns = append(t.Columns, report.Column{Name: text.name})
		}
	}
	number := func(name string) report.Column { return report.Column{Name: name, Number: true} }
	p := number("p")
	p.Head = r.pHead()
	t.Columns = append(t.Columns, number("baseline"), number("run"), number("change"), report.Column{Name: "bound"}, p, number("pairs"))
	for _, o := range r.ranked(all) {
		var row []report.Cell
		for _, text := range texts {
			if text.in {
				row = append(row, report.Cell{Text: unmarked(text.of(o))})
			}
		}
		if why := o.reason(); why != "" {
			row[0].Notes = []int{t.Note(unmarked(why))}
		}
		pairs := report.Cell{}
		if o.Pairs > 0 {
			pairs = report.Whole(o.Pairs)
		}
		bound := o.Bound + " " + strconv.FormatFloat(o.Limit, 'g', -1, 64)
		t.Rows = append(t.Rows, append(row, o.number(o.Baseline), o.number(o.Value), o.change(), report.Cell{Text: unmarked(bound)}, o.p(), pairs))
	}
	t.NoteTitle(lists.Map(r.remarks(), unmarked)...)
	return &report.Document{Tables: []*report.Table{t}}
}

func (r *Result) remarks() []string {
	var notes []string
	for _, d := range r.Differences {
		text := fmt.Sprintf("%s on %s differs in %s", d.Method, d.Dataset, d)
		if d.Allowed {
			text += "; the rules allow it"
		}
		notes = append(notes, text)
	}
	return append(notes, r.Notes...)
}

// reason gives the reason, and the requests that fell.
func (o Outcome) reason() string {
	if len(o.Regressed) == 0 {
		return o.Why
	}
	requests := lists.Map(o.Regressed, o.fell)
	return o.Why + "; fell the most: " + strings.Join(requests, ", ")
}

// fell names a request that fell.
func (o Outcome) fell(f report.Fallen) string {
	return fmt.Sprintf("%s of %s from %s to %s", f.Request, f.Sample, decimal(f.Base, o.digits), decimal(f.New, o.digits))
}

func (o Outcome) number(x *float64) report.Cell {
	if x == nil {
		return report.Cell{}
	}
	return report.Cell{Text: decimal(*x, o.digits), Value: x}
}

// change returns the difference to the baseline or, if the bound is a ratio, the ratio.
func (o Outcome) change() report.Cell {
	if o.Baseline == nil || o.Value == nil {
		return report.Cell{}
	}
	if o.Bound == boundRatio {
		if *o.Baseline == 0 {
			return report.Cell{}
		}
		x := *o.Value / *o.Baseline
		return report.Cell{Text: "× " + decimal(x, 3), Value: &x}
	}
	x := *o.Value - *o.Baseline
	c := report.Cell{Text: signed(x, o.digits), Value: &x}
	if o.Interval != nil {
		c.Interval = o.Interval
		c.Text += fmt.Sprintf(" (%s, %s)", signed(o.Interval.Lo, o.digits), signed(o.Interval.Hi, o.digits))
	}
	return c
}

func (o Outcome) p() report.Cell {
	if o.Adjusted == nil {
		return report.Cell{}
	}
	s := decimal(*o.Adjusted, 4)
	if *o.Adjusted < 0.0001 {
		s = "<0.0001"
	}
	return report.Cell{Text: s, Value: o.Adjusted}
}

// pHead heads the p-values that decide.
func (r *Result) pHead() string { return infer.CorrectionHead(string(r.Correct)) }

// unmarked cuts an untrusted text, and breaks anything that a runner of GitHub Actions would
// read as a command in the middle of a log line. Lines never begin with untrusted text.
func unmarked(s string) string { return strings.ReplaceAll(cut(s, longest), "##[", "## [") }

package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// A Verdict says which of the methods on a dataset with a model is significantly better.
type Verdict struct {
	Dataset string `json:"dataset"`
	Model   string `json:"model"`
	Column  string `json:"column"`
	Text    string `json:"text"`
	// Notes say what the sentence hides: categories in which the order is another,
	// errors, and few conversations.
	Notes []string `json:"notes,omitempty"`
	// Pairs are the comparisons behind it, and Differences the same as numbers.
	Pairs       *Table       `json:"pairs,omitempty"`
	Differences []Difference `json:"differences,omitempty"`
}

// A Difference is how far one method lies above another, in the unit of tables.
type Difference struct {
	Side string  `json:"side"`
	Base string  `json:"base"`
	Mean float64 `json:"mean"`
	// Low and High bound the 95 % interval; nil where there is none.
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
	// Verdict is that of [Contrast.Verdict].
	Verdict string `json:"verdict"`
}

// allPairs is up to how many methods each is compared with each other. More are
// compared with the best.
const allPairs = 6

// fewSamples is below how many conversations a verdict says how few there are.
const fewSamples = 20

// Verdicts compares the methods of some runs on each dataset in the first column that
// leads, that all runs have and that has values there; the verdict of a judge goes first.
// They have Holm's adjustment over all pairs of a dataset and a model. Runs without such
// a column, and single methods, have no verdict.
func Verdicts(runs []*Run, o Options) ([]Verdict, error) {
	j, columns, err := newJury(runs, o, 2)
	if err != nil || j == nil {
		return nil, err
	}
	return j.decided(columns, groupsOf(runs)), nil
}

// groupsOf counts the datasets and models of runs, each pair once.
func groupsOf(runs []*Run) (most int) {
	for _, r := range runs {
		most = max(most, len(lists.Distinct(r.Header.Cells, func(c record.Cell) [2]string { return [2]string{c.Dataset, c.Model} })))
	}
	return most
}

// newJury reads the methods of some runs, and names the columns that may decide; nil where
// there is none, or fewer methods than least.
func newJury(runs []*Run, o Options, least int) (*jury, []string, error) {
	columns, err := leading(runs, o)
	if err != nil || len(columns) == 0 {
		return nil, nil, err
	}
	o.By, o.Published, o.Correct, o.Columns = "", nil, infer.Holm, columns
	var sides []Side
	var names []string
	for _, r := range runs {
		for _, m := range lists.Distinct(r.Header.Cells, func(c record.Cell) string { return c.Method }) {
			sides = append(sides, Side{Run: r, Method: m})
			if len(runs) > 1 {
				m += " of " + r.Name
			}
			names = append(names, m)
		}
	}
	if len(sides) < least {
		return nil, nil, nil
	}
	c, err := newContraster(sides, ContrastOptions{Options: o})
	if err != nil {
		return nil, nil, err
	}
	return &jury{contraster: c, labels: names}, columns, nil
}

// decided returns a verdict for each of so many datasets and models, by the first of some
// columns that has values there.
func (j *jury) decided(columns []string, groups int) []Verdict {
	var all []Verdict
	for _, column := range columns {
		if len(all) >= groups {
			break
		}
		c, _ := j.column(column)
		j.columns = []metrics.Column{c}
		for _, v := range j.verdicts() {
			if !slices.ContainsFunc(all, func(have Verdict) bool { return have.Dataset == v.Dataset && have.Model == v.Model }) {
				all = append(all, v)
			}
		}
	}
	return all
}

// leading names the columns that may decide, the verdicts of judges first.
func leading(runs []*Run, o Options) ([]string, error) {
	var judged, others []string
	for _, name := range runs[0].Header.Metrics {
		if slices.ContainsFunc(runs, func(r *Run) bool { return !slices.Contains(r.Header.Metrics, name) }) {
			continue
		}
		spec, err := o.Metric(name)
		switch {
		case err != nil:
			return nil, err
		case !testable(spec.Columns[0]):
		case strings.HasPrefix(name, metrics.RefusalColumn+":"): // says nothing of what is right
		case spec.Leads() && spec.Of == metrics.Judgement && metrics.JudgeOf(name) != "contains": // which compares words
			judged = append(judged, spec.Columns[0].Name)
		case spec.Leads():
			others = append(others, spec.Columns[0].Name)
		}
	}
	return append(judged, others...), nil
}

// A jury compares sides in pairs, by one column.
type jury struct {
	*contraster
	labels []string // of the sides
	pairs  []pairOfSides
}

// A pairOfSides is a contrast of two sides by their numbers.
type pairOfSides struct {
	base, side int
	*Contrast
}

// shown reports whether the side is significantly better than the base, or worse.
func (p pairOfSides) shown() (better, worse bool) {
	return p.Verdict() == "better", p.Verdict() == "worse"
}

func (j *jury) verdicts() []Verdict {
	j.pairs = nil
	if len(j.sides) <= allPairs {
		for base := range j.sides {
			for side := base + 1; side < len(j.sides); side++ {
				j.pair(base, side)
			}
		}
	} else {
		j.pairWithBest()
	}
	var all []Verdict
	for _, of := range lists.Distinct(j.pairs, func(p pairOfSides) [2]string { return [2]string{p.Dataset, p.Model} }) {
		pairs := lists.Filter(j.pairs, func(p pairOfSides) bool { return p.Dataset == of[0] && p.Model == of[1] })
		Decide(lists.Map(pairs, func(p pairOfSides) *Contrast { return p.Contrast }), j.options.infer(j.sides[0].Header.Seed))
		all = append(all, Verdict{Dataset: of[0], Model: of[1], Column: j.columns[0].Name, Text: j.sentence(pairs), Notes: append(j.hidden(pairs), j.notes(pairs)...), Pairs: j.table(pairs), Differences: lists.Map(pairs, j.difference)})
	}
	return all
}

func (j *jury) difference(p pairOfSides) Difference {
	scale := p.Column.Scale
	d := Difference{Side: j.labels[p.side], Base: j.labels[p.base], Mean: p.Difference() * scale, Verdict: p.Verdict()}
	if i := p.Interval; i != nil {
		low, high := min(i.Lo*scale, i.Hi*scale), max(i.Lo*scale, i.Hi*scale)
		d.Low, d.High = &low, &high
	}
	return d
}

// pair adds the pairs of a base with another side. A side that nothing matches, such as
// a method on another dataset, has none.
func (j *jury) pair(base, side int) {
	j.base, j.rows = base, nil
	if side == base || j.compare(side) != nil {
		return
	}
	for _, c := range j.rows {
		if c.N > 0 && !j.sees(base, c) && !j.sees(side, c) {
			j.pairs = append(j.pairs, pairOfSides{base, side, c})
		}
	}
}

// pairWithBest adds, for each dataset and model, the pairs of the side with the best mean
// with the others.
func (j *jury) pairWithBest() {
	var all []pairOfSides
	for _, g := range j.groups() {
		best := g.lines[0].side
		j.pairs = nil
		for side := range j.sides {
			j.pair(best, side)
		}
		all = append(all, lists.Filter(j.pairs, func(p pairOfSides) bool { return p.Dataset == g.dataset && p.Model == g.model })...)
	}
	j.pairs = all
}

// A group is the rows of a dataset and a model, the best by the first column first; those
// without a value come last, and after them ceilings and controls.
type group struct {
	dataset, model string
	lines          []ranked
}

// A ranked row is that of a side, with its mean.
type ranked struct {
	*line
	side  int
	mean  float64 // NaN for none
	total summary
}

// groups returns the rows by dataset and model, in the order of the headers.
func (j *jury) groups() []group {
	var groups []group
	column := j.columns[0]
	for side, lines := range j.lines {
		for _, l := range lines {
			i := slices.IndexFunc(groups, func(g group) bool { return g.dataset == l.cell.Dataset && g.model == l.cell.Model })
			if i < 0 {
				i = len(groups)
				groups = append(groups, group{dataset: l.cell.Dataset, model: l.cell.Model})
			}
			r := ranked{line: l, side: side, mean: math.NaN()}
			var ok bool
			if r.total, ok = l.summary(column, l.ids()); ok {
				r.mean = r.total.mean
			}
			groups[i].lines = append(groups[i].lines, r)
		}
	}
	for _, g := range groups {
		slices.SortStableFunc(g.lines, func(x, y ranked) int {
			switch {
			case (x.cell.Sees == "") != (y.cell.Sees == ""):
				return strings.Compare(x.cell.Sees, y.cell.Sees) // memories first
			case math.IsNaN(x.mean) || math.IsNaN(y.mean):
				return cmp.Compare(y.mean, x.mean) // NaN is least
			case column.Lower:
				return cmp.Compare(x.mean, y.mean)
			}
			return cmp.Compare(y.mean, x.mean)
		})
	}
	return groups
}

// sees reports whether a side's row of a contrast is a ceiling or a control, which is
// ranked with no memory.
func (j *jury) sees(side int, c *Contrast) bool {
	return slices.ContainsFunc(j.lines[side], func(l *line) bool {
		return l.cell.Sees != "" && l.cell.Dataset == c.Dataset && l.cell.Model == c.Model
	})
}

// sentence sums the pairs up.
func (j *jury) sentence(pairs []pairOfSides) string {
	sides := sidesIn(pairs)
	beaten := make(map[int]bool)
	wins := make(map[int][]string)
	detectable, reason := 0.0, ""
	same := true
	for _, p := range pairs {
		better, worse := p.shown()
		if better {
			beaten[p.base] = true
			wins[p.side] = append(wins[p.side], j.over(p, p.base, 1))
		}
		if worse {
			beaten[p.side] = true
			wins[p.base] = append(wins[p.base], j.over(p, p.side, -1))
		}
		if p.Detectable != nil {
			detectable = max(detectable, *p.Detectable*p.Column.Scale)
		}
		same = same && p.Same()
		reason = p.Reason()
	}
	column := pairs[0].Column
	switch {
	case same:
		return fmt.Sprintf("In %s, %s score the same on every question.", column.Name, j.list(sides, "and"))
	case len(wins) == 0 && detectable == 0:
		return "No ranking yet: " + reason + "."
	case len(wins) == 0:
		return fmt.Sprintf("No difference in %s between %s is statistically significant; one of %s would be.", column.Name, j.list(sides, "and"), decimal(detectable, column.Digits))
	}
	var parts []string
	top := lists.Filter(sides, func(i int) bool { return !beaten[i] })
	for _, i := range append(slices.Clone(top), lists.Filter(sides, func(i int) bool { return beaten[i] })...) {
		if len(wins[i]) > 0 {
			over := wins[i]
			if n := len(over); n > fewNames {
				over = append(over[:fewNames-1:fewNames-1], fmt.Sprintf("%d others", n-fewNames+1))
			}
			parts = append(parts, fmt.Sprintf("%s is significantly better than %s", j.labels[i], enumerate(over, "and")))
		}
	}
	text := fmt.Sprintf("In %s, %s.", column.Name, strings.Join(parts, "; "))
	if len(top) > 1 {
		text += fmt.Sprintf(" No method is significantly better than %s.", j.list(top, "or"))
	}
	return text
}

const standInSentence = "The stand-in answered, which is no language model: nothing here compares with published numbers."

// over names a side with how much worse it is.
func (j *jury) over(p pairOfSides, side int, sign float64) string {
	scale, digits := p.Column.Scale, p.Column.Digits
	text := fmt.Sprintf("%s (%+.*f", j.labels[side], digits, sign*p.Difference()*scale)
	if p.Interval != nil {
		low, high := sign*p.Interval.Lo*scale, sign*p.Interval.Hi*scale
		text += fmt.Sprintf(", %s to %s", decimal(min(low, high), digits), decimal(max(low, high), digits))
	}
	return text + ")"
}

// notes say what a reader of the sentence has to know.
func (j *jury) notes(pairs []pairOfSides) []string {
	var notes []string
	samples := pairs[0].Samples
	for _, p := range pairs {
		samples = min(samples, p.Samples)
		for k, side := range []int{p.base, p.side} {
			if n := p.Of[k]; n > 0 && 100*p.Failed[k] > n {
				notes = lists.AddNew(notes, fmt.Sprintf("%s failed on %d of %d questions, which count as wrong.", j.labels[side], p.Failed[k], n))
			}
		}
		if p.Unpaired != "" {
			notes = lists.AddNew(notes, fmt.Sprintf("%s and %s do not compare question by question: %s.", j.labels[p.base], j.labels[p.side], p.Unpaired))
		}
	}
	if samples < fewSamples && slices.ContainsFunc(pairs, func(p pairOfSides) bool { return p.P != nil }) {
		notes = append(notes, fmt.Sprintf("The test rests on %s.", Plural(samples, "conversation")))
	}
	for _, m := range j.sides[0].Header.Models {
		if m.Label == pairs[0].Model && m.Offline {
			notes = append(notes, standInSentence)
		}
	}
	return notes
}

// hidden names the categories in which a method is shown to be better than one with a
// mean that is as high or higher.
func (j *jury) hidden(pairs []pairOfSides) []string {
	split := *j.contraster
	split.options.Rows = Category
	sub := &jury{contraster: &split}
	for _, p := range pairs {
		sub.pair(p.base, p.side)
	}
	rows := lists.Filter(sub.pairs, func(p pairOfSides) bool {
		return p.Dataset == pairs[0].Dataset && p.Model == pairs[0].Model && p.Category != ""
	})
	Decide(lists.Map(rows, func(p pairOfSides) *Contrast { return p.Contrast }), j.options.infer(j.sides[0].Header.Seed))
	var notes []string
	for _, p := range rows {
		whole := slices.IndexFunc(pairs, func(q pairOfSides) bool { return q.base == p.base && q.side == p.side })
		if whole < 0 {
			continue
		}
		better, worse := p.shown()
		switch mean := pairs[whole].good(); {
		case better && mean <= 0:
			notes = append(notes, fmt.Sprintf("In %s, %s is significantly better than %s.", p.Category, j.labels[p.side], j.over(p, p.base, 1)))
		case worse && mean >= 0:
			notes = append(notes, fmt.Sprintf("In %s, %s is significantly better than %s.", p.Category, j.labels[p.base], j.over(p, p.side, -1)))
		}
	}
	return notes
}

// table holds the rows behind a verdict.
func (j *jury) table(pairs []pairOfSides) *Table {
	rows := lists.Map(pairs, func(p pairOfSides) Contrast {
		c := *p.Contrast
		c.Side, c.Method, c.BaseMethod = 0, j.labels[p.side], j.labels[p.base]
		return c
	})
	t := ContrastTable(rows, nil, j.options, false).Tables[0]
	t.Name, t.Title = "pairs "+pairs[0].Dataset+" "+pairs[0].Model, "Pairs of methods on "+pairs[0].Dataset
	return t
}

func sidesIn(pairs []pairOfSides) (all []int) {
	for _, p := range pairs {
		all = lists.AddNew(all, p.base, p.side)
	}
	return slices.Sorted(slices.Values(all))
}

// fewNames is how many methods a sentence names at most.
const fewNames = 4

func (j *jury) list(sides []int, last string) string {
	if len(sides) > fewNames {
		return fmt.Sprintf("the %d methods", len(sides))
	}
	return enumerate(lists.Map(sides, func(i int) string { return j.labels[i] }), last)
}

// enumerate lists names with a word before the last.
func enumerate(names []string, last string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + last + " " + names[len(names)-1]
}

package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
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

const (
	allPairs   = 6  // up to how many methods each is compared with each other; more with the best
	fewSamples = 20 // below how many conversations a verdict says how few there are
	fewNames   = 4  // how many methods a sentence names at most
)

// Verdicts compares the methods of some runs on each dataset in the first column that
// leads, that all runs have and that has values there; the verdict of a judge goes first.
// They have Holm's adjustment over all pairs of a dataset and a model. Runs without such
// a column, and single methods, have no verdict.
func Verdicts(runs []*Run, o Options) ([]Verdict, error) {
	b, groups, err := openGroups(runs, o)
	if err != nil {
		return nil, err
	}
	var all []Verdict
	for _, g := range groups {
		if v := b.verdict(g); v != nil {
			all = append(all, *v)
		}
	}
	return all, nil
}

// leading returns the columns that may decide and that all runs have, the verdicts of
// judges first.
func (b *builder) leading(runs []*Run) ([]metrics.Column, error) {
	var judged, others []metrics.Column
	for _, name := range runs[0].Header.Metrics {
		spec, err := b.Metric(name)
		if err != nil {
			return nil, err
		}
		c := spec.Columns[0]
		lacks := func(r *Run) bool { return !slices.Contains(r.Header.Metrics, name) }
		switch {
		case slices.ContainsFunc(runs, lacks), !testable(c), !spec.Leads():
		case strings.HasPrefix(name, metrics.RefusalColumn+":"): // says nothing of what is right
		case spec.Of == metrics.Judgement && metrics.JudgeOf(name) != "contains": // which compares words
			judged = append(judged, c)
		default:
			others = append(others, c)
		}
	}
	return append(judged, others...), nil
}

// A group is the rows of a dataset and a model, in the order of the headers, with the
// column by which they are ranked.
type group struct {
	dataset, model string
	column         metrics.Column
	decides        bool // whether the column says which answers are better
	rows           []ranked
}

// A ranked row has a label that tells it apart, and its mean.
type ranked struct {
	*line
	label string
	mean  float64 // NaN for none
	total summary
}

// openGroups reads runs and groups their rows by dataset and model: by the first leading
// column that has values there or, where none leads, by the first column.
func openGroups(runs []*Run, o Options) (*builder, []group, error) {
	o.Published, o.Correct, o.Columns = nil, infer.Holm, nil
	b, err := open(runs, o)
	if err != nil {
		return nil, nil, err
	}
	columns, err := b.leading(runs)
	if err != nil {
		return nil, nil, err
	}
	decides := len(columns) > 0
	if !decides {
		columns = b.columns
	}
	var groups []group
	of := func(l *line) [2]string { return [2]string{l.cell.Dataset, l.cell.Model} }
	for _, name := range lists.Distinct(b.lines, of) {
		g := group{dataset: name[0], model: name[1], decides: decides}
		lines := lists.Filter(b.lines, func(l *line) bool { return of(l) == name })
		i := slices.IndexFunc(columns, func(c metrics.Column) bool { return valued(lines, c) })
		if i < 0 {
			continue
		}
		g.column = columns[i]
		for _, l := range lines {
			r := ranked{line: l, label: l.cell.Method, mean: math.NaN()}
			if len(runs) > 1 {
				r.label += " of " + l.run.Name
			}
			var ok bool
			if r.total, ok = l.summary(g.column, l.ids()); ok {
				r.mean = r.total.mean
			}
			g.rows = append(g.rows, r)
		}
		groups = append(groups, g)
	}
	return b, groups, nil
}

// best returns the rows, the best first; those without a value come last, and after them
// ceilings and controls.
func (g group) best() []ranked {
	rows := slices.Clone(g.rows)
	slices.SortStableFunc(rows, func(x, y ranked) int {
		switch {
		case (x.cell.Sees == "") != (y.cell.Sees == ""):
			return strings.Compare(x.cell.Sees, y.cell.Sees) // memories first
		case math.IsNaN(x.mean) || math.IsNaN(y.mean):
			return cmp.Compare(y.mean, x.mean) // NaN is least
		}
		return better(y.mean, x.mean, g.column)
	})
	return rows
}

// A pairOfRows is a contrast of two rows of a group by their places, some with the category
// that it is about.
type pairOfRows struct {
	base, side int
	*Contrast
}

// pairs compares the memories of a group: each with each other, or where there are many
// with the best.
func (b *builder) pairs(g group) []pairOfRows {
	var memories []int
	for i, r := range g.rows {
		if r.cell.Sees == "" {
			memories = append(memories, i)
		}
	}
	var pairs []pairOfRows
	first := g.best()[0].line
	for n, base := range memories {
		for _, side := range memories[n+1:] {
			if len(memories) > allPairs { // the best is the base
				if g.rows[side].line == first {
					base, side = side, base
				}
				if g.rows[base].line != first {
					continue
				}
			}
			c := b.contrast(newMatch(g.rows[base].line, g.rows[side].line), g.column, side)
			if c.N == 0 {
				continue
			}
			c.leaveSame()
			_, c.about = g.rows[side].dataset.Nouns()
			c.Run, c.BaseRun = b.names[g.rows[side].run], b.names[g.rows[base].run]
			c.Dataset, c.Model, c.BaseModel, c.Method, c.BaseMethod = g.dataset, g.model, g.model, g.rows[side].label, g.rows[base].label
			pairs = append(pairs, pairOfRows{base, side, c})
		}
	}
	Decide(lists.Map(pairs, func(p pairOfRows) *Contrast { return p.Contrast }), b.infer(g.rows[0].run.Header.Seed))
	return pairs
}

// verdict compares the rows of a group; nil where there is nothing to say.
func (b *builder) verdict(g group) *Verdict {
	if !g.decides {
		return nil
	}
	pairs := b.pairs(g)
	if len(pairs) == 0 {
		return nil
	}
	rows := lists.Map(pairs, func(p pairOfRows) Contrast { return *p.Contrast })
	t := ContrastTable(rows, nil, ContrastOptions{Options: b.Options}, false).Tables[0]
	t.Name, t.Title = "pairs "+g.dataset+" "+g.model, "Pairs of methods on "+g.dataset
	return &Verdict{
		Dataset: g.dataset, Model: g.model, Column: g.column.Name, Text: g.sentence(pairs), Notes: append(b.hidden(g, pairs), g.notes(pairs)...), Pairs: t,
		Differences: lists.Map(rows, func(c Contrast) Difference {
			d := Difference{Side: c.Method, Base: c.BaseMethod, Mean: c.Difference() * c.Column.Scale, Verdict: c.Verdict()}
			if c.Interval != nil {
				i := c.Interval.Scale(c.Column.Scale)
				d.Low, d.High = &i.Lo, &i.Hi
			}
			return d
		}),
	}
}

// sentence sums the pairs up.
func (g group) sentence(pairs []pairOfRows) string {
	var rows []int
	wins, beaten := make(map[int][]string), make(map[int]bool)
	detectable, same := 0.0, true
	for _, p := range pairs {
		rows = lists.AddNew(rows, p.base, p.side)
		winner, loser, sign := p.side, p.base, 1.0
		if p.Worse() {
			winner, loser, sign = p.base, p.side, -1
		}
		if p.Verdict() == "better" || p.Verdict() == "worse" {
			beaten[loser] = true
			wins[winner] = append(wins[winner], g.over(p, loser, sign))
		}
		if p.Detectable != nil {
			detectable = max(detectable, *p.Detectable*p.Column.Scale)
		}
		same = same && p.Same()
	}
	slices.Sort(rows)
	name := func(i int) string { return g.rows[i].label }
	all := enumerate(lists.Map(rows, name), "and")
	if len(rows) > fewNames {
		all = fmt.Sprintf("the %d methods", len(rows))
	}
	switch {
	case same:
		return fmt.Sprintf("In %s, %s score the same on every question.", g.column.Name, all)
	case len(wins) == 0 && detectable == 0:
		return "No ranking yet: " + pairs[len(pairs)-1].Reason() + "."
	case len(wins) == 0:
		return fmt.Sprintf("No difference in %s between %s is statistically significant; one of %s would be.", g.column.Name, all, decimal(detectable, g.column.Digits))
	}
	top := lists.Filter(rows, func(i int) bool { return !beaten[i] })
	var parts []string
	for _, i := range append(slices.Clone(top), lists.Filter(rows, func(i int) bool { return beaten[i] })...) {
		over := wins[i]
		if n := len(over); n > fewNames {
			over = append(over[:fewNames-1:fewNames-1], fmt.Sprintf("%d others", n-fewNames+1))
		}
		if len(over) > 0 {
			parts = append(parts, fmt.Sprintf("%s is significantly better than %s", name(i), enumerate(over, "and")))
		}
	}
	text := fmt.Sprintf("In %s, %s.", g.column.Name, strings.Join(parts, "; "))
	switch {
	case len(top) > fewNames:
		text += fmt.Sprintf(" %d methods are not significantly worse than any other.", len(top))
	case len(top) > 1:
		text += fmt.Sprintf(" No method is significantly better than %s.", enumerate(lists.Map(top, name), "or"))
	}
	return text
}

// over names a row with how much worse it is.
func (g group) over(p pairOfRows, row int, sign float64) string {
	digits := p.Column.Digits
	text := fmt.Sprintf("%s (%+.*f", g.rows[row].label, digits, sign*p.Difference()*p.Column.Scale)
	if p.Interval != nil {
		i := p.Interval.Scale(sign * p.Column.Scale)
		text += fmt.Sprintf(", %s to %s", decimal(min(i.Lo, i.Hi), digits), decimal(max(i.Lo, i.Hi), digits))
	}
	return text + ")"
}

const standInSentence = "The stand-in answered, which is no language model: nothing here compares with published numbers."

// notes say what a reader of the sentence has to know.
func (g group) notes(pairs []pairOfRows) []string {
	var notes []string
	samples, tested := pairs[0].Samples, false
	for _, p := range pairs {
		samples, tested = min(samples, p.Samples), tested || p.P != nil
		for _, row := range []int{p.base, p.side} {
			r := g.rows[row]
			if n, failed, _ := r.scored(); 100*failed > n {
				question, _ := r.dataset.Nouns()
				notes = lists.AddNew(notes, fmt.Sprintf("%s failed on %d of %s, which count as wrong.", r.label, failed, Plural(n, question)))
			}
		}
		if p.Unpaired != "" {
			notes = lists.AddNew(notes, fmt.Sprintf("%s and %s do not compare question by question: %s.", p.BaseMethod, p.Method, p.Unpaired))
		}
	}
	if samples < fewSamples && tested {
		notes = append(notes, fmt.Sprintf("The test rests on %s.", pairs[0].units(samples)))
	}
	if g.rows[0].model.Offline {
		notes = append(notes, standInSentence)
	}
	return notes
}

// hidden names the categories in which a method is shown to be better than one with a
// mean that is as high or higher.
func (b *builder) hidden(g group, pairs []pairOfRows) []string {
	var split []pairOfRows
	var whole []float64
	for _, p := range pairs {
		for _, id := range asked([]*line{g.rows[p.side].line, g.rows[p.base].line}) {
			c := &Contrast{Column: g.column, Unit: b.Unit, Unpaired: p.Unpaired, Category: g.rows[p.side].dataset.CategoryName(id), row: infer.Row{Pair: p.side}}
			if c.fill(p.pairs.in([]string{id}, p.Paired), p.at); c.N > 0 {
				c.leaveSame()
				split, whole = append(split, pairOfRows{p.base, p.side, c}), append(whole, p.good())
			}
		}
	}
	Decide(lists.Map(split, func(p pairOfRows) *Contrast { return p.Contrast }), b.infer(g.rows[0].run.Header.Seed))
	var notes []string
	for i, p := range split {
		switch verdict := p.Verdict(); {
		case verdict == "better" && whole[i] <= 0:
			notes = append(notes, fmt.Sprintf("In %s, %s is significantly better than %s.", p.Category, g.rows[p.side].label, g.over(p, p.base, 1)))
		case verdict == "worse" && whole[i] >= 0:
			notes = append(notes, fmt.Sprintf("In %s, %s is significantly better than %s.", p.Category, g.rows[p.base].label, g.over(p, p.side, -1)))
		}
	}
	return notes
}

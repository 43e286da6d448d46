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
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
)

const (
	allPairs   = 6  // up to this many methods, all pairs are compared; with more, each with the best
	fewSamples = 20 // below this many conversations, a verdict notes their number
	fewNames   = 4  // how many methods a sentence names
)

// leading returns the columns that may decide and that all runs have, verdicts of judges
// first.
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
		case strings.HasPrefix(name, metrics.RefusalColumn+":"): // says nothing about correctness
		case spec.Of == metrics.Judgement && metrics.JudgeOf(name) != "contains": // which compares words
			judged = append(judged, c)
		default:
			others = append(others, c)
		}
	}
	return append(judged, others...), nil
}

// A group holds the rows of a dataset and a model, the best by a column first, and ceilings
// and controls last.
type group struct {
	dataset, model string
	column         metrics.Column
	rows           []ranked
	// pairs are the comparisons of memories, tested together; none if the column does not
	// decide which answers are better.
	pairs []rankedPair
}

// A ranked row has a unique label and its mean.
type ranked struct {
	*line
	label string
	mean  float64 // NaN for none
	total summary
}

// A rankedPair is the contrast of a row with a lower one.
type rankedPair struct {
	above, below int
	*Contrast
}

// openGroups reads runs and groups their rows by dataset and model: by the column that the
// options name, else by the first leading column that has values there or, where none
// leads, by the first column.
func openGroups(runs []*Run, o Options) (*builder, []group, error) {
	chosen := o.Columns
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
	if len(chosen) > 0 {
		i := b.at(chosen[0])
		if i < 0 {
			return nil, nil, errors.New(suggest.Unknown("column", chosen[0], columnNames(b.known)))
		}
		columns = b.known[i : i+1]
		decides = testable(columns[0]) && !columns[0].Neutral
	}
	if len(columns) == 0 {
		columns = b.columns
	}
	var groups []group
	of := func(l *line) [2]string { return [2]string{l.cell.Dataset, l.cell.Model} }
	for _, name := range lists.Distinct(b.lines, of) {
		lines := lists.Filter(b.lines, func(l *line) bool { return of(l) == name })
		i := slices.IndexFunc(columns, func(c metrics.Column) bool { return valued(lines, c) })
		if i < 0 {
			continue
		}
		g := group{dataset: name[0], model: name[1], column: columns[i], rows: rank(lines, columns[i], len(runs) > 1)}
		if decides {
			b.compareRows(&g)
		}
		groups = append(groups, g)
	}
	return b, groups, nil
}

// rank orders rows by a column.
func rank(lines []*line, c metrics.Column, runs bool) []ranked {
	rows := lists.Map(lines, func(l *line) ranked {
		r := ranked{line: l, label: l.cell.Method, mean: math.NaN()}
		if runs {
			r.label += " of " + l.run.Name
		}
		var ok bool
		if r.total, ok = l.summary(c, l.ids()); ok {
			r.mean = r.total.mean
		}
		return r
	})
	slices.SortStableFunc(rows, func(x, y ranked) int {
		switch {
		case (x.cell.Sees == "") != (y.cell.Sees == ""):
			return strings.Compare(x.cell.Sees, y.cell.Sees) // memories first
		case math.IsNaN(x.mean) || math.IsNaN(y.mean):
			return cmp.Compare(y.mean, x.mean) // NaN is least
		}
		return better(y.mean, x.mean, c)
	})
	return rows
}

// compareRows compares the memories of a group: all pairs or, if there are many, each with
// the best.
func (b *builder) compareRows(g *group) {
	memories := lists.Filter(g.rows, func(r ranked) bool { return r.cell.Sees == "" })
	for above, side := range memories {
		if above > 0 && len(memories) > allPairs {
			break
		}
		for below := above + 1; below < len(memories); below++ {
			base := memories[below]
			c := b.contrast(newMatch(base.line, side.line), g.column, len(g.pairs))
			if c.N == 0 {
				continue
			}
			c.leaveSame()
			_, c.about = side.dataset.Nouns()
			c.Run, c.BaseRun = b.names[side.run], b.names[base.run]
			c.Dataset, c.Model, c.BaseModel, c.Method, c.BaseMethod = g.dataset, g.model, g.model, side.label, base.label
			g.pairs = append(g.pairs, rankedPair{above, below, c})
		}
	}
	Decide(lists.Map(g.pairs, func(p rankedPair) *Contrast { return p.Contrast }), b.infer(g.rows[0].run.Header.Seed))
}

// sentence summarizes the pairs.
func (g group) sentence() string {
	var better, names []string
	beaten := make(map[int]bool)
	detectable, same := 0.0, true
	for above := range g.rows {
		var worse []string
		for _, p := range g.pairs {
			if p.above != above {
				continue
			}
			names = lists.AddNew(names, p.Method, p.BaseMethod)
			if same = same && p.Same(); p.Detectable != nil {
				detectable = max(detectable, *p.Detectable*p.Column.Scale)
			}
			if p.Shown {
				beaten[p.below] = true
				worse = append(worse, p.BaseMethod)
			}
		}
		if len(worse) > 0 && !beaten[above] {
			better = append(better, fmt.Sprintf("%s is significantly better than %s", g.rows[above].label, g.others(worse)))
		}
	}
	switch {
	case same:
		return fmt.Sprintf("In %s, %s score the same on every question.", g.column.Name, few(names))
	case len(better) > 0:
		return fmt.Sprintf("%s in %s.", strings.Join(better, "; "), g.column.Name)
	case detectable == 0:
		return "No ranking yet: " + g.pairs[0].Reason() + "."
	}
	return fmt.Sprintf("No difference in %s between %s is statistically significant; one of %s would be.", g.column.Name, few(names), decimal(detectable, g.column.Digits))
}

// few lists names; of many, it lists some and the number of others.
func few(names []string) string {
	if len(names) > fewNames {
		names = append(slices.Clone(names[:fewNames-1]), fmt.Sprintf("%d others", len(names)-fewNames+1))
	}
	return enumerate(names, "and")
}

// others names rows that another one is better than.
func (g group) others(names []string) string {
	memories := len(lists.Filter(g.rows, func(r ranked) bool { return r.cell.Sees == "" }))
	if len(names) > 2 && len(names) == memories-1 {
		return "all others"
	}
	return few(names)
}

const standInSentence = "The stand-in answered, which is not a language model: nothing here is comparable with published numbers."

// offlineSentence says what answered in place of a language model.
func offlineSentence(l *line) string {
	if l.model.Backend == "none" {
		return "No model took part: answers are empty, and the stand-in embeds."
	}
	return standInSentence
}

// notes returns the caveats of the sentence.
func (g group) notes() []string {
	var notes []string
	for _, r := range g.rows {
		if n, failed := r.scored(); 100*failed > n && r.cell.Sees == "" {
			notes = append(notes, fmt.Sprintf("%s failed on %d of %d questions, which count as wrong.", r.label, failed, n))
		}
	}
	samples, tested := math.MaxInt, false
	for _, p := range g.pairs {
		samples, tested = min(samples, p.Samples), tested || p.P != nil
		if p.Unpaired != "" {
			notes = lists.AddNew(notes, fmt.Sprintf("%s and %s cannot be compared question by question: %s.", p.BaseMethod, p.Method, p.Unpaired))
		}
	}
	if samples < fewSamples && tested {
		notes = append(notes, fmt.Sprintf("The test rests on %s.", g.pairs[0].units(samples)))
	}
	if g.rows[0].model.Offline {
		notes = append(notes, offlineSentence(g.rows[0].line))
	}
	return notes
}

package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/infer"
	"recallbench/metrics"
)

// A BoardEntry is what is known of a system beside its answers.
type BoardEntry struct {
	Claimed *float64 // percent, by its source; nil where it states nothing
	Note    string   // where that is, and the source's licence
}

// Board lays out the systems of an imported run of one data set under one protocol,
// the best by f1@span first, and says in its title which of them are told apart. The
// entries are by the labels of methods.
func Board(r *Run, entries map[string]BoardEntry, o Options) (*Document, error) {
	o.Intervals, o.Ranks = true, true
	b, err := newBuilder(o, r)
	if err != nil {
		return nil, err
	}
	if b.lines, err = b.linesOf(r); err != nil {
		return nil, err
	}
	if err := b.selectColumns(); err != nil {
		return nil, err
	}
	b.nameRuns([]*Run{r})
	span, ok := b.column(metrics.SpanSpec.Columns[0].Name)
	if !ok {
		return nil, errors.New("the board ranks by f1@span, and the run is not scored with it")
	}
	mean := func(l *line) float64 {
		s, _ := l.summary(span, l.ids())
		return s.mean
	}
	slices.SortStableFunc(b.lines, func(x, y *line) int { return cmp.Compare(mean(y), mean(x)) })
	corrected := make(map[string]*line) // by the ids of the cells
	if r.Under != nil && len(b.lines[0].dataset.Errata) > 0 {
		lines, err := b.linesUnder(r, errata.Corrected)
		if err != nil {
			return nil, err
		}
		for _, l := range lines {
			corrected[l.cell.ID] = l
		}
	}
	verdict, ranks := b.decide(b.lines, span, mean)
	d := b.lines[0].dataset
	t := &Table{Name: d.Label, Title: verdict, Rows: [][]Cell{}, Columns: []Column{
		{Name: "system"}, {Name: "rank", Number: true}, {Name: span.Name, Number: true}, {Name: "own-judge", Head: "own judge", Number: true}, {Name: "claimed", Number: true},
	}}
	var beside []metrics.Column
	for _, spec := range []*metrics.Spec{metrics.WordsSpec, metrics.F1Mem0Spec, metrics.F1LoCoMoSpec} {
		if c, ok := b.column(spec.Columns[0].Name); ok {
			beside = append(beside, c)
			t.Columns = append(t.Columns, Column{Name: c.Name, Number: true})
		}
	}
	if len(corrected) > 0 {
		t.Columns = append(t.Columns, Column{Name: "corrected-key", Head: span.Name + ", corrected key", Number: true})
	}
	t.Columns = append(t.Columns, Column{Name: "missing", Number: true})
	plain := *b // without intervals, but in the first column
	plain.Intervals = false
	for i, l := range b.lines {
		entry := entries[l.cell.Method]
		name := text(l.cell.Method)
		if entry.Note != "" {
			name.Notes = append(name.Notes, t.Note(entry.Note))
		}
		row := []Cell{name, text(placeOf(ranks[i])), b.cell(t, l, span, l.ids()), b.ownJudge(l), scaled(entry.Claimed, 1, 2)}
		for _, c := range beside {
			row = append(row, plain.cell(t, l, c, l.ids()))
		}
		if len(corrected) > 0 {
			var cell Cell
			if other := corrected[l.cell.ID]; other != nil {
				cell = plain.cell(t, other, span, other.ids())
			}
			row = append(row, cell)
		}
		_, missing, _ := l.scored()
		t.Rows = append(t.Rows, append(row, count(missing)))
	}
	n, _ := b.lines[0].n(b.lines[0].ids())
	t.NoteTitle(
		fmt.Sprintf("%s of %s in %d conversations, the same for all; %s with its 95 %% interval over conversations; a missing answer counts as wrong", Plural(n, "question"), d.Label, d.Samples, span.Name),
		"rank: 1 and the systems that are significantly better, to all less those that are significantly worse; joint sign flips of conversations, adjusted over all pairs by max-T",
	)
	return &Document{Tables: []*Table{t}}, nil
}

// ownJudge prints the mean of the judge whose verdicts came with a system's answers.
func (b *builder) ownJudge(l *line) (cell Cell) {
	most := 0
	for _, c := range b.columns {
		if c.Name != "judge" && !strings.HasPrefix(c.Name, "judge:") {
			continue
		}
		if s, ok := l.summary(c, l.ids()); ok && s.n > most { // all judges have a failed request for wrong
			most, cell = s.n, scaled(&s.mean, c.Scale, 2)
		}
	}
	return cell
}

// decide compares all pairs of lines, best first, and says how the first stands to the
// others.
func (b *builder) decide(lines []*line, c metrics.Column, mean func(*line) float64) (verdict string, ranks []infer.Rank) {
	units := func(i, j int) []infer.Unit { return joinRequests(lines[i], lines[j]).pair(b.at(c.Name), b.Unit).units }
	o := b.infer(lines[0].run.Header.Seed)
	o.Correct, o.Joint = infer.MaxT, true
	ranks = infer.Ranks(len(lines), units, func(i int) float64 { return mean(lines[i]) }, o)
	if len(lines) == 1 {
		return lines[0].cell.Method, ranks
	}
	var rows []infer.Row
	for i := range lines {
		for j := range i {
			rows = append(rows, infer.Row{Units: units(j, i)})
		}
	}
	results := infer.Decide(rows, o)
	var behind, apart []string
	for i := 1; i < len(lines); i++ {
		r := results[i*(i-1)/2] // the first against line i
		if r.Shown {
			apart = append(apart, lines[i].cell.Method)
			continue
		}
		said := signed((mean(lines[0])-mean(lines[i]))*c.Scale, 1)
		if r.Interval != nil {
			said += fmt.Sprintf("; %s to %s before adjustment", signed(r.Interval.Lo*c.Scale, 1), signed(r.Interval.Hi*c.Scale, 1))
		}
		behind = append(behind, fmt.Sprintf("%s (%s)", lines[i].cell.Method, said))
	}
	verdict = lines[0].cell.Method + " has the best answers"
	if len(behind) > 0 {
		verdict += fmt.Sprintf(", with no significant difference, adjusted over %d pairs, to %s", len(rows), strings.Join(behind, " and "))
	}
	switch {
	case len(apart) == len(lines)-1:
		verdict += ", significantly better than all others"
	case len(apart) > 0:
		verdict += fmt.Sprintf("; significantly better than the other %d", len(apart))
	}
	return verdict, ranks
}

package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
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
	o.Keys = true
	b, err := open([]*Run{r}, o)
	if err != nil {
		return nil, err
	}
	if err := b.readKeys([]*Run{r}); err != nil {
		return nil, err
	}
	span, ok := b.column(metrics.SpanSpec.Columns[0].Name)
	if !ok {
		return nil, errors.New("the board ranks by f1@span, and the run is not scored with it")
	}
	mean := func(l *line) float64 {
		s, _ := l.summary(span, l.ids())
		return s.mean
	}
	slices.SortStableFunc(b.lines, func(x, y *line) int { return cmp.Compare(mean(y), mean(x)) })
	first := b.lines[0]
	ranks := b.ranks(b.lines, span, infer.Options{Joint: true, AcceptTwo: o.AcceptTwo, Seed: r.Header.Seed})
	d := first.dataset
	t := &Table{Name: d.Label, Title: b.boardVerdict(span), Rows: lists.Map(b.lines, func(l *line) []Cell { return []Cell{text(l.cell.Method)} }), Columns: []Column{{Name: "system"}}}
	add := func(name, head string, of func(*line) Cell) {
		t.Columns = append(t.Columns, Column{Name: name, Head: head, Number: true})
		for i, l := range b.lines {
			t.Rows[i] = append(t.Rows[i], of(l))
		}
	}
	for i, l := range b.lines {
		t.Rows[i][0].Notes = t.notes(entries[l.cell.Method].Note)
	}
	withInterval := *b
	withInterval.Intervals = true
	add("rank", "", func(l *line) Cell { return text(placeOf(ranks[slices.Index(b.lines, l)])) })
	add(span.Name, "", func(l *line) Cell { return withInterval.cell(t, l, span, l.ids()) })
	add("own-judge", "own judge", b.ownJudge)
	add("claimed", "", func(l *line) Cell { return scaled(entries[l.cell.Method].Claimed, 1, 2) })
	for _, spec := range []*metrics.Spec{metrics.WordsSpec, metrics.F1Mem0Spec, metrics.F1LoCoMoSpec} {
		if c, ok := b.column(spec.Columns[0].Name); ok {
			add(c.Name, "", func(l *line) Cell { return b.cell(t, l, c, l.ids()) })
		}
	}
	if first.under != nil {
		add("corrected-key", span.Name+", corrected key", func(l *line) Cell {
			u := l.by(errata.Corrected)
			return b.cell(t, u, span, u.ids())
		})
	}
	add("missing", "", func(l *line) Cell { _, missing, _ := l.scored(); return count(missing) })
	t.NoteTitle(
		fmt.Sprintf("%s of %s in %d conversations, the same for all; %s with its 95 %% interval over conversations; a missing answer counts as wrong", Plural(len(first.items), "question"), d.Label, d.Samples, span.Name),
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

// boardVerdict compares all pairs of rows, best first, and says how the first stands to the
// others.
func (b *builder) boardVerdict(c metrics.Column) string {
	verdict := b.lines[0].cell.Method
	var all, withFirst []*Contrast
	for i, l := range b.lines {
		for j, base := range b.lines[:i] {
			x := b.contrast(newMatch(l, base), c, 0)
			if all = append(all, x); j == 0 {
				withFirst = append(withFirst, x)
			}
		}
	}
	if len(all) == 0 {
		return verdict
	}
	Decide(all, infer.Options{AcceptTwo: b.AcceptTwo, Seed: b.lines[0].run.Header.Seed})
	var behind []string
	for i, x := range withFirst {
		if x.Shown {
			continue
		}
		said := signed(x.Difference()*c.Scale, 1)
		if x.Interval != nil {
			said += fmt.Sprintf("; %s to %s before adjustment", signed(x.Interval.Lo*c.Scale, 1), signed(x.Interval.Hi*c.Scale, 1))
		}
		behind = append(behind, fmt.Sprintf("%s (%s)", b.lines[i+1].cell.Method, said))
	}
	verdict += " has the best answers"
	if len(behind) > 0 {
		verdict += fmt.Sprintf(", with no significant difference, adjusted over %d pairs, to %s", len(all), strings.Join(behind, " and "))
	}
	switch apart := len(withFirst) - len(behind); {
	case len(behind) == 0:
		verdict += ", significantly better than all others"
	case apart > 0:
		verdict += fmt.Sprintf("; significantly better than the other %d", apart)
	}
	return verdict
}

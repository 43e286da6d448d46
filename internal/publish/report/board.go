package report

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/infer"
	"recallbench/metrics"
)

// A BoardEntry is what is known about a system besides its answers.
type BoardEntry struct {
	Claimed *float64 // percent, by its source; nil without a claim
	Note    string   // where the claim is, and the source's licence
}

// Board lays out the systems of an imported run of one dataset under one protocol,
// the best by f1@span first, and says in its title which of them differ significantly.
// The keys of entries are labels of methods.
func Board(r *Run, entries map[string]BoardEntry, o Options) (*Document, error) {
	o.Keys = true
	b, err := open([]*Run{r}, o)
	if err != nil {
		return nil, err
	}
	if err := b.readKeys(); err != nil {
		return nil, err
	}
	span, ok := b.column(metrics.SpanSpec.Columns[0].Name)
	if !ok {
		return nil, errors.New("the board ranks by f1@span, and the run is not scored with it")
	}
	lines := rank(b.lines, span)
	places := make(map[*line]infer.Rank)
	for i, rank := range b.ranks(lines, span, infer.Options{Joint: true, AcceptTwo: o.AcceptTwo, Seed: r.Header.Seed}) {
		places[lines[i]] = rank
	}
	d := lines[0].dataset
	t := &Table{Name: d.Label, Title: b.boardVerdict(lines, span)}
	withInterval := *b
	withInterval.Intervals = true
	judge := NumberField("own-judge", b.ownJudge)
	judge.Head = "own judge"
	columns := []Field[*line]{
		NotedField(t, "system", func(l *line) (string, []string) { return l.cell.Method, []string{entries[l.cell.Method].Note} }),
		NumberField("rank", func(l *line) Cell {
			low, high := places[l].Lowest, places[l].Highest
			return text(strconv.Itoa(low) + noteIf(low != high, "–%d", high))
		}),
		withInterval.mean(t, span),
		judge,
		NumberField("claimed", func(l *line) Cell { return scaled(entries[l.cell.Method].Claimed, 1, 2) }),
	}
	for _, spec := range []*metrics.Spec{metrics.WordsSpec, metrics.F1Mem0Spec, metrics.F1LoCoMoSpec} {
		if c, ok := b.column(spec.Columns[0].Name); ok {
			columns = append(columns, b.mean(t, c))
		}
	}
	if lines[0].under != nil {
		corrected := b.mean(t, span)
		corrected.Name, corrected.Head = "corrected-key", span.Name+", corrected key"
		corrected.Of = func(l *line) Cell { u := l.by(errata.Corrected); return b.cell(t, u, span, u.ids()) }
		columns = append(columns, corrected)
	}
	columns = append(columns, NumberField("missing", func(l *line) Cell { _, missing := l.scored(); return Whole(missing) }))
	Fill(t, lines, columns...)
	t.NoteTitle(
		fmt.Sprintf("%s of %s in %d conversations, the same for all; %s with its 95 %% interval over conversations; a missing answer counts as wrong", Plural(len(lines[0].items), "question"), d.Label, d.Samples, span.Name),
		"rank: from 1 plus the number of significantly better systems, to the number of systems minus the significantly worse ones; joint sign flips of conversations, adjusted over all pairs by max-T",
	)
	return &Document{Tables: []*Table{t}}, nil
}

// ownJudge prints the mean of the judge whose verdicts came with a system's answers.
func (b *builder) ownJudge(l *line) (cell Cell) {
	most := 0
	for _, c := range b.columns {
		if c.Name != metrics.JudgeColumn && !strings.HasPrefix(c.Name, metrics.JudgeColumn+":") {
			continue
		}
		if s, ok := l.summary(c, l.ids()); ok && s.n > most { // every judge counts a failed request as wrong
			most, cell = s.n, scaled(&s.mean, c.Scale, 2)
		}
	}
	return cell
}

// boardVerdict compares all pairs of rows, best first, and says how the first compares with
// the others.
func (b *builder) boardVerdict(lines []*line, c metrics.Column) string {
	var all []*Contrast
	for i, l := range lines {
		for _, above := range lines[:i] {
			all = append(all, b.contrast(newMatch(l, above), c, 0))
		}
	}
	Decide(all, infer.Options{AcceptTwo: b.AcceptTwo, Seed: lines[0].run.Header.Seed})
	var behind []string
	for _, x := range all {
		if x.line != lines[0] || x.Shown {
			continue
		}
		said := signed(x.Difference()*c.Scale, 1)
		if x.Interval != nil {
			said += fmt.Sprintf("; %s to %s before adjustment", signed(x.Interval.Lo*c.Scale, 1), signed(x.Interval.Hi*c.Scale, 1))
		}
		behind = append(behind, fmt.Sprintf("%s (%s)", x.base.cell.Method, said))
	}
	verdict := lines[0].cell.Method + " has the best answers"
	if len(behind) == 0 {
		return verdict + ", significantly better than all others"
	}
	return verdict + fmt.Sprintf(", with no significant difference, adjusted over %d pairs, to %s", len(all), strings.Join(behind, " and "))
}

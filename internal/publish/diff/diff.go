// Package diff shows the questions on which two runs disagree.
package diff

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/text/suggest"
	"recallbench/internal/text/termsafe"
	"recallbench/metrics"
)

// Options say what is compared and shown.
type Options struct {
	// Metric finds a metric by its name.
	Metric func(name string) (*metrics.Spec, error)
	// Column names the one that alone decides which answers are right; empty for people,
	// judges and f1@span.
	Column string
	// Categories are ids or names of those to compare; none for all.
	Categories []string
	// Limit is how many questions of each verdict and pair of rows are shown; 0 for all.
	Limit int
	// All also shows the questions that both answer right, or both wrong.
	All bool
}

// A Diff is a comparison of two sides, for printing.
type Diff struct {
	Options
	names [2]string      // of the sides, as a person gave them
	shown metrics.Column // whose values are shown with answers
	pairs []pair
	notes []string
}

// A pair holds two cells that were compared.
type pair struct {
	a, b    record.Cell
	dataset record.Dataset
	scored.Comparison
}

// Open compares two sides, which have the names that a person gave them. Rows are matched
// by dataset, method, model and seed.
func Open(of [2]report.Side, names [2]string, o Options) (d *Diff, err error) {
	d = &Diff{Options: o, names: names}
	var runs [2]*scored.Run
	for i, s := range of {
		if s.Header.Baseline != nil {
			return nil, fmt.Errorf("%s is a baseline, which has the scores of a run, but no questions or answers", names[i])
		}
		if note := s.Header.EditedNote(); note != "" {
			d.notes = append(d.notes, names[i]+" was "+note)
		}
		if runs[i], err = scored.Open(s.Folder, s.Header); err != nil {
			return nil, err
		}
	}
	matched, notes, err := scored.Match(of[0].Header.Cells, of[1].Header.Cells)
	if err != nil {
		return nil, err
	}
	d.notes = append(d.notes, notes...)
	if err := errors.Join(d.chooseColumn(of[0].Header.Metrics, of[1].Header.Metrics), d.checkCategories(of[0].Header)); err != nil {
		return nil, err
	}
	for _, cells := range matched {
		p := pair{a: cells[0], b: cells[1]}
		p.dataset, _ = of[0].Header.Dataset(p.a.Dataset)
		kept := make(map[scored.Verdict]int)
		p.Comparison, err = scored.Compare(scored.Side{Run: runs[0], Cell: p.a}, scored.Side{Run: runs[1], Cell: p.b}, d.Column, scored.Filter{
			Ask: func(q scored.Request) bool { return len(d.Categories) == 0 || d.wants(p.dataset, q.Gold.Category) },
			Keep: func(v scored.Verdict) bool {
				kept[v]++
				return (d.All || v == scored.Lost || v == scored.Gained) && (d.Limit <= 0 || kept[v] <= d.Limit)
			},
		})
		if err != nil {
			return nil, err
		}
		d.pairs = append(d.pairs, p)
	}
	return d, nil
}

// chooseColumn finds the column that decides alone, or else, among those that both runs
// have, the one that shows best which answers are right.
func (d *Diff) chooseColumn(a, b []string) (err error) {
	specs, err := metrics.FindAll(lists.Filter(a, func(name string) bool { return slices.Contains(b, name) }), d.Metric)
	if err != nil {
		return err
	}
	if d.Column != "" {
		if d.shown, err = scored.Decider(specs, d.Column); err != nil {
			err = fmt.Errorf("--column: %w", err)
		}
		return err
	}
	judged := func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return metrics.Decides(name) > metrics.Decides(metrics.ChoiceSpec.Name) })
	}
	if judged(a) != judged(b) {
		d.notes = append(d.notes, "only one side was judged; --column f1@span treats both alike")
	}
	d.shown, err = scored.Judging(specs)
	return err
}

// wants reports whether --category names a category of a dataset.
func (d *Diff) wants(of record.Dataset, category string) bool {
	return slices.ContainsFunc(d.Categories, func(name string) bool {
		return strings.EqualFold(name, category) || strings.EqualFold(name, of.CategoryName(category))
	})
}

func (d *Diff) checkCategories(h record.Header) error {
	var known []string
	for _, of := range h.Datasets {
		for _, c := range of.Categories {
			known = lists.AddNew(known, c.ID, c.Name)
		}
	}
	for _, n := range d.Categories {
		if !slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, n) }) {
			return fmt.Errorf("--category: %s", suggest.Unknown("category", n, known))
		}
	}
	return nil
}

// A cellsLine is the JSON line of two cells, with the number of requests of each verdict.
type cellsLine struct {
	Type string      `json:"type"` // "cells"
	Runs [2]string   `json:"runs"` // as they were named
	A    record.Cell `json:"a"`
	B    record.Cell `json:"b"`
	// By is the column that alone decided which answers are right; empty if people, judges
	// and f1@span did. Column is the one whose values are shown.
	By     string                 `json:"by,omitempty"`
	Column string                 `json:"column"`
	Counts map[scored.Verdict]int `json:"counts"`
	// P is the p-value of McNemar's exact test, which treats requests as independent.
	P       float64        `json:"p_mcnemar"`
	Unclear int            `json:"unclear,omitzero"`
	OnlyA   int            `json:"only_a,omitzero"`
	OnlyB   int            `json:"only_b,omitzero"`
	Changed []record.Asked `json:"changed,omitempty"`
}

// A requestLine is the JSON line of a request, with its question and gold answer.
type requestLine struct {
	Type    string         `json:"type"` // "request"
	Verdict scored.Verdict `json:"verdict"`
	record.Gold
	A     sideAnswer    `json:"a"`
	B     sideAnswer    `json:"b"`
	Turns []scored.Turn `json:"turns,omitempty"`
}

type sideAnswer struct {
	Answer  string         `json:"answer"`
	Value   *float64       `json:"value"` // in the unit of tables
	Outcome scored.Outcome `json:"outcome"`
	Error   string         `json:"error,omitzero"`
	Blocks  int            `json:"blocks"` // of evidence
	// Sourceless is set if the turns that the blocks come from are unknown.
	Sourceless bool `json:"sourceless,omitzero"`
}

func (d *Diff) request(q scored.Pair) requestLine {
	return requestLine{Type: "request", Verdict: q.Verdict, Gold: q.A.Gold, A: d.answer(q.A, q.OutcomeA), B: d.answer(q.B, q.OutcomeB), Turns: q.Turns()}
}

func (d *Diff) answer(q scored.Request, outcome scored.Outcome) sideAnswer {
	v := sideAnswer{Answer: q.Record.Answer, Outcome: outcome, Blocks: len(q.Evidence), Sourceless: q.Cell.Lacks(metrics.Evidence)}
	if q.Score != nil && q.Score.Values[d.shown.Name] != nil {
		v.Value = new(*q.Score.Values[d.shown.Name] * d.shown.Scale)
	}
	if q.Record.Error != nil {
		v.Error = q.Record.Error.Kind + ": " + q.Record.Error.Message
	}
	return v
}

func (p pair) mcNemar() float64 {
	return stats.McNemar(p.Counts[scored.Lost], p.Counts[scored.Gained])
}

// WriteJSON writes a line for each pair of cells, followed by one for each request, with
// texts in full.
func (d *Diff) WriteJSON(w io.Writer) error {
	enc := jsonout.NewEncoder(w)
	for _, p := range d.pairs {
		head := cellsLine{"cells", d.names, p.a, p.b, d.Column, d.shown.Name, p.Counts, p.mcNemar(), p.Unclear, p.OnlyA, p.OnlyB, p.Changed}
		if err := errors.Join(enc.Encode(head), jsonout.Encode(enc, lists.Map(p.Pairs, d.request)...)); err != nil {
			return err
		}
	}
	return nil
}

// WriteText writes the same for people, with the requests grouped by verdict.
func (d *Diff) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	by := cmp.Or(d.Column, "people, else judges, else f1@span; values are "+d.shown.Name)
	fmt.Fprintf(b, "A  %s\nB  %s\nright by %s\n", termsafe.Visible(d.names[0]), termsafe.Visible(d.names[1]), by)
	for _, n := range d.notes {
		fmt.Fprintln(b, termsafe.Visible(n))
	}
	for _, p := range d.pairs {
		p.writeHead(b)
		for _, v := range scored.Verdicts() {
			of := lists.Filter(p.Pairs, func(q scored.Pair) bool { return q.Verdict == v })
			if len(of) > 0 {
				fmt.Fprintf(b, "\n%s (%d of %d)\n", verdictTitles[v], len(of), p.Counts[v])
			}
			for _, q := range of {
				writeRequest(b, d.request(q), p.dataset.CategoryName(q.A.Gold.Category))
			}
		}
	}
	return b.Flush()
}

// verdictTitles are the titles of groups of requests.
var verdictTitles = map[scored.Verdict]string{
	scored.Lost: "Lost: right in A only", scored.Gained: "Gained: right in B only",
	scored.BothRight: "Right in both", scored.BothWrong: "Wrong in both",
}

// writeHead names two cells, counts their requests, and says what was not compared.
func (p pair) writeHead(b *bufio.Writer) {
	names := func(c record.Cell) []string {
		return []string{c.Dataset, c.Method, c.Model, fmt.Sprint("seed ", c.Seed)}
	}
	both := names(p.a)
	for i, other := range names(p.b) {
		if both[i] != other {
			both[i] += " → " + other
		}
	}
	lost, gained := p.Counts[scored.Lost], p.Counts[scored.Gained]
	fmt.Fprintf(b, "\n%s\n%d compared: %d right in both, %d wrong in both, %d lost, %d gained, net %+d; exact McNemar p %.4f\n", termsafe.Visible(strings.Join(both, ", ")),
		p.Compared(), p.Counts[scored.BothRight], p.Counts[scored.BothWrong], lost, gained, gained-lost, p.mcNemar())
	for _, of := range []struct {
		n   int
		why string
	}{
		{len(p.Changed), "the question or its gold answer differs"}, {p.OnlyA, "asked in A only"}, {p.OnlyB, "asked in B only"}, {p.Unclear, "an answer is unclear"},
	} {
		if of.n > 0 {
			fmt.Fprintf(b, "not compared, because %s: %d\n", of.why, of.n)
		}
	}
}

// The longest texts that people see in full, in characters.
const (
	cutAnswer = 400
	cutTurn   = 200
)

// writeRequest writes what two cells answered to a request of a category.
func writeRequest(b *bufio.Writer, r requestLine, category string) {
	title := r.Sample + " " + r.Request
	if r.Name != "" {
		title += " (" + r.Name + ")"
	}
	gold := strings.Join(append([]string{r.Answer}, r.Variants...), " | ")
	if r.Abstain && r.Answer == "" {
		gold = "to abstain"
	}
	fmt.Fprintf(b, "\n%s\n  question    %s\n  gold        %s\n", termsafe.Visible(title+", "+category), termsafe.Excerpt(r.Question, cutAnswer), termsafe.Excerpt(gold, cutAnswer))
	for i, v := range []sideAnswer{r.A, r.B} {
		value := "–"
		if v.Value != nil {
			value = strconv.FormatFloat(*v.Value, 'g', 4, 64)
		}
		fmt.Fprintf(b, "  %c  %-8s %s: %s\n", 'A'+i, value, v.Outcome, termsafe.Excerpt(cmp.Or(v.Error, v.Answer), cutAnswer))
	}
	for _, t := range r.Turns {
		fmt.Fprintf(b, "  gold turn   %s, %s in A, %s in B: %s\n", termsafe.Visible(t.ID), shownBy(r.A, t.A), shownBy(r.B, t.B), termsafe.Excerpt(t.Text, cutTurn))
	}
}

// shownBy returns which block of a side shows a gold turn.
func shownBy(v sideAnswer, rank int) string {
	switch {
	case v.Sourceless:
		return "unknown"
	case rank == 0:
		return "not retrieved"
	}
	return fmt.Sprintf("block %d", rank)
}

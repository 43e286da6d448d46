package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/text/suggest"
	"recallbench/internal/text/termsafe"
	"recallbench/metrics"
	metricsuite "recallbench/metrics/suite"
)

type diffFlags struct {
	column     string
	categories []string
	limit      int
	all, full  bool
	format     string
	file       string
	edits      editsFlag
}

func newDiffCommand(a *app) *cobra.Command {
	var flags diffFlags
	formats := []string{"text", "json"}
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Show the questions on which two runs disagree",
		Long: `Diff shows the questions that flipped between two runs: lost ones, which A answers
right and B wrong, and gained ones. Each comes with its gold answer, both answers with
their values, and the gold turns, with the side that retrieved each.

A and B are run folders, or RUN:LABEL for one method of a run. Rows are matched by
dataset, method, model and seed; labels may differ where each side has only one.

People's labels decide whether an answer is right, else a judge, else f1@span: right
from 70 up, wrong from 10 down. Pairs with an answer in between are not compared
(docs/scores.md). With --column, one judge or metric decides alone.`,
		Example: `  bench diff results/runs/before results/runs/after
  bench diff RUN:Naive\ RAG RUN:xmemory --column judge
  bench diff A B --column f1@span --category temporal --limit 10
  bench diff A B --format json | jq 'select(.verdict == "lost").question'`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) (err error) {
			if flags.limit < 0 {
				return usageError(fmt.Errorf("--limit is %d, want at least 1, or 0 for all", flags.limit))
			}
			if err := oneOf("--format", flags.format, formats); err != nil {
				return usageError(err)
			}
			if flags.format, err = outFormat(flags.file, flags.format, "text", map[string]string{".txt": "text", ".json": "json", ".jsonl": "json"}); err != nil {
				return usageError(err)
			}
			d, err := openDiff(args[0], args[1], flags)
			if err != nil {
				return usageError(err)
			}
			write := d.text
			if flags.format == "json" {
				write = d.json
			}
			if flags.file == "" {
				return write(a.stdout)
			}
			return a.writeOut(flags.file, write)
		},
	}
	cmd.Flags().StringVar(&flags.column, "column", "", "`column` of a judge, or f1@span, that alone decides which answers are right")
	cmd.Flags().StringSliceVar(&flags.categories, "category", nil, "only questions of `categories`, by id or name, separated by commas")
	cmd.Flags().IntVar(&flags.limit, "limit", 0, "show at most `N` questions of each kind and row; 0 shows all")
	cmd.Flags().BoolVar(&flags.all, "all", false, "also show the questions that both answer right, or both wrong")
	cmd.Flags().BoolVar(&flags.full, "full", false, "show long texts in full")
	cmd.Flags().StringVar(&flags.format, "format", "", "`format`: "+strings.Join(formats, ", ")+" (default: by the name of --out, else text)")
	cmd.Flags().StringVar(&flags.file, "out", "", "`file` to write instead of stdout")
	flags.edits.add(cmd)
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

// A diff is a comparison of two sides, for printing.
type diff struct {
	diffFlags
	a, b  diffSide
	shown metrics.Column // whose values are shown with answers
	pairs []diffPair
	notes []string
}

// A diffSide has the cells of a run, or of one of its methods, to compare.
type diffSide struct {
	name  string
	run   *scored.Run
	cells []record.Cell
}

// A diffPair holds two cells to compare.
type diffPair struct {
	a, b    record.Cell
	dataset record.Dataset
	scored.Comparison
}

// openDiff opens and compares two sides.
func openDiff(left, right string, flags diffFlags) (d *diff, err error) {
	d = &diff{diffFlags: flags}
	if d.a, err = openSide(left, flags.edits); err != nil {
		return nil, err
	}
	if d.b, err = openSide(right, flags.edits); err != nil {
		return nil, err
	}
	if d.pairs, d.notes, err = matchCells(d.a, d.b); err != nil {
		return nil, err
	}
	for _, s := range []diffSide{d.a, d.b} {
		if note := s.run.Header.EditedNote(); note != "" {
			d.notes = append(d.notes, s.name+" was "+note)
		}
	}
	if err := d.chooseColumn(); err != nil {
		return nil, err
	}
	if err := d.checkCategories(); err != nil {
		return nil, err
	}
	for i := range d.pairs {
		p := &d.pairs[i]
		kept := make(map[scored.Verdict]int)
		p.Comparison, err = scored.Compare(scored.Side{Run: d.a.run, Cell: p.a}, scored.Side{Run: d.b.run, Cell: p.b}, d.column, scored.Filter{
			Ask: func(q scored.Request) bool {
				return len(d.categories) == 0 || slices.ContainsFunc(d.categories, func(name string) bool {
					return strings.EqualFold(name, q.Gold.Category) || strings.EqualFold(name, p.dataset.CategoryName(q.Gold.Category))
				})
			},
			Keep: func(v scored.Verdict) bool {
				if !d.all && v != scored.Lost && v != scored.Gained {
					return false
				}
				kept[v]++
				return d.limit == 0 || kept[v] <= d.limit
			},
		})
		if err != nil {
			return nil, err
		}
	}
	return d, nil
}

// openSide opens RUN, or RUN:LABEL for the cells of one method.
func openSide(arg string, edits editsFlag) (s diffSide, err error) {
	of, err := side(arg, edits.options()...)
	if err != nil {
		return s, err
	}
	dir, _ := splitSide(arg)
	folder, header, err := record.Open(dir, edits.options()...)
	if err != nil {
		return s, err
	}
	s.name = arg
	s.cells = lists.Filter(header.Cells, func(c record.Cell) bool {
		return (of.Method == "" || c.Method == of.Method) && (of.Model == "" || c.Model == of.Model)
	})
	s.run, err = scored.Open(folder, header)
	return s, err
}

// matchCells pairs the cells of two sides that have the same dataset, method, model and
// seed; of these, one that has a single value on each side may differ. A note names cells
// without a partner.
func matchCells(a, b diffSide) (pairs []diffPair, notes []string, err error) {
	var apart []func(record.Cell) string // distinguishes cells
	for _, of := range []func(record.Cell) string{
		func(c record.Cell) string { return c.Dataset },
		func(c record.Cell) string { return c.Method },
		func(c record.Cell) string { return c.Model },
		func(c record.Cell) string { return "seed " + strconv.FormatUint(c.Seed, 10) },
	} {
		if len(lists.Distinct(a.cells, of)) > 1 || len(lists.Distinct(b.cells, of)) > 1 {
			apart = append(apart, of)
		}
	}
	name := func(c record.Cell) string {
		return strings.Join(lists.Map(apart, func(of func(record.Cell) string) string { return of(c) }), ", ")
	}
	partners := make(map[string]record.Cell)
	for _, c := range b.cells {
		partners[name(c)] = c
	}
	for _, c := range a.cells {
		partner, ok := partners[name(c)]
		if !ok {
			notes = append(notes, name(c)+" is in A only")
			continue
		}
		delete(partners, name(c))
		p := diffPair{a: c, b: partner}
		p.dataset, _ = a.run.Header.Dataset(c.Dataset)
		pairs = append(pairs, p)
	}
	if len(pairs) == 0 {
		return nil, nil, fmt.Errorf("no row in common: %s has %s; %s has %s; name one of each, such as %q and %q", a.name, strings.Join(lists.Map(a.cells, name), " and "),
			b.name, strings.Join(lists.Map(b.cells, name), " and "), a.name+":"+a.cells[0].Method, b.name+":"+b.cells[0].Method)
	}
	for _, c := range b.cells {
		if _, left := partners[name(c)]; left {
			notes = append(notes, name(c)+" is in B only")
		}
	}
	return pairs, notes, nil
}

// chooseColumn finds the column that decides alone, or else, among those that both runs
// have, the one that shows best which answers are right.
func (d *diff) chooseColumn() (err error) {
	a, b := d.a.run.Header.Metrics, d.b.run.Header.Metrics
	var specs []*metrics.Spec
	for _, name := range a {
		if spec, err := metricsuite.Find(name); err == nil && slices.Contains(b, name) {
			specs = append(specs, spec)
		}
	}
	if d.column != "" {
		if d.shown, err = scored.Decider(specs, d.column); err != nil {
			err = fmt.Errorf("--column: %w", err)
		}
		return err
	}
	judged := func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return metrics.Decides(name) > metrics.Decides(metrics.ChoiceSpec.Name) })
	}
	if judged(a) != judged(b) {
		d.notes = append(d.notes, "only "+map[bool]string{true: "A", false: "B"}[judged(a)]+" was judged; --column f1@span treats both sides alike")
	}
	d.shown, err = scored.Judging(specs)
	return err
}

func (d *diff) checkCategories() error {
	var known []string
	for _, p := range d.pairs {
		for _, c := range p.dataset.Categories {
			known = lists.AddNew(known, c.ID, c.Name)
		}
	}
	slices.Sort(known)
	for _, n := range d.categories {
		if !slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, n) }) {
			return fmt.Errorf("--category: %s", suggest.Unknown("category", n, known))
		}
	}
	return nil
}

// A diffHead is the JSON line of two cells, with the number of requests of each kind.
type diffHead struct {
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
	P       float64     `json:"p_mcnemar"`
	Unclear int         `json:"unclear,omitzero"`
	OnlyA   int         `json:"only_a,omitzero"`
	OnlyB   int         `json:"only_b,omitzero"`
	Changed []scored.ID `json:"changed,omitempty"`
}

// A diffRequest is the JSON line of a request, with its question and gold answer.
type diffRequest struct {
	Type    string         `json:"type"` // "request"
	Verdict scored.Verdict `json:"verdict"`
	record.Gold
	A     diffAnswer    `json:"a"`
	B     diffAnswer    `json:"b"`
	Turns []scored.Turn `json:"turns,omitempty"`
}

func (d *diff) request(q scored.Pair) diffRequest {
	return diffRequest{Type: "request", Verdict: q.Verdict, Gold: q.A.Gold, A: d.answer(q.A, q.OutcomeA), B: d.answer(q.B, q.OutcomeB), Turns: q.Turns()}
}

type diffAnswer struct {
	Answer  string         `json:"answer"`
	Value   *float64       `json:"value"` // in the unit of tables
	Outcome scored.Outcome `json:"outcome"`
	Error   string         `json:"error,omitzero"`
	Blocks  int            `json:"blocks"` // of evidence
	// Sourceless is set if the turns that the blocks come from are unknown.
	Sourceless bool `json:"sourceless,omitzero"`
}

func (d *diff) answer(q scored.Request, outcome scored.Outcome) diffAnswer {
	v := diffAnswer{Answer: q.Record.Answer, Outcome: outcome, Blocks: len(q.Evidence), Sourceless: q.Cell.Lacks(metrics.Evidence)}
	if q.Score != nil && q.Score.Values[d.shown.Name] != nil {
		v.Value = new(*q.Score.Values[d.shown.Name] * d.shown.Scale)
	}
	if q.Record.Error != nil {
		v.Error = q.Record.Error.Kind + ": " + q.Record.Error.Message
	}
	return v
}

// json writes a line for each pair of cells, followed by one for each request, with
// texts in full.
func (d *diff) json(w io.Writer) error {
	enc := jsonout.NewEncoder(w)
	for _, p := range d.pairs {
		head := diffHead{"cells", [2]string{d.a.name, d.b.name}, p.a, p.b, d.column, d.shown.Name, p.Counts, p.mcNemar(), p.Unclear, p.OnlyA, p.OnlyB, p.Changed}
		if err := enc.Encode(head); err != nil {
			return err
		}
		if err := jsonout.Encode(enc, lists.Map(p.Pairs, d.request)...); err != nil {
			return err
		}
	}
	return nil
}

// text writes the same for people, with the requests grouped by verdict.
func (d *diff) text(w io.Writer) error {
	b := bufio.NewWriter(w)
	by := d.column
	if by == "" {
		by = "people, else judges, else f1@span; values are " + d.shown.Name
	}
	fmt.Fprintf(b, "A  %s\nB  %s\nright by %s\n", termsafe.Visible(d.a.name), termsafe.Visible(d.b.name), by)
	for _, n := range d.notes {
		fmt.Fprintln(b, termsafe.Visible(n))
	}
	for _, p := range d.pairs {
		p.writeHead(b)
		for _, v := range scored.Verdicts() {
			of := lists.Filter(p.Pairs, func(q scored.Pair) bool { return q.Verdict == v })
			if len(of) == 0 {
				continue
			}
			fmt.Fprintf(b, "\n%s (%d)\n", verdictTitles[v], p.Counts[v])
			for _, q := range of {
				d.writeRequest(b, d.request(q), p.dataset.CategoryName(q.A.Gold.Category))
			}
			if more := p.Counts[v] - len(of); more > 0 {
				fmt.Fprintf(b, "\n%d more; leave out --limit to see them\n", more)
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

// maxChanged is how many requests whose content differs are named.
const maxChanged = 5

func (p diffPair) mcNemar() float64 {
	return stats.McNemar(p.Counts[scored.Lost], p.Counts[scored.Gained])
}

// writeHead names two cells, counts their requests, and says what was not compared.
func (p diffPair) writeHead(b *bufio.Writer) {
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
	changed := lists.Map(p.Changed[:min(len(p.Changed), maxChanged)], func(id scored.ID) string { return id.Sample + " " + id.Request })
	if len(p.Changed) > maxChanged {
		changed = append(changed, "and others")
	}
	for _, of := range []struct {
		n   int
		why string
	}{
		{len(p.Changed), "the question or its gold answer differs (" + termsafe.Visible(strings.Join(changed, ", ")) + ")"},
		{p.OnlyA, "asked in A only"},
		{p.OnlyB, "asked in B only"},
		{p.Unclear, "an answer is unclear"},
	} {
		if of.n > 0 {
			fmt.Fprintf(b, "not compared, because %s: %d\n", of.why, of.n)
		}
	}
}

// The longest texts that are shown in full, in characters.
const (
	cutAnswer = 400
	cutTurn   = 200
)

// writeRequest writes what two cells answered to a request of a category.
func (d *diff) writeRequest(b *bufio.Writer, r diffRequest, category string) {
	title := r.Sample + " " + r.Request
	if r.Name != "" {
		title += " (" + r.Name + ")"
	}
	fmt.Fprintf(b, "\n%s\n", termsafe.Visible(title+", "+category))
	gold := strings.Join(append([]string{r.Answer}, r.Variants...), " | ")
	if r.Abstain && r.Answer == "" {
		gold = "to abstain"
	}
	d.writeField(b, "question", "", r.Question, cutAnswer)
	d.writeField(b, "gold", "", gold, cutAnswer)
	for i, v := range []diffAnswer{r.A, r.B} {
		value, text := "–", v.Answer
		if v.Value != nil {
			value = strconv.FormatFloat(*v.Value, 'g', 4, 64)
		}
		if v.Error != "" {
			text = v.Error
		}
		d.writeField(b, fmt.Sprintf("%c  %s", 'A'+i, value), string(v.Outcome)+": ", text, cutAnswer)
	}
	for i, t := range r.Turns {
		name := map[int]string{0: "gold turns"}[i]
		d.writeField(b, name, fmt.Sprintf("%s, %s, %s: ", t.ID, shownBy("A", r.A, t.A), shownBy("B", r.B, t.B)), t.Text, cutTurn)
	}
}

// shownBy returns which block of a side shows a gold turn.
func shownBy(side string, v diffAnswer, rank int) string {
	switch {
	case v.Sourceless:
		return "unknown in " + side
	case rank == 0:
		return "not retrieved in " + side
	}
	return fmt.Sprintf("block %d in %s", rank, side)
}

// writeField writes a name and at most n characters of a text, wrapped.
func (d *diff) writeField(b *bufio.Writer, name, prefix, text string, n int) {
	text = termsafe.Visible(text)
	if runes := []rune(text); !d.full && len(runes) > n {
		text = fmt.Sprintf("%s … (%d more characters; --full shows all)", string(runes[:n]), len(runes)-n)
	}
	for i, line := range wrap(strings.TrimSuffix(termsafe.Visible(prefix)+text, ": "), 86) {
		if i > 0 {
			name = ""
		}
		fmt.Fprintf(b, "  %-11s %s\n", name, line)
	}
}

// wrap breaks a text between words into lines of at most some number of characters.
func wrap(text string, width int) []string {
	lines := []string{""}
	used := 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		last := len(lines) - 1
		switch {
		case used == 0:
			lines[last], used = word, n
		case used+1+n > width:
			lines, used = append(lines, word), n
		default:
			lines[last], used = lines[last]+" "+word, used+1+n
		}
	}
	return lines
}

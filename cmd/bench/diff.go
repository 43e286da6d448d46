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
		Short: "Show the requests on which two runs disagree",
		Long: `Diff shows the requests that flipped between two runs: those lost, which A answers
right and B wrong, and those gained. Each has the question, the gold answer, both answers with their values, and how
far each came. Gold evidence is marked by which side retrieved it.

A and B are run folders, or RUN:LABEL for one method of a run. Rows are matched by
dataset, method, model and seed; where each side has one of a kind, its label may
be another.

Whether an answer is right is said by people's labels, else by a judge, else by
f1@span of 70 and more; it is wrong at 10 and less, and pairs with an answer between
are not compared (docs/scores.md). --column lets one judge or metric decide alone.`,
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
	cmd.Flags().StringVar(&flags.column, "column", "", "`column` of a judge, or f1@span, that alone says which answers are right")
	cmd.Flags().StringSliceVar(&flags.categories, "category", nil, "only requests of `categories`, by id or name, separated by commas")
	cmd.Flags().IntVar(&flags.limit, "limit", 0, "show at most `N` requests of each kind and row; 0 shows all")
	cmd.Flags().BoolVar(&flags.all, "all", false, "also show the requests that both answer right, or both wrong")
	cmd.Flags().BoolVar(&flags.full, "full", false, "do not cut long texts")
	cmd.Flags().StringVar(&flags.format, "format", "", "`format`: "+strings.Join(formats, ", ")+" (default: by the name of --out, else text)")
	cmd.Flags().StringVar(&flags.file, "out", "", "`file` to write instead of stdout")
	flags.edits.add(cmd)
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

// A diff is what there is to show of two sides.
type diff struct {
	diffFlags
	a, b  diffSide
	shown metrics.Column // whose values answers have
	pairs []diffPair
	notes []string
}

// A diffSide is a run whose cells are compared, or those of one of its methods.
type diffSide struct {
	name  string
	run   *scored.Run
	cells []record.Cell
}

// A diffPair is two cells that are compared.
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

// matchCells finds the cells of two sides that belong together: they have the same
// dataset, method, model and seed, where not each side has one of a kind. What has no
// partner is noted.
func matchCells(a, b diffSide) (pairs []diffPair, notes []string, err error) {
	var apart []func(record.Cell) string // what tells cells apart
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
			notes = append(notes, name(c)+" is in A alone")
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
			notes = append(notes, name(c)+" is in B alone")
		}
	}
	return pairs, notes, nil
}

// chooseColumn finds the column that is to decide alone, or else the one that shows best
// which answers are right, among those that both runs have.
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
		d.notes = append(d.notes, "only "+map[bool]string{true: "A", false: "B"}[judged(a)]+" was judged; --column f1@span takes both sides alike")
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

// A diffCell is a cell of a diff as a JSON line has it.
type diffCell struct {
	Run     string `json:"run"`
	Dataset string `json:"dataset"`
	Method  string `json:"method"`
	Model   string `json:"model"`
	Seed    uint64 `json:"seed"`
}

// A diffHead says how many requests of two cells there are of each kind.
type diffHead struct {
	Type string   `json:"type"` // "cells"
	A    diffCell `json:"a"`
	B    diffCell `json:"b"`
	// By is the column that alone said which answers are right; empty where people, judges
	// and f1@span did. Column is the one whose values answers have.
	By        string `json:"by,omitempty"`
	Column    string `json:"column"`
	Compared  int    `json:"compared"`
	BothRight int    `json:"both_right"`
	BothWrong int    `json:"both_wrong"`
	Lost      int    `json:"lost"`
	Gained    int    `json:"gained"`
	Net       int    `json:"net"` // gained less lost
	// P is of McNemar's exact test, as if requests were independent of each other.
	P       float64     `json:"p_mcnemar"`
	Unclear int         `json:"unclear,omitzero"`
	OnlyA   int         `json:"only_a,omitzero"`
	OnlyB   int         `json:"only_b,omitzero"`
	Changed []scored.ID `json:"changed,omitempty"`
}

func (d *diff) head(p diffPair) diffHead {
	cell := func(s diffSide, c record.Cell) diffCell {
		return diffCell{s.name, c.Dataset, c.Method, c.Model, c.Seed}
	}
	lost, gained := p.Counts[scored.Lost], p.Counts[scored.Gained]
	return diffHead{
		Type: "cells", A: cell(d.a, p.a), B: cell(d.b, p.b), By: d.column, Column: d.shown.Name,
		Compared: p.Compared(), BothRight: p.Counts[scored.BothRight], BothWrong: p.Counts[scored.BothWrong],
		Lost: lost, Gained: gained, Net: gained - lost, P: stats.McNemar(lost, gained), Unclear: p.Unclear, OnlyA: p.OnlyA, OnlyB: p.OnlyB, Changed: p.Changed,
	}
}

// A diffRequest is a request as a JSON line has it.
type diffRequest struct {
	Type     string         `json:"type"` // "request"
	Verdict  scored.Verdict `json:"verdict"`
	Dataset  string         `json:"dataset"`
	Methods  [2]string      `json:"methods"` // of A and B
	Models   [2]string      `json:"models"`
	Seeds    [2]uint64      `json:"seeds"`
	Sample   string         `json:"sample"`
	Request  string         `json:"request"`
	Name     string         `json:"name,omitempty"` // the release's
	Category string         `json:"category"`       // its name
	Question string         `json:"question"`
	Gold     string         `json:"gold"`
	Variants []string       `json:"variants,omitempty"`
	Abstain  bool           `json:"abstain,omitempty"`
	A        diffAnswer     `json:"a"`
	B        diffAnswer     `json:"b"`
	Turns    []scored.Turn  `json:"turns,omitempty"`
}

func (d *diff) request(p diffPair, q scored.Pair) diffRequest {
	g := q.A.Gold
	return diffRequest{
		Type: "request", Verdict: q.Verdict,
		Dataset: p.a.Dataset, Methods: [2]string{p.a.Method, p.b.Method}, Models: [2]string{p.a.Model, p.b.Model}, Seeds: [2]uint64{p.a.Seed, p.b.Seed},
		Sample: g.Sample, Request: g.Request, Name: g.Name, Category: p.dataset.CategoryName(g.Category), Question: g.Question, Gold: g.Answer, Variants: g.Variants, Abstain: g.Abstain,
		A: d.answer(q.A, q.OutcomeA), B: d.answer(q.B, q.OutcomeB), Turns: q.Turns(),
	}
}

type diffAnswer struct {
	Answer  string         `json:"answer"`
	Value   *float64       `json:"value"` // in the unit of tables
	Outcome scored.Outcome `json:"outcome"`
	Error   string         `json:"error,omitzero"`
	Blocks  int            `json:"blocks"` // of evidence
	// Sourceless is set where nobody knows which turns the blocks are of.
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

// json writes a line for each pair of cells, and behind it one for each request.
// Nothing is cut.
func (d *diff) json(w io.Writer) error {
	enc := jsonout.NewEncoder(w)
	for _, p := range d.pairs {
		if err := enc.Encode(d.head(p)); err != nil {
			return err
		}
		for _, q := range p.Pairs {
			if err := enc.Encode(d.request(p, q)); err != nil {
				return err
			}
		}
	}
	return nil
}

// text writes the same for people, the requests in groups by verdict.
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
		d.writeHead(b, p)
		for _, v := range scored.Verdicts() {
			of := lists.Filter(p.Pairs, func(q scored.Pair) bool { return q.Verdict == v })
			if len(of) == 0 {
				continue
			}
			fmt.Fprintf(b, "\n%s (%d)\n", verdictTitles[v], p.Counts[v])
			for _, q := range of {
				d.writeRequest(b, d.request(p, q))
			}
			if more := p.Counts[v] - len(of); more > 0 {
				fmt.Fprintf(b, "\n%d more; without --limit they are shown\n", more)
			}
		}
	}
	return b.Flush()
}

// verdictTitles are those of groups of requests.
var verdictTitles = map[scored.Verdict]string{
	scored.Lost: "Lost: right in A alone", scored.Gained: "Gained: right in B alone",
	scored.BothRight: "Right in both", scored.BothWrong: "Wrong in both",
}

// maxChanged is how many requests with other content are named.
const maxChanged = 5

// writeHead names two cells, counts their requests, and says what was not compared.
func (d *diff) writeHead(b io.Writer, p diffPair) {
	h := d.head(p)
	one, other := []string{h.A.Dataset, h.A.Method, h.A.Model, fmt.Sprint("seed ", h.A.Seed)}, []string{h.B.Dataset, h.B.Method, h.B.Model, fmt.Sprint("seed ", h.B.Seed)}
	for i := range one {
		if one[i] != other[i] {
			one[i] += " → " + other[i]
		}
	}
	fmt.Fprintf(b, "\n%s\n%d compared: %d right in both, %d wrong in both, %d lost, %d gained, net %+d; exact McNemar p %.4f\n",
		termsafe.Visible(strings.Join(one, ", ")), h.Compared, h.BothRight, h.BothWrong, h.Lost, h.Gained, h.Net, h.P)
	if n := len(h.Changed); n > 0 {
		ids := lists.Map(h.Changed[:min(n, maxChanged)], func(id scored.ID) string { return id.Sample + " " + id.Request })
		if n > maxChanged {
			ids = append(ids, fmt.Sprintf("and %d more", n-maxChanged))
		}
		fmt.Fprintf(b, "not compared, as the question or its gold answer differs: %d (%s)\n", n, termsafe.Visible(strings.Join(ids, ", ")))
	}
	for _, of := range []struct {
		n   int
		why string
	}{{h.OnlyA, "asked in A alone"}, {h.OnlyB, "asked in B alone"}, {h.Unclear, "it is unclear whether an answer is right"}} {
		if of.n > 0 {
			fmt.Fprintf(b, "not compared, as %s: %d\n", of.why, of.n)
		}
	}
}

// The longest texts that are not cut, in characters.
const (
	cutAnswer = 400
	cutTurn   = 200
)

// writeRequest writes what two cells answered to a request.
func (d *diff) writeRequest(b io.Writer, r diffRequest) {
	title := r.Sample + " " + r.Request
	if r.Name != "" {
		title += " (" + r.Name + ")"
	}
	fmt.Fprintf(b, "\n%s\n", termsafe.Visible(title+", "+r.Category))
	gold := strings.Join(append([]string{r.Gold}, r.Variants...), " | ")
	if r.Abstain && r.Gold == "" {
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

// shownBy says which block of a side shows a gold turn.
func shownBy(side string, v diffAnswer, rank int) string {
	switch {
	case v.Sourceless:
		return "not known of " + side
	case rank == 0:
		return "no block of " + side
	}
	return fmt.Sprintf("block %d of %s", rank, side)
}

// writeField writes a text behind a name, wrapped, with at most n characters of it.
func (d *diff) writeField(b io.Writer, name, prefix, text string, n int) {
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

// wrap breaks a text between words into lines of at most so many characters.
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

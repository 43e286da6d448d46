package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/publish/report"
	"recallbench/runners"
)

// pastRuns is where runs are created, and where the latest is looked up.
var pastRuns = filepath.Join("results", "runs")

// planFlags say whether a run is only planned.
type planFlags struct {
	on  bool
	out output
}

func (f *planFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.on, "plan", false, "run nothing, and print what each cell will cost")
	cmd.Flags().StringVar(&f.out.format, "format", "", "`format` of --plan: "+strings.Join(report.Formats(), ", ")+" (default: text)")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(report.Formats(), cobra.ShellCompDirectiveNoFileComp)))
}

// print prints the plan of a run. Dir is the requested run folder.
func (f *planFlags) print(ctx context.Context, a *app, c *config.Config, flags runFlags, dir string) error {
	switch {
	case !f.on:
		return usageError(errors.New("--format goes with --plan; 'bench table' prints a run in another format"))
	case dir != "":
		return usageError(errors.New("--plan makes no run folder; leave out --out"))
	}
	if err := f.out.check(); err != nil {
		return err
	}
	e, err := a.estimate(ctx, c, flags)
	if err != nil {
		return err
	}
	return f.out.write(a, e.document())
}

// An estimate is what the cells of a config will cost.
type estimate struct {
	config *config.Config
	mode   calls.Mode // of the recordings in the run
	cells  []runners.CellEstimate
	total  runners.Load
}

// estimate runs a config's cells without calling or writing anything: recordings are
// replayed if there are any and a run would use them.
func (a *app) estimate(ctx context.Context, c *config.Config, flags runFlags) (e estimate, err error) {
	plan, mode, closeStore, err := a.open(ctx, c, flags, true)
	if err != nil {
		return e, err
	}
	defer closeStore()
	defer func() { err = errors.Join(err, plan.Close()) }()
	for _, s := range plan.Skipped() {
		a.log().Warn("skipped " + s)
	}
	cells, err := plan.Estimate(ctx)
	return estimate{c, mode, cells, runners.Total(cells)}, err
}

// readMode is the mode in which an estimate looks at recordings.
func readMode(mode calls.Mode, store string) calls.Mode {
	if _, err := os.Stat(store); errors.Is(err, fs.ErrNotExist) || mode != calls.Reuse && mode != calls.Replay {
		return calls.Off
	}
	return calls.Replay
}

// document returns the estimate as a table: a row for each cell, and one for the total.
func (e estimate) document() *report.Document {
	requests := 0
	for _, c := range e.cells {
		requests += c.Query.Units
	}
	t := &report.Table{
		Name:  "plan",
		Title: fmt.Sprintf("%s: %s in %s, estimated without calling a model", e.config.Name, plural(requests, "question", "questions"), plural(len(e.cells), "cell", "cells")),
	}
	seeded := len(e.config.Seeds) > 0
	names := []string{"dataset", "method", "model"}
	if seeded {
		names = append(names, "seed")
	}
	for _, name := range names {
		t.Columns = append(t.Columns, report.Column{Name: name, Repeats: true})
	}
	for _, name := range []string{"n", "calls", "recorded", "input", "output", "output-most|at most", "embedded", "usd|cost, $", "pay-usd|to pay, $", "pay-usd-most|at most, $"} {
		name, head, _ := strings.Cut(name, "|")
		t.Columns = append(t.Columns, report.Column{Name: name, Head: head, Number: true})
	}
	for _, c := range e.cells {
		cell := []string{c.Dataset, c.Method, c.Model}
		if seeded {
			cell = append(cell, strconv.FormatUint(*c.Seed, 10))
		}
		row := loadRow(cell, c.Load())
		row[1].Notes = cellNotes(t, c)
		t.Rows = append(t.Rows, row)
	}
	total := make([]string, len(names))
	total[0] = "total"
	t.Rows = append(t.Rows, loadRow(total, e.total))
	t.NoteTitle(e.notes()...)
	return &report.Document{Tables: []*report.Table{t}}
}

// loadRow is the row of a load.
func loadRow(texts []string, l runners.Load) []report.Cell {
	dollars := func(usd *float64) report.Cell {
		if usd == nil {
			return report.Cell{Text: "unknown"}
		}
		return report.Cell{Text: fmt.Sprintf("%.4f", *usd), Value: usd}
	}
	row := lists.Map(texts, func(text string) report.Cell { return report.Cell{Text: text} })
	for _, n := range []*int{&l.Units, &l.Calls, &l.Recorded, &l.Input, &l.Output, l.MostOutput, &l.Embedded} {
		if n == nil {
			row = append(row, report.Cell{Text: "unknown"})
		} else {
			row = append(row, whole(*n))
		}
	}
	return append(row, dollars(l.USD), dollars(l.Pay), dollars(l.MostPay))
}

func whole(n int) report.Cell { return report.Cell{Text: grouped(n), Value: new(float64(n))} }

// cellNotes notes where a cell's numbers are from, and what failed.
func cellNotes(t *report.Table, c runners.CellEstimate) []int {
	source := "counted from the prompts with " + c.Tokenizer + ": input is exact, or close where a prompt depends on a ranking by embeddings or on a reply; output is what the stand-in wrote in place of the model"
	if c.Offline {
		source = "stand-in: no model is called, and nothing is paid"
	}
	notes := []int{t.Note(source)}
	if c.Failed > 0 {
		notes = append(notes, t.Note(fmt.Sprintf("%s failed and cost nothing further; the first error: %s", plural(c.Failed, "memory or question", "memories or questions"), c.Failure)))
	}
	return notes
}

// notes returns the notes about the whole estimate.
func (e estimate) notes() []string {
	notes := []string{"at most: if every reply is as long as allowed, and prompts that hold what embeddings rank are a quarter longer; repeated calls after replies that do not fit a schema are not included"}
	if s := e.config.Shard; s != (config.Shard{}) {
		notes = append(notes, fmt.Sprintf("shard %s: this part of the conversations only", s))
	}
	switch {
	case slices.ContainsFunc(e.cells, func(c runners.CellEstimate) bool { return c.Unforeseen }):
		notes = append(notes, "unknown: the model calls of an adapter are not known before it runs")
	case e.total.USD == nil:
		notes = append(notes, "unknown: the price of a model is not known; set it with the option price")
	}
	left := e.total.Calls - e.total.Recorded
	switch {
	case e.mode == calls.Replay && left > 0:
		notes = append(notes, fmt.Sprintf("in the mode replay, the first of the %s that are not recorded would stop the run", plural(left, "call", "calls")))
	case e.mode == calls.Record && e.total.Calls > 0:
		notes = append(notes, "in the mode record, every call is made, recorded or not")
	}
	if b := e.config.Budget; b.USD > 0 && e.total.Pay != nil {
		notes = append(notes, within("budget.usd", b.USD, *e.total.Pay, e.total.MostPay, "$%.4f"))
	}
	if b := e.config.Budget; b.Tokens > 0 {
		var most *float64
		if e.total.MostPayTokens != nil {
			most = new(float64(*e.total.MostPayTokens))
		}
		notes = append(notes, within("budget.tokens", float64(b.Tokens), float64(e.total.PayTokens), most, "%.0f"))
	}
	return notes
}

// within says whether a budget is enough; format writes an amount.
func within(name string, budget, pay float64, most *float64, format string) string {
	is := fmt.Sprintf("%s is "+format+": ", name, budget)
	switch {
	case pay > budget:
		return is + fmt.Sprintf("it would stop the run after about %.0f %% of the cost, "+format, 100*budget/pay, pay)
	case most == nil:
		return is + fmt.Sprintf("enough for "+format+"; the maximum is not known", pay)
	case *most > budget:
		return is + fmt.Sprintf("enough for "+format+", but not for the maximum, "+format, pay, *most)
	default:
		return is + fmt.Sprintf("enough, even for the maximum, "+format, *most)
	}
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural writes a number with the noun that goes with it.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/calls"
	"recallbench/internal/config"
	"recallbench/internal/publish/report"
	"recallbench/runners"
)

// planFlags say whether a run is only planned.
type planFlags struct {
	on  bool
	out output
}

func (f *planFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.on, "plan", false, "run nothing, and print the calls, tokens and dollars of each cell, counted with the stand-in (docs/models.md)")
	choiceFlag(cmd, &f.out.format, "format", "", report.Formats(), "`format` of --plan: "+strings.Join(report.Formats(), ", ")+" (default: text)")
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
	plan, mode, err := a.open(ctx, c, flags, true)
	if err != nil {
		return e, err
	}
	defer func() { err = errors.Join(err, plan.Close()) }()
	for _, s := range plan.Header().Skipped {
		a.log.Warn("skipped " + s)
	}
	cells, err := plan.Estimate(ctx)
	return estimate{c, mode, cells, runners.Total(cells)}, err
}

// document returns the estimate as a table: a row for each cell, and one for the total.
func (e estimate) document() *report.Document {
	t := &report.Table{
		Name:  "plan",
		Title: fmt.Sprintf("%s: %s in %s, estimated without calling a model", e.config.Name, report.Plural(e.total.Units, "question"), report.Plural(len(e.cells), "cell")),
	}
	names := []string{"dataset", "method", "model"}
	if len(e.config.Seeds) > 0 {
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
		if len(e.config.Seeds) > 0 {
			cell = append(cell, strconv.FormatUint(*c.Seed, 10))
		}
		row := loadRow(cell, c.Load())
		row[1].Notes = cellNotes(t, c)
		t.Rows = append(t.Rows, row)
	}
	t.Rows = append(t.Rows, loadRow(append([]string{"total"}, make([]string, len(names)-1)...), e.total))
	t.NoteTitle(e.notes()...)
	return &report.Document{Tables: []*report.Table{t}}
}

// loadRow is the row of a load.
func loadRow(texts []string, l runners.Load) []report.Cell {
	row := report.Words(texts...)
	for _, n := range []*int{&l.Units, &l.Calls, &l.Recorded, &l.Input, &l.Output, l.MostOutput, &l.Embedded} {
		if n == nil {
			row = append(row, report.Words("unknown")...)
		} else {
			row = append(row, report.Whole(*n))
		}
	}
	for _, usd := range []*float64{l.USD, l.Pay, l.MostPay} {
		if usd == nil {
			row = append(row, report.Words("unknown")...)
		} else {
			row = append(row, report.Cell{Text: fmt.Sprintf("%.4f", *usd), Value: usd})
		}
	}
	return row
}

// cellNotes notes where a cell's numbers are from, and what failed.
func cellNotes(t *report.Table, c runners.CellEstimate) []int {
	source := "counted from the prompts with " + c.Tokenizer + ": input is exact, or close where a prompt depends on a ranking by embeddings or on a reply; output is what the stand-in wrote in place of the model"
	if c.Offline {
		source = "stand-in: no model is called, and nothing is paid"
	}
	notes := []int{t.Note(source)}
	if c.Failed > 0 {
		notes = append(notes, t.Note(fmt.Sprintf("memories and questions that failed and cost nothing further: %d; the first error: %s", c.Failed, c.Failure)))
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
	if e.mode == calls.Replay && e.total.Calls > e.total.Recorded {
		notes = append(notes, "in the mode replay, the first call that is not recorded stops the run")
	}
	if b := e.config.Budget; b.USD > 0 || b.Tokens > 0 {
		notes = append(notes, fmt.Sprintf("the run stops at its budget of %d tokens or $%g (0 is no limit); what is to pay is %d tokens", b.Tokens, b.USD, e.total.PayTokens))
	}
	return notes
}

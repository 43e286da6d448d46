package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/calls"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/files/datadir"
	"recallbench/internal/publish/report"
	"recallbench/runners"
)

func newEstimateCommand(a *app) *cobra.Command {
	var (
		flags runFlags
		from  configFlags
		out   output
		runs  string
	)
	cmd := &cobra.Command{
		Use:   "estimate CONFIG.yaml",
		Short: "Estimate calls, tokens and dollars of a run without a call",
		Long: `Estimate says how many calls, tokens and dollars each cell of a config will
take, and how much of it recordings give. It calls no model: every method is run
over the data, the stand-in answers in place of the model, and what would be sent is
counted and priced. Where an earlier run of the same cell is found, what that
measured is taken instead.

What several cells ask or embed alike is to pay once, with the first of them:
recordings give it to the others.

Input is what the prompts have, output what the stand-in wrote, which is short; at
most takes every reply as long as its request allows.`,
		Example: `  bench estimate my.yaml
  bench estimate configs/quickstart.yaml --model configs/models/openai.yaml
  bench estimate my.yaml --runs '' --format csv   # from the prompts alone`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			config, err := from.load(args[0])
			if err != nil {
				return err
			}
			e, err := a.estimate(cmd.Context(), config, flags, runs)
			if err != nil {
				return err
			}
			return e.print(a, flags.json, out, e.document)
		},
	}
	flags.addInput(cmd)
	from.add(cmd)
	out.add(cmd)
	cmd.Flags().BoolVar(&flags.json, "json", false, "write a JSON line for each cell and one for the total to stdout and nothing else")
	cmd.Flags().StringVar(&runs, "runs", pastRuns, "`folder` of earlier runs, whose measurements are taken; empty for none")
	return cmd
}

// pastRuns is where earlier runs are looked for.
var pastRuns = filepath.Join("results", "runs")

type estimate struct {
	config *config.Config
	mode   calls.Mode // of the recordings in the run
	cells  []runners.CellEstimate
	total  runners.Load
}

// estimate lays out a config's cells and asks their methods, with nothing
// called and nothing written.
func (a *app) estimate(ctx context.Context, config *config.Config, flags runFlags, runs string) (e estimate, err error) {
	data, err := datadir.Find(flags.data, a.env)
	if err != nil {
		return e, usageError(err)
	}
	mode, store, err := a.recordings(config, flags)
	if err != nil {
		return e, usageError(err)
	}
	recorder, closeStore, err := a.recorder(readMode(mode, store), store)
	if err != nil {
		return e, usageError(err)
	}
	defer closeStore()
	var past []runners.Past
	if runs != "" {
		if past, err = runners.PastRuns(runs, a.log()); err != nil {
			return e, usageError(fmt.Errorf("--runs: %w", err))
		}
	}
	plan, err := runners.NewPlan(ctx, config, suite.Plugins(), runners.Env{
		DataDir: data, Now: time.Now, Log: a.log(), Getenv: a.env, Calls: recorder, Estimate: true,
		Reuse: mode == calls.Reuse || mode == calls.Replay,
	})
	if err != nil {
		if ctx.Err() == nil {
			err = usageError(err)
		}
		return e, err
	}
	defer func() { err = errors.Join(err, plan.Close()) }()
	for _, s := range plan.Skipped() {
		a.log().Warn("skipped " + s)
	}
	cells, err := plan.Estimate(ctx, past)
	if err != nil {
		return e, err
	}
	return estimate{config, mode, cells, runners.Total(cells)}, nil
}

// print writes the estimate as JSON lines, or as a table.
func (e estimate) print(a *app, json bool, out output, table func() *report.Document) error {
	if json {
		return e.lines(a)
	}
	return out.print(a, table())
}

// readMode is the mode in which an estimate looks at recordings: replay, which
// calls nothing, where a run would use them and there are any.
func readMode(mode calls.Mode, store string) calls.Mode {
	if mode != calls.Reuse && mode != calls.Replay {
		return calls.Off
	}
	if _, err := os.Stat(store); errors.Is(err, fs.ErrNotExist) {
		return calls.Off
	}
	return calls.Replay
}

// lines writes a JSON line for each cell and one for the total.
func (e estimate) lines(a *app) error {
	enc := json.NewEncoder(a.stdout)
	for _, c := range e.cells {
		if err := enc.Encode(c); err != nil {
			return err
		}
	}
	return enc.Encode(struct {
		Total  runners.Load `json:"total"`
		Calls  calls.Mode   `json:"calls"`
		Tokens int          `json:"budget_tokens,omitzero"`
		USD    float64      `json:"budget_usd,omitzero"`
	}{Total: e.total, Calls: e.mode, Tokens: e.config.Budget.Tokens, USD: e.config.Budget.USD})
}

// planFlags say whether a run is only planned.
type planFlags struct {
	on  bool
	out output
}

func (f *planFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.on, "plan", false, "run nothing, and print the cells with what they will take")
	cmd.Flags().StringVar(&f.out.format, "format", "", "`format` of --plan: "+strings.Join(report.Formats(), ", ")+" (default: text)")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(report.Formats(), cobra.ShellCompDirectiveNoFileComp)))
}

// print prints the plan of a run. Dir is the run folder that was asked for.
func (f *planFlags) print(ctx context.Context, a *app, config *config.Config, flags runFlags, dir string) error {
	switch {
	case !f.on:
		return usageError(errors.New("--format goes with --plan; 'bench table' prints a run in another format"))
	case dir != "":
		return usageError(errors.New("--plan makes no run folder; leave --out away"))
	}
	if err := f.out.check(); err != nil {
		return err
	}
	e, err := a.estimate(ctx, config, flags, pastRuns)
	if err != nil {
		return err
	}
	return e.print(a, flags.json, f.out, e.plan)
}

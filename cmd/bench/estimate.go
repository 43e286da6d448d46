package main

import (
	"context"
	"encoding/json"
	"errors"
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
func (a *app) estimate(ctx context.Context, config *config.Config, flags runFlags) (e estimate, err error) {
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
	past, err := runners.PastRuns(pastRuns, a.log())
	if err != nil {
		return e, usageError(err)
	}
	plan, err := runners.NewPlan(ctx, config, suite.Plugins(), runners.Env{
		DataDir: data, Now: time.Now, Log: a.log(), Getenv: a.env, Calls: recorder, Estimate: true,
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
	e, err := a.estimate(ctx, config, flags)
	if err != nil {
		return err
	}
	if flags.json {
		return e.lines(a)
	}
	out := f.out
	return out.print(a, e.plan())
}

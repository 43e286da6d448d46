package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/configs"
	"recallbench/internal/report"
)

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
func (f *planFlags) print(ctx context.Context, a *app, config *configs.Config, flags runFlags, dir string) error {
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

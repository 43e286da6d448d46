package main

import (
	"errors"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
)

func newBaselineListCommand(a *app) *cobra.Command {
	var (
		out       output
		baselines string
	)
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the baselines",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			doc, err := listBaselines(baselineFolder(baselines))
			if err != nil {
				return usageError(err)
			}
			return out.print(a, doc)
		},
	}
	out.add(cmd)
	baselinesFlag(cmd, &baselines)
	return cmd
}

func listBaselines(folder string) (*report.Document, error) {
	names, err := baselineNames(folder)
	if err != nil {
		return nil, err
	}
	t := &report.Table{
		Name: "baselines", Title: plural(len(names), "baseline", "baselines") + " in " + folder, Rows: [][]report.Cell{},
		Columns: []report.Column{{Name: "name"}, {Name: "set"}, {Name: "run"}, {Name: "cells", Number: true}, {Name: "requests", Number: true}, {Name: "note"}},
	}
	number := func(n int) report.Cell { return report.Cell{Text: strconv.Itoa(n), Value: new(float64(n))} }
	var faults []error
	for _, name := range names {
		b, h, _, err := record.OpenBaseline(filepath.Join(folder, name))
		if err != nil {
			faults = append(faults, err)
			continue
		}
		t.Rows = append(t.Rows, []report.Cell{
			{Text: name},
			{Text: b.Set.Format(time.RFC3339)},
			{Text: h.Name + " " + b.Run},
			number(len(h.Cells)),
			number(requestsOf(b)),
			{Text: b.Note},
		})
	}
	return &report.Document{Tables: []*report.Table{t}}, errors.Join(faults...)
}

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/text/termsafe"
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

func newBaselineShowCommand(a *app) *cobra.Command {
	var (
		out       output
		baselines string
	)
	cmd := &cobra.Command{
		Use:               "show NAME",
		Short:             "Print where a baseline comes from, and its tables",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeBaselines,
		RunE: func(_ *cobra.Command, args []string) error {
			dir, ok := namedBaseline(args[0], baselines)
			if !ok {
				if dir = args[0]; !record.IsBaseline(dir) {
					return usageError(unknownBaseline(args[0], baselines))
				}
			}
			b, h, _, err := record.OpenBaseline(dir)
			if err != nil {
				return usageError(err)
			}
			r, err := scoredRun(dir)
			if err != nil {
				return usageError(err)
			}
			o := reportOptions()
			o.By = report.Category
			doc, err := report.Build([]*report.Run{r}, o)
			if err != nil {
				return usageError(err)
			}
			doc.Tables = append([]*report.Table{originTable(b, h)}, doc.Tables...)
			return out.print(a, doc)
		},
	}
	out.add(cmd)
	baselinesFlag(cmd, &baselines)
	return cmd
}

// originTable says where a baseline comes from.
func originTable(b record.Baseline, h record.Header) *report.Table {
	t := &report.Table{
		Name: "baseline", Title: "baseline " + b.Name,
		Columns: []report.Column{{Name: "setting"}, {Name: "value"}},
	}
	add := func(name, format string, args ...any) {
		if value := fmt.Sprintf(format, args...); strings.TrimSpace(value) != "" {
			t.Rows = append(t.Rows, []report.Cell{{Text: name}, {Text: termsafe.Text(value)}})
		}
	}
	add("set", "%s", b.Set.Format(time.RFC3339))
	add("note", "%s", b.Note)
	add("run", "%s %s of %s", h.Name, b.Run, h.Start.UTC().Format(time.RFC3339))
	add("program", "%s %s", h.Binary.Version, h.Binary.Commit)
	add("config sha256", "%s", h.ConfigSHA256)
	for _, d := range h.Datasets {
		add("dataset "+d.Label, "%s %s, %s, sha256 %s", d.Name, d.Version, plural(d.Requests, "request", "requests"), d.SHA256)
	}
	for _, m := range h.Models {
		add("model "+m.Label, "%s, served by %s, tokens of %s", m.Reader, strings.Join(m.Served, ", "), m.Tokens)
	}
	for _, s := range b.Spent {
		if s.Latency != nil {
			add("latency of "+s.Method+" on "+s.Dataset, "mean %.3f ms, median %.3f ms, 95th percentile %.3f ms", s.Latency.Mean, s.Latency.Median, s.Latency.P95)
		}
		if s.Cost != nil {
			add("cost of "+s.Method+" on "+s.Dataset, "%.6f dollars a request", *s.Cost)
		}
	}
	return t
}

package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/figure"
	"recallbench/internal/publish/htmlreport"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
)

func newReportCommand(a *app) *cobra.Command {
	var flags webFlags
	cmd := &cobra.Command{
		Use:   "report RUN...",
		Short: "Write a self-contained HTML report",
		Long: `Report writes one HTML file with the tables, figures and settings of scored runs, and
every question with its gold answer, answer, scores, evidence with the gold turns
marked, tokens, times, errors, edits and trace. The file loads nothing from elsewhere.
docs/scores.md explains when an answer is right.

Without --out, the file of a run is report.html in its folder. It contains texts of the
dataset, whose licence applies to it.`,
		Example: `  bench report results/runs/20260101T000000Z-quickstart-1a2b3c4d
  bench report RUN1 RUN2 --out both.html --column judge`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := flags.check(args); err != nil {
				return usageError(err)
			}
			page, err := flags.page(args)
			if err != nil {
				return usageError(err)
			}
			if flags.full {
				recorded := &recordings{app: a}
				defer recorded.end()
				page.Calls = recorded.asked
			}
			if err := a.writeOut(flags.out, page.Write); err != nil {
				return err
			}
			return a.say("%s", flags.out)
		},
	}
	cmd.Flags().StringVar(&flags.out, "out", "", "`file` to write (default: report.html in the folder of the run)")
	cmd.Flags().StringVar(&flags.column, "column", "", "`column` of a judge, or f1@span, that alone decides which answers are right")
	cmd.Flags().StringSliceVar(&flags.published, "published", nil, "published `tables` to show next to the measured ones (default: those of the config); all adds the rows of models other than the nearest, none shows no table")
	completeFlag(cmd, "published", publishedChoices())
	cmd.Flags().BoolVar(&flags.anonymous, "anonymous", false, "leave out what identifies machines: command lines, configs, accounts, settings of datasets and models")
	cmd.Flags().BoolVar(&flags.full, "full", false, "include all prompts and replies, the trees and memories that questions saw, and people's labels and notes with their names; the page may become large")
	cmd.MarkFlagsMutuallyExclusive("anonymous", "full")
	flags.edits.add(cmd)
	return cmd
}

type webFlags struct {
	out, column string
	unscored    bool // whether runs without scores are shown
	anonymous   bool
	full        bool
	published   []string
	edits       editsFlag
}

func (f *webFlags) check(args []string) (err error) {
	switch {
	case f.out != "":
		_, err = outFormat(f.out, "", "html", map[string]string{".html": "html", ".htm": "html"})
	case len(args) > 1:
		err = errors.New("several runs need --out, such as --out report.html")
	default:
		f.out = filepath.Join(args[0], reportFile)
	}
	return err
}

// page returns the page of runs.
func (f *webFlags) page(dirs []string) (*htmlreport.Page, error) {
	runs, err := openRuns(dirs, func(dir string) (*report.Run, error) {
		r, scored, err := openRun(dir, f.edits.options()...)
		if err == nil && !scored && !f.unscored {
			err = unscored(r)
		}
		return r, err
	})
	if err != nil {
		return nil, err
	}
	names := runNames(runs)
	p := &htmlreport.Page{Title: strings.Join(names, ", "), Column: f.column, Anonymous: f.anonymous}
	spent := make(map[*report.Run][]record.Spent)
	var measured []string
	for i, r := range runs {
		read, err := scored.Open(r.Folder, r.Header)
		if err != nil {
			return nil, err
		}
		p.Runs = append(p.Runs, htmlreport.Run{Run: read, Name: names[i]})
		measured = lists.AddNew(measured, r.Header.Metrics...)
		spent[r] = spentOf(dirs[i])
	}
	if p.Metrics, err = metricSpecs(measured); err != nil {
		return nil, err
	}
	o := reportOptions()
	o.By, o.Intervals = report.Category, true
	choosePublished(&o, f.published, configured(runs))
	facts := sync.OnceValues(func() (*report.Facts, error) { return report.Read(runs, o) })
	p.Tables = func() (*report.Document, error) {
		f, err := facts()
		if err != nil {
			return nil, err
		}
		return f.Build(o)
	}
	p.Figures = func() ([]htmlreport.Figure, error) {
		f, err := facts()
		if err != nil {
			return nil, err
		}
		return pageFigures(f, o)
	}
	p.Rankings = func(column string) ([]report.Ranking, error) {
		f, err := facts()
		if err != nil {
			return nil, err
		}
		return f.Rankings(column, func(r *report.Run) []record.Spent { return spent[r] }, o)
	}
	return p, nil
}

// spentOf is what the rows of a run cost, as far as its summary says.
func spentOf(dir string) []record.Spent {
	s, err := record.ReadSummary(dir)
	if err != nil {
		return nil
	}
	return lists.Map(s.Rows, func(row record.SummaryRow) record.Spent {
		of := record.Spent{Dataset: row.Dataset, Method: row.Method, Model: row.Model, Requests: row.Requests}
		if row.USD != nil && row.Requests > 0 {
			of.Cost = new(*row.USD / float64(row.Requests))
		}
		return of
	})
}

// runNames returns the names of runs; if two are equal, folders and ids tell them apart.
func runNames(runs []*report.Run) []string {
	name := func(r *report.Run) string { return r.Header.Name }
	if len(lists.Distinct(runs, name)) == len(runs) {
		return lists.Map(runs, name)
	}
	return lists.Map(runs, func(r *report.Run) string { return r.Name + " " + r.Header.ID })
}

// pageFigureWidth is the width of figures on a page, in inches.
const pageFigureWidth = 6.5

// pageFigures draws all figures that the runs of a page allow.
func pageFigures(f *report.Facts, o report.Options) ([]htmlreport.Figure, error) {
	drawn, _, err := f.DrawFigures(report.FigureOptions{Options: o})
	if err != nil {
		return nil, err
	}
	var all []htmlreport.Figure
	for _, d := range drawn {
		var svg bytes.Buffer
		if err := d.Write(&svg, "svg", figure.Size{Width: pageFigureWidth}); err != nil {
			return nil, fmt.Errorf("figure %s of %s: %w", d.Name, d.Dataset, err)
		}
		all = append(all, htmlreport.Figure{Title: d.Title, SVG: svg.Bytes(), Notes: d.Notes})
	}
	return all, nil
}

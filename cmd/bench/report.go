package main

import (
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"recallbench/internal/publish/htmlreport"
	"recallbench/internal/publish/report"
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
	columnFlag(cmd, &flags.column)
	publishedFlag(cmd, &flags.published)
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
func (f *webFlags) page(args []string) (*htmlreport.Page, error) {
	open := scoredRun
	if f.unscored {
		open = openRun
	}
	runs, err := openRuns(args, f.edits, open)
	if err != nil {
		return nil, err
	}
	o := reportOptions()
	o.By, o.Intervals = report.Category, true
	choosePublished(&o, f.published, configured(runs))
	p, err := htmlreport.New(runs, o)
	if err == nil {
		p.Column, p.Anonymous = f.column, f.anonymous
	}
	return p, err
}

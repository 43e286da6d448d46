package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/figure"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
)

type plotFlags struct {
	report.FigureOptions
	names   []string
	dataset string
	file    string
	formats []string
	size    figure.Size
	noTitle bool
	edits   editsFlag
}

func newPlotCommand(a *app) *cobra.Command {
	var flags plotFlags
	known, docs := report.FigureNames()
	var list strings.Builder
	for i, name := range known {
		fmt.Fprintf(&list, "  %-9s %s\n", name, docs[i])
	}
	cmd := &cobra.Command{
		Use:   "plot RUN...",
		Short: "Draw the figures of scored runs",
		Long: `Plot draws figures of scored runs, one for each dataset:

` + list.String() + `
Without --figure it lists which figures can be drawn and why the others cannot; with
--out DIR it draws all that can be drawn. --out takes a file that ends in .svg, .pdf,
.png, .tex or .csv, or a folder. Next to each picture, a CSV file of the same name has
its numbers in full. Without --out, --figure prints the CSV.`,
		Example: `  bench plot RUN
  bench plot RUN --out figures/ --format svg,tex
  bench plot RUN --figure by --by operation --columns pass,tokens-query --out by.svg`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return usageError(a.plot(args, flags))
		},
	}
	cmd.Flags().StringSliceVar(&flags.names, "figure", nil, "`figures` to draw, separated by commas: "+strings.Join(known, ", "))
	cmd.Flags().StringVar(&flags.dataset, "dataset", "", "draw only the figures of the dataset with this `label`")
	cmd.Flags().StringSliceVar(&flags.Columns, "columns", nil, "`columns` of metrics to draw, separated by commas (default: those of the figure)")
	cmd.Flags().StringVar(&flags.By, "by", "", "what the figure by splits by: `category`, or a label that the dataset gives its questions")
	cmd.Flags().StringVar(&flags.X, "x", "", "`column` of the x-axis of the figure pareto (default: tokens@xmemory or tokens-query)")
	cmd.Flags().StringVar(&flags.file, "out", "", "`file or folder` to write to")
	cmd.Flags().StringSliceVar(&flags.formats, "format", nil, "`formats`, separated by commas: "+strings.Join(figure.Formats(), ", ")+" (default: by the name of --out, svg for a folder, csv for stdout)")
	cmd.Flags().BoolVar(&flags.noTitle, "no-title", false, "draw no title, for papers with captions")
	cmd.Flags().Float64Var(&flags.size.Width, "width", 0, fmt.Sprintf("width in `inches` (default %g)", figure.ColumnWidth))
	flags.edits.add(cmd)
	completeFlag(cmd, "figure", known)
	completeFlag(cmd, "format", figure.Formats())
	return cmd
}

// plot draws figures of runs, or lists what can be drawn.
func (a *app) plot(args []string, flags plotFlags) error {
	folder, err := flags.check()
	if err != nil {
		return err
	}
	runs, err := scoredRuns(args, flags.edits)
	if err != nil {
		return err
	}
	flags.Metric = reportOptions().Metric
	facts, err := report.Read(runs, flags.Options)
	if err != nil {
		return err
	}
	drawn, missing, err := facts.DrawFigures(flags.FigureOptions, flags.names...)
	if err != nil {
		return err
	}
	drawn = lists.Filter(drawn, func(d report.NamedFigure) bool { return flags.dataset == "" || d.Dataset == flags.dataset })
	listing := len(flags.names) == 0 && flags.file == ""
	var b strings.Builder
	for _, d := range drawn {
		if listing {
			fmt.Fprintf(&b, "%-9s %s\n", d.Name, d.Title)
		}
	}
	for _, m := range missing {
		fmt.Fprintf(&b, "%-9s not of %s: %s\n", m.Name, m.Dataset, m.Why)
	}
	if listing {
		_, err = io.WriteString(a.stdout, b.String())
		return err
	}
	absent := func(name string) bool {
		return !slices.ContainsFunc(drawn, func(d report.NamedFigure) bool { return d.Name == name })
	}
	if len(drawn) == 0 || slices.ContainsFunc(flags.names, absent) {
		return fmt.Errorf("some figures cannot be drawn; 'bench plot RUN' lists all\n%s", b.String())
	}
	if err := flags.write(a, folder, drawn); err != nil {
		return err
	}
	_, err = io.WriteString(a.stderr, b.String())
	return err
}

// check determines the formats, and whether to write a folder. It comes before any work.
func (f *plotFlags) check() (folder bool, err error) {
	folder = record.Describe(f.file) == "a folder" || f.file != "" && filepath.Ext(f.file) == ""
	endings := make(map[string]string)
	for _, format := range figure.Formats() {
		endings["."+format] = format
	}
	var faults []error
	for _, format := range f.formats {
		faults = append(faults, oneOf("--format", format, figure.Formats()))
	}
	switch {
	case folder && len(f.formats) == 0:
		f.formats = []string{"svg"}
	case !folder && len(f.formats) > 1:
		faults = append(faults, fmt.Errorf("--format names %d formats, which need a folder for --out", len(f.formats)))
	case !folder:
		format, err := outFormat(f.file, strings.Join(f.formats, ""), "csv", endings)
		f.formats, faults = []string{format}, append(faults, err)
	}
	return folder, errors.Join(append(faults, f.size.Check())...)
}

// write writes figures, each with its numbers, and prints the paths.
func (f *plotFlags) write(a *app, folder bool, drawn []report.NamedFigure) error {
	if !folder && len(drawn) > 1 {
		names := lists.Map(drawn, func(d report.NamedFigure) string { return d.Name + " of " + d.Dataset })
		return fmt.Errorf("these are %d figures, %s: give --out a folder, or name one with --figure and --dataset", len(drawn), strings.Join(names, ", "))
	}
	if f.file == "" {
		return drawn[0].Write(a.stdout, f.formats[0], f.size)
	}
	if folder {
		if err := os.MkdirAll(f.file, 0o777); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	for _, d := range drawn {
		base := strings.TrimSuffix(f.file, filepath.Ext(f.file))
		if d.Name += "-" + d.Dataset; folder {
			base = filepath.Join(f.file, record.FileName(d.Name))
		}
		if f.noTitle {
			d.Title = ""
		}
		for _, format := range lists.AddNew(slices.Clone(f.formats), "csv") {
			path := base + "." + format
			if err := a.writeOut(path, func(w io.Writer) error { return d.Write(w, format, f.size) }); err != nil {
				return err
			}
			fmt.Fprintln(a.stderr, path)
		}
	}
	return nil
}

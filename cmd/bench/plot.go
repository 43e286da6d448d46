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
	"recallbench/internal/text/suggest"
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
  bench plot RUN --figure pareto --columns f1@span --out front.svg
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
	cmd.Flags().StringVar(&flags.X, "x", "", "`column` of the x-axis of the figure pareto, or dollars (default: tokens@xmemory or tokens-query)")
	cmd.Flags().StringVar(&flags.file, "out", "", "`file or folder` to write to")
	cmd.Flags().StringSliceVar(&flags.formats, "format", nil, "`formats`, separated by commas: "+strings.Join(figure.Formats(), ", ")+" (default: by the name of --out, svg for a folder, csv for stdout)")
	cmd.Flags().BoolVar(&flags.noTitle, "no-title", false, "draw no title, for papers with captions")
	cmd.Flags().Float64Var(&flags.size.Width, "width", 0, fmt.Sprintf("width in `inches` (default %g)", figure.ColumnWidth))
	flags.edits.add(cmd)
	for flag, values := range map[string][]string{"figure": known, "format": figure.Formats()} {
		cobra.CheckErr(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
	}
	return cmd
}

// plot draws figures of runs, or lists what can be drawn.
func (a *app) plot(args []string, flags plotFlags) error {
	folder, err := flags.check()
	if err != nil {
		return err
	}
	runs, err := scoredRuns(args, flags.edits.options()...)
	if err != nil {
		return err
	}
	folders := make(map[*report.Run]record.Folder)
	for i, r := range runs {
		folders[r] = record.Folder(args[i])
	}
	base := reportOptions()
	flags.Metric, flags.Methods = base.Metric, base.Methods
	flags.Dollars = func(r *report.Run, c record.Cell) (float64, bool, error) {
		return report.MeanDollars(record.Values[record.Record](folders[r].Records(c.ID)))
	}
	drawn, missing, err := report.DrawFigures(runs, flags.FigureOptions, flags.names...)
	if err == nil {
		drawn, missing, err = flags.chosen(drawn, missing)
	}
	if err != nil {
		return err
	}
	var b, titles strings.Builder
	for _, m := range missing {
		fmt.Fprintf(&b, "%-9s not of %s: %s\n", m.Name, m.Dataset, m.Why)
	}
	if len(flags.names) == 0 && flags.file == "" {
		for _, d := range drawn {
			fmt.Fprintf(&titles, "%-9s %s\n", d.Name, d.Title)
		}
		_, err = io.WriteString(a.stdout, titles.String()+b.String())
		return err
	}
	if err := flags.write(a, folder, drawn); err != nil {
		return err
	}
	_, err = io.WriteString(a.stderr, b.String())
	return err
}

// check determines the formats, and whether to write a folder. It comes before any work.
func (f *plotFlags) check() (folder bool, err error) {
	for _, format := range f.formats {
		if !slices.Contains(figure.Formats(), format) {
			return false, errors.New(suggest.Unknown("format", format, figure.Formats()))
		}
	}
	info, err := os.Stat(f.file)
	folder = f.file != "" && (err == nil && info.IsDir() || strings.HasSuffix(f.file, "/") || filepath.Ext(f.file) == "")
	switch {
	case folder && len(f.formats) == 0:
		f.formats = []string{"svg"}
	case !folder && len(f.formats) > 1:
		return false, fmt.Errorf("--format names %d formats, which need a folder for --out", len(f.formats))
	case !folder:
		endings := make(map[string]string)
		for _, format := range figure.Formats() {
			endings["."+format] = format
		}
		format, err := outFormat(f.file, strings.Join(f.formats, ""), "csv", endings)
		if err != nil {
			return false, err
		}
		f.formats = []string{format}
	}
	return folder, f.size.Check()
}

// chosen filters figures by dataset. It reports those that were named but cannot be drawn
// for any dataset.
func (f *plotFlags) chosen(drawn []report.NamedFigure, missing []report.Missing) ([]report.NamedFigure, []report.Missing, error) {
	if f.dataset != "" {
		have := lists.Map(drawn, func(d report.NamedFigure) string { return d.Dataset })
		for _, m := range missing {
			have = append(have, m.Dataset)
		}
		if !slices.Contains(have, f.dataset) {
			return nil, nil, errors.New(suggest.Unknown("dataset label", f.dataset, slices.Compact(slices.Sorted(slices.Values(have)))))
		}
		drawn = lists.Filter(drawn, func(d report.NamedFigure) bool { return d.Dataset == f.dataset })
		missing = lists.Filter(missing, func(m report.Missing) bool { return m.Dataset == f.dataset })
	}
	var faults []error
	for _, m := range missing {
		if slices.Contains(f.names, m.Name) && !slices.ContainsFunc(drawn, func(d report.NamedFigure) bool { return d.Name == m.Name }) {
			faults = append(faults, fmt.Errorf("figure %s of %s: %s", m.Name, m.Dataset, m.Why))
		}
	}
	return drawn, missing, errors.Join(faults...)
}

// write writes figures, each with its numbers, and prints the paths.
func (f *plotFlags) write(a *app, folder bool, drawn []report.NamedFigure) error {
	if len(drawn) == 0 {
		return errors.New("none of the figures can be drawn; 'bench plot RUN' lists the reasons")
	}
	for _, d := range drawn {
		d.Figure.Name += "-" + d.Dataset
	}
	if !folder && len(drawn) > 1 {
		names := lists.Map(drawn, func(d report.NamedFigure) string { return d.Figure.Name })
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
		if folder {
			base = filepath.Join(f.file, record.FileName(d.Figure.Name))
		}
		if f.noTitle {
			d.Title = ""
		}
		for _, format := range lists.AddNew(slices.Clone(f.formats), "csv") {
			path := base + "." + format
			if !folder && format == f.formats[0] {
				path = f.file
			}
			if err := a.writeOut(path, func(w io.Writer) error { return d.Write(w, format, f.size) }); err != nil {
				return err
			}
			fmt.Fprintln(a.stderr, path)
		}
	}
	return nil
}

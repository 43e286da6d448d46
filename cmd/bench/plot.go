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

func newPlotCommand(a *app) *cobra.Command {
	var (
		out   picture
		names []string
		data  string
		edits editsFlag
		o     = report.FigureOptions{Options: reportOptions()}
	)
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
Without --figure it lists which of them can be drawn and why the others cannot;
with --out DIR it draws all that can. --out takes a file whose extension is svg,
pdf, png, tex or csv, or a folder. Beside a picture a CSV of the same name holds the
numbers in full. Without --out, --figure prints the CSV.`,
		Example: `  bench plot RUN
  bench plot RUN --out figures/ --format svg,tex
  bench plot RUN --figure pareto --columns f1@span --out front.svg
  bench plot RUN --figure by --by operation --columns pass,tokens-query --out by.svg`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := out.check(); err != nil {
				return err
			}
			runs, err := scoredRuns(args, edits.options()...)
			if err != nil {
				return usageError(err)
			}
			folders := make(map[*report.Run]record.Folder)
			for i, r := range runs {
				folders[r] = record.Folder(args[i])
			}
			o.Dollars = func(r *report.Run, c record.Cell) (float64, bool, error) {
				return report.MeanDollars(record.Values[record.Record](folders[r].Records(c.ID)))
			}
			drawn, missing, err := report.DrawFigures(runs, o, names...)
			if err != nil {
				return usageError(err)
			}
			if data != "" {
				if drawn, missing, err = ofDataset(drawn, missing, data); err != nil {
					return usageError(err)
				}
			}
			if err := notDrawn(names, drawn, missing); err != nil {
				return usageError(err)
			}
			if len(names) == 0 && out.file == "" {
				return out.list(a, drawn, missing)
			}
			var all []*figure.Figure
			for _, d := range drawn {
				d.Figure.Name += "-" + d.Dataset
				if out.noTitle && out.file != "" {
					d.Title = ""
				}
				all = append(all, d.Figure)
			}
			if err := out.write(a, all); err != nil {
				return err
			}
			for _, m := range missing {
				fmt.Fprintf(a.stderr, "not drawn: %s of %s: %s\n", m.Name, m.Dataset, m.Why)
			}
			return nil
		},
	}
	out.add(cmd)
	edits.add(cmd)
	cmd.Flags().StringSliceVar(&names, "figure", nil, "`figures` to draw, separated by commas: "+strings.Join(known, ", "))
	cmd.Flags().StringVar(&data, "dataset", "", "draw the figures of the dataset of this `label` alone")
	cmd.Flags().StringSliceVar(&o.Columns, "columns", nil, "`columns` of metrics to draw, separated by commas (default: those of the figure)")
	cmd.Flags().StringVar(&o.By, "by", "", "what the figure by splits by: `category`, or a label that the dataset gives its requests")
	cmd.Flags().StringVar(&o.X, "x", "", "`column` of the x-axis of the figure pareto, or dollars (default: tokens@xmemory or tokens-query)")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("figure", cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

// notDrawn reports the figures that were asked for and cannot be drawn of any
// dataset.
func notDrawn(names []string, drawn []report.NamedFigure, missing []report.Missing) error {
	var faults []error
	for _, m := range missing {
		if slices.Contains(names, m.Name) && !slices.ContainsFunc(drawn, func(d report.NamedFigure) bool { return d.Name == m.Name }) {
			faults = append(faults, fmt.Errorf("figure %s of %s: %s", m.Name, m.Dataset, m.Why))
		}
	}
	return errors.Join(faults...)
}

// ofDataset keeps the figures of a dataset.
func ofDataset(drawn []report.NamedFigure, missing []report.Missing, label string) ([]report.NamedFigure, []report.Missing, error) {
	have := lists.Map(drawn, func(d report.NamedFigure) string { return d.Dataset })
	for _, m := range missing {
		have = append(have, m.Dataset)
	}
	slices.Sort(have)
	if have = slices.Compact(have); !slices.Contains(have, label) {
		return nil, nil, errors.New(suggest.Unknown("dataset label", label, have))
	}
	drawn = slices.DeleteFunc(drawn, func(d report.NamedFigure) bool { return d.Dataset != label })
	missing = slices.DeleteFunc(missing, func(m report.Missing) bool { return m.Dataset != label })
	return drawn, missing, nil
}

// picture is where and how a verb writes figures.
type picture struct {
	file    string
	formats []string
	size    figure.Size
	folder  bool
	noTitle bool
}

func (p *picture) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.file, "out", "", "`file or folder` to write to")
	cmd.Flags().StringSliceVar(&p.formats, "format", nil, "`formats`, separated by commas: "+strings.Join(figure.Formats(), ", ")+" (default: by the name of --out, svg for a folder, csv for stdout)")
	cmd.Flags().BoolVar(&p.noTitle, "no-title", false, "draw no title, where the paper has a caption")
	cmd.Flags().Float64Var(&p.size.Width, "width", 0, fmt.Sprintf("width in `inches` (default %g)", figure.ColumnWidth))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(figure.Formats(), cobra.ShellCompDirectiveNoFileComp)))
}

// check finds out the formats. It comes before any work is done.
func (p *picture) check() error {
	if err := p.size.Check(); err != nil {
		return usageError(err)
	}
	extension := strings.TrimPrefix(strings.ToLower(filepath.Ext(p.file)), ".")
	info, err := os.Stat(p.file)
	p.folder = p.file != "" && (err == nil && info.IsDir() || strings.HasSuffix(p.file, "/") || extension == "")
	for _, f := range p.formats {
		if !slices.Contains(figure.Formats(), f) {
			return usageError(errors.New(suggest.Unknown("format", f, figure.Formats())))
		}
	}
	if !p.folder && len(p.formats) > 1 {
		return usageError(fmt.Errorf("--format names %d formats, which need a folder for --out", len(p.formats)))
	}
	switch {
	case p.folder && len(p.formats) == 0:
		p.formats = []string{"svg"}
	case !p.folder:
		format, err := outFormat(p.file, strings.Join(p.formats, ""), "csv", pictureEndings)
		if err != nil {
			return usageError(err)
		}
		p.formats = []string{format}
	}
	return nil
}

// pictureEndings are the endings of names of the formats of figures.
var pictureEndings = map[string]string{".svg": "svg", ".pdf": "pdf", ".png": "png", ".tex": "tex", ".csv": "csv"}

func (p *picture) list(a *app, drawn []report.NamedFigure, missing []report.Missing) error {
	for _, d := range drawn {
		if _, err := fmt.Fprintf(a.stdout, "%-9s %s\n", d.Name, d.Title); err != nil {
			return err
		}
	}
	for _, m := range missing {
		if _, err := fmt.Fprintf(a.stdout, "%-9s not of %s: %s\n", m.Name, m.Dataset, m.Why); err != nil {
			return err
		}
	}
	return nil
}

// write writes figures, and says where.
func (p *picture) write(a *app, figures []*figure.Figure) error {
	if len(figures) == 0 {
		return usageError(errors.New("none of the figures can be drawn; 'bench plot RUN' says why"))
	}
	if !p.folder && len(figures) > 1 {
		names := lists.Map(figures, func(f *figure.Figure) string { return f.Name })
		return usageError(fmt.Errorf("these are %d figures, %s: give --out a folder, or name one with --figure and --dataset", len(figures), strings.Join(names, ", ")))
	}
	if p.file == "" {
		return figures[0].Write(a.stdout, p.formats[0], p.size)
	}
	if p.folder {
		if err := os.MkdirAll(p.file, 0o777); err != nil {
			return usageError(fmt.Errorf("--out: %w", err))
		}
	}
	for i, f := range figures {
		base := strings.TrimSuffix(p.file, filepath.Ext(p.file))
		if p.folder {
			base = filepath.Join(p.file, fileName(f.Name, i, figures))
		}
		formats := slices.Clone(p.formats)
		if !slices.Contains(formats, "csv") {
			formats = append(formats, "csv")
		}
		for k, format := range formats {
			path := base + "." + format
			if !p.folder && k == 0 {
				path = p.file
			}
			if err := a.writeOut(path, func(w io.Writer) error { return f.Write(w, format, p.size) }); err != nil {
				return err
			}
			fmt.Fprintln(a.stderr, path)
		}
	}
	return nil
}

// fileName returns a name for the files of a figure, with a number where another
// one has the same.
func fileName(name string, i int, figures []*figure.Figure) string {
	safe := func(name string) string {
		s := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.@+", r) {
				return r
			}
			return '-'
		}, name)
		return strings.TrimLeft(s[:min(len(s), 100)], ".")
	}
	s := safe(name)
	if slices.ContainsFunc(figures[:i], func(f *figure.Figure) bool { return strings.EqualFold(safe(f.Name), s) }) {
		s += fmt.Sprintf("-%d", i+1)
	}
	return s
}

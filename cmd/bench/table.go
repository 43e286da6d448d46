package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/datasets/board"
	"recallbench/datasets/errata"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datadir"
	"recallbench/internal/publish/figure"
	"recallbench/internal/publish/interchange"
	"recallbench/internal/publish/published"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/runners"
)

func newTableCommand(a *app) *cobra.Command {
	var (
		out    output
		tables []string
		edits  editsFlag
		board  boardFlags
	)
	o := reportOptions()
	cmd := &cobra.Command{
		Use:   "table RUN...",
		Short: "Print the tables of scored runs, with published ones beside them",
		Long: `Table prints one table for each dataset of the runs, with a row for each method and
model and a column for each metric. Means are over questions, failed ones counting as 0,
and over the seeds of a run, unless --seeds prints a row for each. Footnotes flag
anything that could mislead.

With --published, or for the tables that the run's config names, published cells are
printed next to the measured ones, with the difference and a verdict, or the reasons why
they are not comparable. Given the name of a published table in place of a run, table
prints it (docs/tables.md, docs/sweeps.md, docs/reproduce.md).

Given the word board in place of a run, table scores the answers that the makers of memory
systems have published, all in the same way. 'bench data fetch answers locomo
locomo-audit' gets the files; --cards adds your own systems (docs/board.md).`,
		Example: `  bench table results/runs/20260101T000000Z-quickstart-1a2b3c4d --by category --ci
  bench table RUN --against "Naive RAG" --columns f1@span,exact-match
  bench table RUN --published xmemory-table1 --out table1.md
  bench table board --cards mine.yaml --run results/runs/board`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && slices.Contains(published.Names(), args[0]) && !isRun(args[0]) {
				printed, err := published.Get(args[0])
				if err != nil {
					return err
				}
				return out.write(a, report.Show(printed, published.Audit()))
			}
			if len(args) == 1 && args[0] == boardName && !isRun(args[0]) {
				return a.printBoard(cmd.Context(), board, out)
			}
			if board != (boardFlags{}) {
				return usageError(errors.New("--data, --run and --cards belong to 'bench table board'"))
			}
			if o.Ablation = o.Full != ""; o.Full == "auto" {
				o.Full = ""
			}
			runs, err := scoredRuns(args, edits)
			if err != nil {
				return usageError(err)
			}
			if chosen := cmd.Flags().Changed("published"); !chosen && (o.Ablation || o.Keys || o.Axes) || chosen && len(tables) == 0 { // an empty name
				tables = []string{publishedNone}
			}
			choosePublished(&o, tables, configured(runs))
			doc, err := report.Build(runs, o)
			if err != nil {
				return usageError(err)
			}
			return out.write(a, doc)
		},
	}
	out.add(cmd)
	edits.add(cmd)
	cmd.Flags().StringVar(&o.By, "by", "", "split the metrics by `category`, or by a label that the dataset gives its questions, such as split, operation or turn")
	cmd.Flags().StringArrayVar(&o.Filter, "filter", nil, "count only questions with `NAME=VALUE`, a category or a label; may be repeated")
	cmd.Flags().StringSliceVar(&o.Columns, "columns", nil, "columns of metrics to show, separated by commas (default: all)")
	cmd.Flags().StringVar(&o.Against, "against", "", "add a table of tested differences to the row with this `label`")
	publishedFlag(cmd, &tables)
	cmd.Flags().BoolVar(&o.Seeds, "seeds", false, "print a row for each seed of a run with several")
	cmd.Flags().BoolVar(&o.Keys, "keys", false, "print the means under each answer key of datasets with errata, and the ceilings")
	cmd.Flags().BoolVar(&o.Axes, "axes", false, "print, for each method of a sweep, the effect of each axis")
	cmd.Flags().BoolVar(&o.Intervals, "ci", false, "print 95 % intervals")
	cmd.Flags().StringVar(&o.Full, "ablation", "", "print, for each dataset, only the method of a `label` and its variants; auto finds the method that others are variants of")
	inferFlags(cmd, &o)
	board.add(cmd)
	return cmd
}

// Values of --published other than names of tables.
const (
	publishedAll  = "all"
	publishedNone = "none"
)

func publishedFlag(cmd *cobra.Command, tables *[]string) {
	cmd.Flags().StringSliceVar(tables, "published", nil, "published `tables` to show next to the measured ones (default: those of the config); all adds the rows of models other than the nearest, none shows no table")
	completeFlag(cmd, "published", append([]string{publishedAll, publishedNone}, published.Names()...))
}

// choosePublished sets options from --published. Without names, the tables are those of
// the config.
func choosePublished(o *report.Options, chosen, configured []string) {
	o.Published = configured
	named := lists.Filter(chosen, func(name string) bool { return name != publishedAll && name != publishedNone })
	if len(named) > 0 || slices.Contains(chosen, publishedNone) {
		o.Published = named
	}
	o.AllReaders = slices.Contains(chosen, publishedAll)
}

// boardName stands for the published answers where a run is wanted.
const boardName = "board"

// boardFlags choose what is on the board.
type boardFlags struct{ data, run, cards string }

func (f *boardFlags) add(cmd *cobra.Command) {
	dataFlag(cmd, &f.data)
	cmd.Flags().StringVar(&f.run, "run", "", "`folder` for the scored answers of the board, as a run to view and compare (default: not saved)")
	cmd.Flags().StringVar(&f.cards, "cards", "", "`file` with cards of more systems for the board")
}

// boardData is the dataset that systems are compared on.
const boardData = "locomo"

// printBoard prints the published answers of real systems, scored under one protocol.
func (a *app) printBoard(ctx context.Context, flags boardFlags, out output) error {
	cards := board.Shipped()
	if flags.cards != "" {
		more, err := board.ReadCards(flags.cards)
		if err != nil {
			return usageError(err)
		}
		cards = append(more, cards...)
	}
	dir, err := datadir.Find(flags.data, a.env)
	if err != nil {
		return usageError(err)
	}
	if flags.run == "" {
		temp, err := os.MkdirTemp("", "bench-board-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temp)
		flags.run = filepath.Join(temp, "run")
	}
	folder, header, b, err := a.importCards(ctx, cards, dir, flags)
	if err != nil {
		return usageError(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "locomo-audit", "errors.json")); err == nil {
		if err := a.setErrata(ctx, folder, &header, keyFlags{errata: []string{"locomo-audit"}, key: string(errata.Published), data: flags.data}); err != nil {
			return usageError(err)
		}
	}
	scored, err := a.scoreRun(ctx, folder, header, runners.JudgedMetrics(header, header.Metrics))
	if err != nil {
		return err
	}
	doc, err := report.Board(scored.Run, b.entries, reportOptions())
	if err != nil {
		return err
	}
	if len(b.absent) > 0 {
		doc.Tables[0].NoteTitle(fmt.Sprintf("missing: %s; 'bench data fetch answers' gets the files", strings.Join(b.absent, "; ")))
	}
	return out.write(a, doc)
}

// A boardCards is what cards say of the systems on the board, and which have no files.
type boardCards struct {
	entries map[string]report.BoardEntry
	absent  []string
}

// importCards makes a run of the answers of cards that are in the folder of data.
func (a *app) importCards(ctx context.Context, cards []board.Card, dir string, to boardFlags) (folder record.Folder, header record.Header, b boardCards, err error) {
	b.entries = make(map[string]report.BoardEntry)
	flags := importFlags{dataset: boardData, data: to.data, match: interchange.ByEither, missing: "error", skip: true, quiet: true}
	into, err := a.openImport(ctx, flags)
	if err != nil {
		return "", header, b, err
	}
	defer into.Close()
	var cells []runners.ImportedCell
	var faults []error
	options := interchange.MatchOptions{By: flags.match, Accept: interchange.Fields(), Categories: into.Dataset().Categories}
	for _, c := range lists.Filter(cards, func(c board.Card) bool { return c.Dataset == boardData }) {
		path := c.Read
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, filepath.FromSlash(path))
		}
		switch {
		case interchange.Exists(path):
			flags.from = c.Layout
			cell, _, err := a.importFile(ctx, path, flags, into.Golds, options)
			cell.Label = c.Label()
			cells, faults = append(cells, cell), append(faults, err)
			b.entries[cell.Label] = report.BoardEntry{Claimed: c.Claimed, Note: c.Origin()}
		case len(c.Files) == 0: // nothing fetches it
			faults = append(faults, fmt.Errorf("card of %s: read: %s is neither next to the file of cards nor in %s", c.Label(), c.Read, dir))
		default:
			b.absent = append(b.absent, c.Label())
		}
	}
	if err := errors.Join(faults...); err != nil {
		return "", header, b, err
	}
	if len(cells) == 0 {
		return "", header, b, fmt.Errorf("%s has no answers of any system; 'bench data fetch answers' gets them", dir)
	}
	folder, header, err = into.Write(to.run, "", importMetrics(boardData, cells), cells)
	return folder, header, b, err
}

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

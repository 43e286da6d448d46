package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/datasets/board"
	"recallbench/datasets/errata"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datadir"
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

--against adds a table of the differences to one row, from the tests of 'bench compare'.
--ablation, --axes and --keys replace the means with a method and its variants, the effect
of each option of a sweep, and the means under each answer key of datasets with errata.
All of these can be combined.

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

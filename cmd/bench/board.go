package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/datasets"
	"recallbench/datasets/board"
	"recallbench/datasets/errata"
	"recallbench/internal/files/datadir"
	"recallbench/internal/publish/interchange"
	"recallbench/internal/publish/report"
	"recallbench/runners"
)

// boardName stands for the published answers where a run is wanted.
const boardName = "board"

// boardFlags choose what is on the board.
type boardFlags struct{ data, run, cards string }

func (f *boardFlags) add(cmd *cobra.Command) {
	dataFlag(cmd, &f.data)
	cmd.Flags().StringVar(&f.run, "run", "", "`folder` for the scored answers of the board, as a run to view and compare (default: not saved)")
	cmd.Flags().StringVar(&f.cards, "cards", "", "`file` with cards of more systems for the board")
}

// given reports whether a flag of the board was given.
func (f *boardFlags) given() bool { return *f != boardFlags{} }

// printBoard prints the published answers of real systems, scored under one protocol.
func (a *app) printBoard(ctx context.Context, flags boardFlags, out output) error {
	all := board.Shipped()
	if flags.cards != "" {
		more, err := board.ReadCards(flags.cards)
		if err != nil {
			return usageError(err)
		}
		all = append(more, all...)
	}
	doc, err := a.board(ctx, all, flags.data, flags.run)
	if err != nil {
		return err
	}
	return out.write(a, doc)
}

// boardData is the dataset that systems are compared on.
const boardData = "locomo"

// board scores the answers that are present.
func (a *app) board(ctx context.Context, cards []board.Card, data, run string) (*report.Document, error) {
	dir, err := datadir.Find(data, a.env)
	if err != nil {
		return nil, usageError(err)
	}
	if run == "" {
		temp, err := os.MkdirTemp("", "bench-board-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(temp)
		run = filepath.Join(temp, "run")
	}
	flags := importFlags{dataset: boardData, data: data, match: interchange.ByEither, missing: "error", skip: true, quiet: true}
	into, err := a.openImport(ctx, flags)
	if err != nil {
		return nil, err
	}
	defer into.Close()
	golds, err := into.Golds()
	if err != nil {
		return nil, err
	}
	var cells []runners.ImportedCell
	var absent []string
	var faults []error
	entries := make(map[string]report.BoardEntry)
	for _, c := range cards {
		if c.Dataset != boardData {
			continue
		}
		path := c.Read
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, filepath.FromSlash(path))
		}
		if !interchange.Exists(path) {
			if len(c.Files) == 0 { // nothing fetches it
				faults = append(faults, fmt.Errorf("card of %s: read: %s is neither next to the file of cards nor in %s", c.Label(), c.Read, dir))
				continue
			}
			absent = append(absent, c.Label())
			continue
		}
		flags.from = c.Layout
		options := interchange.MatchOptions{By: flags.match, Accept: interchange.Fields(), Categories: into.Dataset().Categories}
		cell, _, err := a.importFile(ctx, path, flags, golds, options)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		cell.Label = c.Label()
		cells = append(cells, cell)
		entries[cell.Label] = report.BoardEntry{Claimed: c.Claimed, Note: cardNote(c)}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, usageError(err)
	}
	if len(cells) == 0 {
		return nil, usageError(fmt.Errorf("%s has no answers of any system; 'bench data fetch answers' gets them", dir))
	}
	folder, header, err := into.Write(run, "", importMetrics(boardData, cells), cells)
	if err != nil {
		return nil, usageError(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "locomo-audit", "errors.json")); err == nil {
		overlays, err := errata.OpenAll(ctx, datasets.Env{Dir: dir, Base: "."}, []string{"locomo-audit"})
		if err != nil {
			return nil, usageError(err)
		}
		if _, err := runners.SetErrata(folder, &header, overlays, errata.Published, errata.Options{}, false); err != nil {
			return nil, err
		}
	}
	if _, err := a.scoreRun(ctx, folder, header, judgedMetrics(header, header.Metrics)); err != nil {
		return nil, err
	}
	runs, err := scoredRuns([]string{string(folder)})
	if err != nil {
		return nil, err
	}
	doc, err := report.Board(runs[0], entries, reportOptions())
	if err == nil && len(absent) > 0 {
		doc.Tables[0].NoteTitle(fmt.Sprintf("missing: %s; 'bench data fetch answers' gets the files", strings.Join(absent, "; ")))
	}
	return doc, err
}

// cardNote says where the answers, verdicts and claims come from.
func cardNote(c board.Card) string {
	parts := []string{strings.TrimPrefix(c.Source, "https://")}
	if c.Commit != "" {
		parts[0] += " at " + c.Commit[:min(7, len(c.Commit))]
	}
	parts = append(parts, c.Licence)
	if c.Judge != "" {
		parts = append(parts, "its judge "+c.Judge)
	}
	if c.Claimed != nil {
		parts = append(parts, "claims by "+cmp.Or(c.Where, "its source"))
	}
	if c.Note != "" {
		parts = append(parts, c.Note)
	}
	return strings.Join(parts, "; ")
}

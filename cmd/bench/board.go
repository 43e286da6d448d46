package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/datasets/board"
	"recallbench/datasets/errata"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datadir"
	"recallbench/internal/publish/interchange"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
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
	golds, err := into.Golds()
	if err != nil {
		return "", header, b, err
	}
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
			cell, _, err := a.importFile(ctx, path, flags, golds, options)
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

package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
)

func newCallsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "calls",
		Short: "List, check, prune, copy and repeat recorded model calls",
		Long: `Calls manages the recordings of model calls, which runs write and read in the
modes record, reuse and replay. The folder of the recordings is --store,
$BENCH_CALLS, or results/calls. docs/recordings.md says what is recorded.`,
		Args: verbArgs,
		RunE: help,
	}
	cmd.AddCommand(
		newCallsListCommand(a), newCallsShowCommand(a), newCallsVerifyCommand(a),
		newCallsPruneCommand(a), newCallsExportCommand(a), newCallsImportCommand(a),
		newCallsAskCommand(a),
	)
	return cmd
}

func newCallsListCommand(a *app) *cobra.Command {
	var query callsQuery
	var limit int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List recordings, newest first",
		Long: `List prints a line for each recording, newest first: its id, as in 'bench calls
show' and in the records of runs, the time, the role, input and output tokens, and
the beginning of the reply or of the text that was embedded or compared.

Recordings are in SQLite files; docs/recordings.md has queries that count them.`,
		Example: `  bench calls list --since 12h
  bench calls list --model gpt-4o-mini --limit 0 --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if limit < 0 {
				return usageError(fmt.Errorf("--limit is %d, want at least 1, or 0 for all", limit))
			}
			return query.with(a, func(s *calls.Store, chosen []*calls.Recording) error {
				n := len(chosen)
				if limit > 0 {
					chosen = chosen[:min(n, limit)]
				}
				views := make([]calls.View, len(chosen))
				for i, r := range chosen {
					var err error
					if views[i], err = r.View(); err != nil {
						return damaged(err)
					}
				}
				if asJSON {
					return jsonout.Lines(a.stdout, views...)
				}
				if err := a.printTable("ID\tTIME\tKIND\tROLE\tMODEL\tIN\tOUT\tTEXT", lists.Map(views, callRow)); err != nil {
					return err
				}
				return a.say("\n%d of %s in %s", len(chosen), report.Plural(n, "recording"), s.Dir())
			})
		},
	}
	query.add(cmd)
	cmd.Flags().StringSliceVar(&query.runs, "run", nil, "only chat calls that the records of the run in `DIR` name, and all embeddings and entailments, which records never name")
	cmd.Flags().IntVar(&limit, "limit", 50, "list at most `N`; 0 for all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON line for each recording, in full, to stdout and nothing else")
	return cmd
}

func newCallsShowCommand(a *app) *cobra.Command {
	var query callsQuery
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show a recorded request and its reply in full",
		Long: `Show prints the request and the reply of the recording whose id begins with ID.
Control characters are printed as spaces, and vectors are cut after eight numbers;
'bench calls list --json' prints everything.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := query.open(a)
			if err != nil {
				return err
			}
			defer s.Close()
			found, err := s.Find(args[0])
			switch {
			case err != nil:
				return err
			case len(found) == 0:
				return usageError(fmt.Errorf("no recording in %s has an id that begins with %q; 'bench calls list' lists them", s.Dir(), args[0]))
			case len(found) > 1:
				return usageError(fmt.Errorf("%d recordings have an id that begins with %q, such as %s and %s; give more digits", len(found), args[0], found[0].Key.ID(), found[1].Key.ID()))
			}
			v, err := found[0].View()
			if err != nil {
				return damaged(err)
			}
			_, err = io.WriteString(a.stdout, callText(v))
			return err
		},
	}
	query.addStore(cmd)
	return cmd
}

func newCallsVerifyCommand(a *app) *cobra.Command {
	var query callsQuery
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Read all recordings and check them",
		Long: `Verify checks the structure of each file (PRAGMA integrity_check) and the checksum
of each reply, and computes each request's key again to compare it. The exit code is
8 if something is damaged. Runs never use a damaged reply.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := query.open(a)
			if err != nil {
				return err
			}
			defer s.Close()
			check, err := s.Verify(cmd.Context())
			if err != nil {
				return err
			}
			for _, d := range check.Damages {
				if err := a.say("%s", d); err != nil {
					return err
				}
			}
			err = a.say("%s: %s intact in %s, %s", s.Dir(), report.Plural(check.Recordings, "recording"), report.Plural(check.Files, "file"), sizeOf(check.Bytes))
			if n := len(check.Damages); n > 0 && err == nil {
				return withExit(exitFingerprint, fmt.Errorf("%s damaged; 'bench calls prune' removes them, and a run in the mode reuse then makes those calls again", report.Plural(n, "place")))
			}
			return err
		},
	}
	query.addStore(cmd)
	return cmd
}

func newCallsPruneCommand(a *app) *cobra.Command {
	var query callsQuery
	var protect []string
	var yes bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete recordings and compact the store",
		Long: `Prune deletes the damaged recordings of calls.db and, if flags select any, those
that match all flags; --run protects what runs need. Runs may continue meanwhile.`,
		Example: `  bench calls prune
  bench calls prune --yes --older-than 90d --run results/runs/20260101T000000Z-paper-1a2b3c4d
  bench calls prune --yes --model gpt-4o-mini`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			match, err := query.matcher()
			if err != nil {
				return err
			}
			needed, err := record.Calls(protect...)
			if err != nil {
				return usageError(err)
			}
			picks := len(query.models)+len(protect) > 0 || query.since != "" || query.before != ""
			s, err := query.open(a)
			if err != nil {
				return err
			}
			defer s.Close()
			p, err := s.Prune(cmd.Context(), func(r *calls.Recording) bool {
				return picks && !needed[r.Key.ID()] && (len(protect) == 0 || r.Kind == calls.Chat) && match(r)
			}, !yes)
			if err != nil {
				return damaged(err)
			}
			said := fmt.Sprintf("%s and %s", report.Plural(p.Removed, "recording"), report.Plural(p.Damaged, "damaged one"))
			if !yes {
				return a.say("%s: would remove %s; %d left", s.Dir(), said, p.Kept)
			}
			return a.say("%s: removed %s; %d left, %s instead of %s", s.Dir(), said, p.Kept, sizeOf(p.After), sizeOf(p.Before))
		},
	}
	query.add(cmd)
	cmd.Flags().StringSliceVar(&protect, "run", nil, "remove only chat calls that the records of the run in `DIR` do not name, and no embeddings or entailments; may be repeated")
	cmd.Flags().BoolVar(&yes, "yes", false, "remove them instead of reporting what would be removed")
	return cmd
}

func newCallsExportCommand(a *app) *cobra.Command {
	var query callsQuery
	cmd := &cobra.Command{
		Use:   "export FILE",
		Short: "Write recordings to one file, for another machine or a paper",
		Long: `Export writes recordings to one file, which 'bench calls import' reads on any
machine. The same recordings give the same bytes. A recording is written if it
matches all flags.

--run selects what a replay of a run needs: the chat calls that its records name,
and all embeddings and entailments, which records do not name. If the run names a
call that was not recorded, the exit code is 7.`,
		Example: `  bench calls export paper.db --run results/runs/20260101T000000Z-paper-1a2b3c4d
  bench calls export all.db`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return query.with(a, func(s *calls.Store, chosen []*calls.Recording) error {
				if len(chosen) == 0 {
					return usageError(fmt.Errorf("no recording in %s matches; 'bench calls list' lists all", s.Dir()))
				}
				if err := query.lacking(s); err != nil {
					return err
				}
				sum := sha256.New()
				a.inputs = nil // the argument is the output
				err := a.writeOut(args[0], func(w io.Writer) error {
					return calls.Export(cmd.Context(), io.MultiWriter(w, sum), chosen)
				})
				if err != nil {
					return damaged(err)
				}
				return a.say("wrote %s: %s, SHA-256 %x", args[0], report.Plural(len(chosen), "recording"), sum.Sum(nil))
			})
		},
	}
	query.add(cmd)
	cmd.Flags().StringSliceVar(&query.runs, "run", nil, "only what the run in `DIR` needs; may be repeated")
	return cmd
}

func newCallsImportCommand(a *app) *cobra.Command {
	var query callsQuery
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Add the recordings of exported files",
		Long: `Import checks files that 'bench calls export' wrote, byte by byte, and adds either
all recordings of a file or none. If a call was recorded twice, the newer recording
counts. A truncated or damaged file is refused with exit code 8. The calls.db of
another store can be imported, too.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			faults := lists.Map(args, func(file string) error { return checkInput(file, "recordings that 'bench calls export' wrote") })
			if err := errors.Join(faults...); err != nil { // before a store is made
				return usageError(err)
			}
			s, err := calls.Open(callsDir(query.store, a.env), a.log())
			if err != nil {
				return usageError(err)
			}
			defer s.Close()
			for _, file := range args {
				in, err := s.Import(cmd.Context(), file)
				switch {
				case err != nil:
					err = usageError(err)
				case !in.Whole():
					err = withExit(exitFingerprint, fmt.Errorf("%s has changed since it was exported: %s; nothing was added", file, in.Check.Damages[0]))
				default:
					err = a.say("%s: %s new, %d newer, %d known", file, report.Plural(in.New, "recording"), in.Newer, in.Known)
				}
				faults = append(faults, err)
			}
			return errors.Join(faults...)
		},
	}
	query.addStore(cmd)
	return cmd
}

// damaged adds what to do about recordings that cannot be read; a file that cannot be
// opened and an interrupt are not damage.
func damaged(err error) error {
	if errors.As(err, new(*os.PathError)) || errors.Is(err, context.Canceled) {
		return usageError(err)
	}
	return withExit(exitFingerprint, fmt.Errorf("%w; 'bench calls verify' lists the damage, 'bench calls prune' removes it", err))
}

// callsDir returns the folder of the recordings: that of a flag or a config, else
// $BENCH_CALLS, else results/calls below the working directory.
func callsDir(named string, env func(string) string) string {
	return cmp.Or(named, env("BENCH_CALLS"), filepath.Join("results", "calls"))
}

// lacking returns an error if the runs of a query name calls that the store lacks.
func (q *callsQuery) lacking(s *calls.Store) error {
	named, err := record.Calls(q.runs...)
	if err != nil {
		return usageError(err)
	}
	all, err := s.Recordings()
	if err != nil {
		return err
	}
	for _, r := range all {
		delete(named, r.Key.ID())
	}
	if len(named) == 0 {
		return nil
	}
	first := slices.Sorted(maps.Keys(named))[0]
	return withExit(exitMiss, fmt.Errorf("the run names %s that %s lacks, such as %s, and could not be replayed; nothing was written", report.Plural(len(named), "call"), s.Dir(), first))
}

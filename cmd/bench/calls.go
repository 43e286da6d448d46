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
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/metrics"
	metricsuite "recallbench/metrics/suite"
	"recallbench/runners"
)

func newCallsCommand(a *app) *cobra.Command {
	return newGroup("calls", "List, check, prune, copy and repeat recorded model calls", `Calls manages the recordings of model calls, which runs write and read in the
modes record, reuse and replay. The folder of the recordings is --store,
$BENCH_CALLS, or results/calls. docs/recordings.md says what is recorded.`,
		newCallsListCommand(a), newCallsShowCommand(a), newCallsVerifyCommand(a), newCallsPruneCommand(a),
		newCallsExportCommand(a), newCallsImportCommand(a), newCallsAskCommand(a),
	)
}

// A callsQuery selects recordings of a store.
type callsQuery struct {
	store         string
	models, runs  []string
	since, before string
	matches       func(*calls.Recording) bool // the flags but --run select it
}

func (q *callsQuery) addStore(cmd *cobra.Command) {
	cmd.Flags().StringVar(&q.store, "store", "", "`folder` of the recordings (default $BENCH_CALLS, results/calls)")
}

// add adds the flags; runUsage says what --run does.
func (q *callsQuery) add(cmd *cobra.Command, runUsage string) {
	q.addStore(cmd)
	cmd.Flags().StringSliceVar(&q.models, "model", nil, "only calls of `models`, by the name that was requested")
	cmd.Flags().StringSliceVar(&q.runs, "run", nil, runUsage)
	cmd.Flags().StringVar(&q.since, "since", "", "only calls from `when` on: a date, a time or an age such as 30d or 12h")
	cmd.Flags().StringVar(&q.before, "older-than", "", "only calls before `when`: a date, a time or an age")
}

// open opens the store, whose folder must exist.
func (q *callsQuery) open(a *app) (*calls.Store, error) {
	dir := callsDir(q.store, a.env)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, usageError(fmt.Errorf("there are no recordings: %s is not a folder; --store or BENCH_CALLS names another", dir))
	}
	s, err := calls.OpenToRead(dir, a.log)
	return s, usageError(err)
}

// verb returns the action of a verb that needs the store.
func (q *callsQuery) verb(a *app, do func(ctx context.Context, s *calls.Store, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := q.parse(time.Now()); err != nil {
			return err
		}
		s, err := q.open(a)
		if err != nil {
			return err
		}
		defer s.Close()
		return do(cmd.Context(), s, args)
	}
}

// chosen returns the selected recordings, newest first, and the calls that the runs name
// but the store lacks.
func (q *callsQuery) chosen(s *calls.Store) (chosen []*calls.Recording, lacking map[string]bool, err error) {
	named, err := record.Calls(q.runs...)
	if err != nil {
		return nil, nil, usageError(err)
	}
	lacking = maps.Clone(named)
	all, err := s.Recordings()
	return lists.Filter(all, func(r *calls.Recording) bool {
		delete(lacking, r.Key.ID())
		return q.matches(r) && (len(q.runs) == 0 || r.Kind != calls.Chat || named[r.Key.ID()])
	}), lacking, err
}

// parse reads the flags.
func (q *callsQuery) parse(now time.Time) error {
	since, sinceErr := moment("--since", q.since, now)
	before, beforeErr := moment("--older-than", q.before, now)
	q.matches = func(r *calls.Recording) bool {
		return (q.since == "" || !r.Time.Before(since)) &&
			(q.before == "" || r.Time.Before(before)) &&
			(len(q.models) == 0 || slices.Contains(q.models, r.Identity.Model))
	}
	return usageError(errors.Join(sinceErr, beforeErr))
}

// moment reads a point in time: a date, a time, or an age such as 30d. The empty text is
// the zero time.
func moment(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	age, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n uint64
		n, err = strconv.ParseUint(days, 10, 16)
		age = time.Duration(n) * 24 * time.Hour
	}
	if err == nil && age >= 0 {
		return now.Add(-age), nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%s is %q, want a date such as 2026-01-31, a time such as 2026-01-31T15:04:05Z, or an age such as 30d or 12h", flag, text)
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
		RunE: query.verb(a, func(_ context.Context, s *calls.Store, _ []string) error {
			if limit < 0 {
				return usageError(fmt.Errorf("--limit is %d, want at least 1, or 0 for all", limit))
			}
			chosen, _, err := query.chosen(s)
			if err != nil {
				return err
			}
			n := len(chosen)
			if limit > 0 {
				chosen = chosen[:min(n, limit)]
			}
			views, err := lists.Try(chosen, (*calls.Recording).View)
			if err != nil {
				return damaged(err)
			}
			if asJSON {
				return jsonout.Lines(a.stdout, views...)
			}
			if err := a.printTable("ID\tTIME\tKIND\tROLE\tMODEL\tIN\tOUT\tTEXT", lists.Map(views, calls.View.Row)); err != nil {
				return err
			}
			return a.say("\n%d of %s in %s", len(chosen), report.Plural(n, "recording"), s.Dir())
		}),
	}
	query.add(cmd, "only chat calls that the records of the run in `DIR` name, and all embeddings and entailments, which records never name")
	cmd.Flags().IntVar(&limit, "limit", 50, "list at most `N`; 0 for all")
	jsonFlag(cmd, &asJSON, "one JSON line for each recording, in full,")
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
		RunE: query.verb(a, func(_ context.Context, s *calls.Store, args []string) error {
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
			_, err = io.WriteString(a.stdout, v.Text())
			return err
		}),
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
		RunE: query.verb(a, func(ctx context.Context, s *calls.Store, _ []string) error {
			check, err := s.Verify(ctx)
			if err != nil {
				return err
			}
			for _, d := range check.Damages {
				err = errors.Join(err, a.say("%s", d))
			}
			err = errors.Join(err, a.say("%s: %s intact in %s, %s", s.Dir(), report.Plural(check.Recordings, "recording"), report.Plural(check.Files, "file"), sizeOf(check.Bytes)))
			if n := len(check.Damages); n > 0 && err == nil {
				return withExit(exitFingerprint, fmt.Errorf("%s damaged; 'bench calls prune' removes them, and a run in the mode reuse then makes those calls again", report.Plural(n, "place")))
			}
			return err
		}),
	}
	query.addStore(cmd)
	return cmd
}

func newCallsPruneCommand(a *app) *cobra.Command {
	var query callsQuery
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
		RunE: query.verb(a, func(ctx context.Context, s *calls.Store, _ []string) error {
			needed, err := record.Calls(query.runs...)
			if err != nil {
				return usageError(err)
			}
			picks := len(query.models)+len(query.runs) > 0 || query.since != "" || query.before != ""
			p, err := s.Prune(ctx, func(r *calls.Recording) bool {
				return picks && !needed[r.Key.ID()] && (len(query.runs) == 0 || r.Kind == calls.Chat) && query.matches(r)
			}, !yes)
			if err != nil {
				return damaged(err)
			}
			removed := fmt.Sprintf("%s and %s", report.Plural(p.Removed, "recording"), report.Plural(p.Damaged, "damaged one"))
			if !yes {
				return a.say("%s: would remove %s; %d left", s.Dir(), removed, p.Kept)
			}
			return a.say("%s: removed %s; %d left, %s instead of %s", s.Dir(), removed, p.Kept, sizeOf(p.After), sizeOf(p.Before))
		}),
	}
	query.add(cmd, "remove only chat calls that the records of the run in `DIR` do not name, and no embeddings or entailments; may be repeated")
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
		RunE: query.verb(a, func(ctx context.Context, s *calls.Store, args []string) error {
			chosen, lacking, err := query.chosen(s)
			switch {
			case err != nil:
				return err
			case len(chosen) == 0:
				return usageError(fmt.Errorf("no recording in %s matches; 'bench calls list' lists all", s.Dir()))
			case len(lacking) > 0:
				first := slices.Sorted(maps.Keys(lacking))[0]
				return withExit(exitMiss, fmt.Errorf("the run names %s that %s lacks, such as %s, and could not be replayed; nothing was written", report.Plural(len(lacking), "call"), s.Dir(), first))
			}
			sum := sha256.New()
			a.inputs = nil // the argument is the output
			err = a.writeOut(args[0], func(w io.Writer) error {
				return calls.Export(ctx, io.MultiWriter(w, sum), chosen)
			})
			if err != nil {
				return damaged(err)
			}
			return a.say("wrote %s: %s, SHA-256 %x", args[0], report.Plural(len(chosen), "recording"), sum.Sum(nil))
		}),
	}
	query.add(cmd, "only what the run in `DIR` needs; may be repeated")
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
			s, err := calls.Open(callsDir(query.store, a.env), a.log)
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

func newCallsAskCommand(a *app) *cobra.Command {
	var (
		flags  runFlags
		from   configFlags
		sample int
	)
	cmd := &cobra.Command{
		Use:   "ask RUN",
		Short: "Repeat some recorded calls and compare the replies",
		Long: `Ask draws --sample calls of each role from those that the records of a run name, at
random by the run's seed, and sends them to the run's models again. It prints how many
replies equal the recorded ones byte for byte and, for calls whose reply is the answer,
the means of the metrics before and now. Another version of a server, or the same one on
another processor, may reply differently. The result stays in repeated.json beside the
recordings, and tables of later runs that replay them mention it.

These calls cost money and are not recorded. If a server has moved, give its address
with --set.`,
		Example: `  bench calls ask latest --sample 15 --store configs/recordings/quickstart
  bench calls ask results/runs/mine --set models.0.options.chat.base_url=http://localhost:8081/v1`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if sample < 1 {
				return usageError(fmt.Errorf("--sample is %d, want at least 1", sample))
			}
			again, err := a.askAgain(cmd.Context(), args[0], flags, from, sample)
			if err != nil {
				return err
			}
			if flags.json {
				return jsonout.Lines(a.stdout, again)
			}
			return a.showAgain(again)
		},
	}
	cmd.Flags().IntVar(&sample, "sample", 20, "repeat `N` calls of each role")
	cmd.Flags().StringVar(&flags.store, "store", "", "`folder` of the recordings (default that of the run)")
	cmd.Flags().StringVar(&flags.data, "data", "", "`folder` of the datasets (default $BENCH_DATA, ./datasets)")
	cmd.Flags().StringArrayVar(&from.set, "set", nil, "change the address of a model: `path=value`; may be repeated")
	jsonFlag(cmd, &flags.json, "one JSON object")
	return cmd
}

func (a *app) askAgain(ctx context.Context, dir string, flags runFlags, from configFlags, n int) (*runners.Again, error) {
	folder, h, err := record.Open(dir)
	if err != nil {
		return nil, usageError(err)
	}
	specs, err := metrics.FindAll(h.Metrics, metricsuite.Find)
	if err != nil {
		return nil, usageError(err)
	}
	config, err := from.load(folder.Config())
	if err != nil {
		return nil, err
	}
	query := callsQuery{}
	_, query.store = a.recordings(config, flags)
	store, err := query.open(a)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	flags.calls = string(calls.Off)
	plan, _, err := a.open(ctx, config, flags, false)
	if err != nil {
		return nil, err
	}
	defer plan.Close()
	again, err := plan.AskAgain(ctx, folder, h, store, specs, n)
	if err == nil && len(again.Roles) == 0 {
		err = usageError(errors.New("none of the chat calls that the run names is recorded; --store names another folder"))
	}
	if err != nil {
		return nil, err
	}
	if err := again.Repeated(time.Now()).Write(store.Dir()); err != nil {
		a.log.Warn("tables will not mention how the replies differ", "error", err)
	}
	return again, nil
}

// showAgain prints how the replies differ, and how far that moves the metrics.
func (a *app) showAgain(again *runners.Again) error {
	err := a.printTable("ROLE\tRECORDED\tASKED\tEQUAL\tFAILED", lists.Map(again.Roles, func(r runners.AgainRole) string {
		return fmt.Sprintf("%s\t%d\t%d\t%d\t%d", r.Role, r.Recorded, r.Asked, r.Equal, r.Failed)
	}))
	columns := lists.Filter(again.Columns, func(c runners.AgainColumn) bool { return c.Answers > 0 })
	if err != nil || len(columns) == 0 {
		return err
	}
	if err := a.say("\n%s scored again:\n", report.Plural(again.Answers, "answer")); err != nil {
		return err
	}
	return a.printTable("METRIC\tANSWERS\tCHANGED\tRECORDED\tNOW", lists.Map(columns, func(c runners.AgainColumn) string {
		return fmt.Sprintf("%s\t%d\t%d\t%.*f\t%.*f", c.Name, c.Answers, c.Changed, c.Column.Digits, c.Recorded*c.Column.Scale, c.Column.Digits, c.Now*c.Column.Scale)
	}))
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

// sizeOf writes a number of bytes.
func sizeOf(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

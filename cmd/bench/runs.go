package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/publish/catalog"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/text/termsafe"
	"recallbench/runners"
)

// moved maps verbs of the previous release to their replacements.
var moved = map[string]string{
	"board":     "bench table board",
	"errors":    "bench runs show RUN",
	"estimate":  "bench run FILE --plan",
	"merge":     "bench resume SHARD...",
	"models":    "bench data fetch NAME",
	"plan":      "bench compare BASE NEW --detect POINTS",
	"published": "bench table NAME",
	"rate":      "bench judge people",
	"validate":  "bench doctor --faults FILE...",
	"verify":    "bench runs verify RUN",
}

func newRunsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List, show, check and remove runs",
		Long: `Runs lists the runs below the folder results; 'bench runs list' does so for other
folders. Its verbs show one run, check the files of a run, and remove runs.`,
		Args: verbArgs,
		RunE: func(*cobra.Command, []string) error { return a.listRuns(nil, "text") },
	}
	cmd.AddCommand(newRunsListCommand(a), newRunsShowCommand(a), newVerifyCommand(a), newRunsRemoveCommand(a))
	return cmd
}

func newRunsListCommand(a *app) *cobra.Command {
	var out output
	cmd := &cobra.Command{
		Use:   "list [FOLDER]...",
		Short: "List the runs below folders, newest first",
		Long: `List prints the runs and baselines below some folders, results by default: when each
began, its data, its numbers of rows and answers, its status, its best row by the main
score, and what it paid.`,
		Example: `  bench runs list
  bench runs list results/runs --format json`,
		RunE: func(_ *cobra.Command, args []string) error { return a.listRuns(args, out.format) },
	}
	out.add(cmd)
	return cmd
}

// listRuns prints the runs below some folders.
func (a *app) listRuns(args []string, format string) error {
	if len(args) == 0 {
		args = []string{"results"}
	}
	found, err := a.viewCatalog(args)
	if err != nil {
		return usageError(err)
	}
	index := found.Index()
	index.Runs = slices.Clone(index.Runs)
	slices.SortStableFunc(index.Runs, func(x, y catalog.Row) int { return y.Start.Compare(x.Start) })
	t := &report.Table{Name: "runs", Title: report.Plural(len(index.Runs), "run"), Rows: [][]report.Cell{}, Columns: []report.Column{
		{Name: "run"}, {Name: "began"}, {Name: "data"}, {Name: "rows", Number: true}, {Name: "answers", Number: true}, {Name: "status"}, {Name: "best"}, {Name: "paid", Number: true},
	}}
	for _, r := range index.Runs {
		status, answers, best, paid := string(r.Status), "", "", ""
		if r.Errors != nil && *r.Errors > 0 {
			status += ", " + report.Plural(*r.Errors, "error")
		}
		if r.Finished != nil {
			answers = strconv.Itoa(*r.Finished)
		}
		if h := r.Headline; h != nil {
			c := index.Columns[h.Column]
			best = fmt.Sprintf("%s %.*f %s", r.Rows[h.Row].Method, c.Digits, h.Mean.Mean*c.Scale, h.Column)
		}
		if r.Paid != nil && r.Paid.USD != nil {
			paid = fmt.Sprintf("$%.2f", *r.Paid.USD)
		}
		data := strings.Join(lists.Map(r.Datasets, func(d catalog.Dataset) string { return d.Label }), ", ")
		began, path := "", r.Name
		if !r.Start.IsZero() {
			began = r.Start.UTC().Format("2006-01-02 15:04")
		}
		if r.Argument < len(args) {
			path = filepath.Join(args[r.Argument], filepath.FromSlash(r.Path))
		}
		cells := report.Words(path, began, data, strconv.Itoa(max(len(r.Rows), len(r.Methods))), answers, status, best, paid)
		if note := cmp.Or(r.Damage, r.Error); note != "" {
			cells[0].Notes = []int{t.Note(note)}
		}
		t.Rows = append(t.Rows, cells)
	}
	return (&report.Document{Tables: []*report.Table{t}}).Write(a.stdout, format)
}

func newRunsRemoveCommand(a *app) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "remove RUN...",
		Short: "Remove run folders",
		Long: `Remove removes run folders with everything in them, including notes and ratings. It
removes nothing unless all arguments are runs that no process is using. Without --yes
it only prints what it would remove. Recorded calls are not part of a run: 'bench
calls prune' removes those.`,
		Example: `  bench runs remove results/runs/20260101T000000Z-quickstart-1a2b3c4d
  bench runs remove results/runs/old-1 results/runs/old-2 --yes`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := errors.Join(lists.Map(args, removable)...); err != nil {
				return usageError(err)
			}
			for _, dir := range args {
				said := "would remove %s; --yes removes it"
				if yes {
					if err := os.RemoveAll(dir); err != nil {
						return err
					}
					said = "removed %s"
				}
				if err := a.say(said, termsafe.Text(dir)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "remove the folders instead of printing what would be removed")
	return cmd
}

// removable reports why a folder cannot be removed.
func removable(dir string) error {
	if _, err := record.ReadHeader(dir, record.AcceptEdits); err != nil {
		return fmt.Errorf("%s is not removed: %w", dir, err)
	}
	unlock, err := record.Folder(dir).Lock()
	if err != nil {
		return err
	}
	return unlock()
}

func newRunsShowCommand(a *app) *cobra.Command {
	limit := 10
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Show the results of a run, how it ended, and which questions failed",
		Long: `Show prints the screen that ends 'bench run', how the run ended and what it paid. It
lists the failed questions by kind of error: their number for each method, and the first
of them with messages. The kind is that of the failed model call (docs/errors.md), ingest
if the memory could not be built, or answer if the method itself failed. 'bench resume
RUN --retry-errors' asks these questions again.`,
		Example: `  bench runs show latest
  bench runs show RUN --limit 100`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			folder, h, err := record.Open(args[0], record.WithScores)
			if err != nil {
				return usageError(err)
			}
			failed, requests, err := folder.Failed(h)
			if err != nil {
				return usageError(err)
			}
			if _, err := os.Stat(folder.Scores()); err == nil {
				spent, err := folder.Spent(h)
				if err == nil {
					err = a.printScreen(&freshRun{report.NewRun(folder, h), spent})
				}
				if err != nil {
					return err
				}
			}
			lines := append([]string{
				"", fmt.Sprintf("%s: %s, begun %s", termsafe.Text(h.Name), h.Status, h.Start.Format("2006-01-02 15:04 MST")), fmt.Sprintf("%d of %s failed", len(failed), report.Plural(requests, "question")),
			}, failedLines(failed, limit)...)
			if h.Paid != nil {
				lines = append(lines, h.Paid.String())
			}
			return a.say("%s", strings.Join(lines, "\n"))
		},
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "print only the first `N` failed questions of each kind")
	return cmd
}

func newVerifyCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify RUN",
		Short: "Check the files of a run for damage and edits",
		Long: `Verify compares the files of a run folder with the digests that the run wrote when it
ended, and reads every line of files without a digest, as of a run that was killed. It
reports what is wrong by file and line, and changes nothing. docs/recordings.md explains
the kinds of damage.

Every other verb that reads a run checks the digests, too, and exits with code 9 if they
do not match. 'bench resume --repair RUN' repairs it; --accept-edited accepts an edit.`,
		Example: `  bench runs verify results/runs/20260101T000000Z-quickstart-1a2b3c4d
  bench runs verify RUN --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			v, err := record.Verify(args[0])
			if err != nil {
				return usageError(err)
			}
			if err := a.printVerification(args[0], v, asJSON); err != nil {
				return err
			}
			if v.Damaged() {
				return withExit(exitDamaged, errSilent)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON object to stdout")
	return cmd
}

// printVerification prints the faults of a run, or that it has none.
func (a *app) printVerification(dir string, v record.Verification, asJSON bool) error {
	if asJSON {
		status := "ok"
		if v.Damaged() {
			status = "damaged"
		}
		return jsonout.NewEncoder(a.stdout).Encode(map[string]any{
			"run": dir, "status": status, "digests": v.Digests, "faults": append([]*record.Fault{}, v.Faults...), "accepted_edits": append([]record.Edit{}, v.Header.Accepted...),
		})
	}
	var lines []string
	for _, f := range v.Faults {
		lines = append(lines, fmt.Sprintf("%-10s  %s", f.Kind, f))
	}
	for _, e := range v.Header.Accepted {
		lines = append(lines, fmt.Sprintf("accepted    %s was edited after the run, and the edit was accepted", e.File))
	}
	switch {
	case v.Damaged():
		lines = append(lines, dir+": damaged", (&record.Damage{Dir: dir, Faults: v.Faults}).Remedy())
	case v.Digests:
		lines = append(lines, fmt.Sprintf("%s: ok, %s as the run left them", dir, report.Plural(len(v.Header.Files), "file")))
	default:
		lines = append(lines, dir+": ok, but without digests, because the run is in progress, was killed, or is from an older version of the program")
	}
	return a.say("%s", strings.Join(lists.Map(lines, termsafe.Visible), "\n"))
}

// failedLines describes failed requests by the kind of their errors, the most frequent
// first: their number, and the first ones up to a limit.
func failedLines(failed []record.FailedRequest, limit int) (lines []string) {
	byKind := make(map[string][]record.FailedRequest)
	for _, r := range failed {
		byKind[r.Kind] = append(byKind[r.Kind], r)
	}
	kinds := lists.Distinct(failed, func(r record.FailedRequest) string { return r.Kind })
	slices.SortStableFunc(kinds, func(x, y string) int { return cmp.Compare(len(byKind[y]), len(byKind[x])) })
	for _, kind := range kinds {
		lines = append(lines, fmt.Sprintf("%s: %d", termsafe.Text(kind), len(byKind[kind])))
		for _, r := range byKind[kind][:min(limit, len(byKind[kind]))] {
			lines = append(lines, "  "+termsafe.Text(fmt.Sprintf("%s, %s %s: ", r.Method, r.Sample, r.Request))+termsafe.Excerpt(r.Message, 200))
		}
	}
	return lines
}

// sayFailures prints at the end of a run why requests failed: the kinds of errors, an
// example of each, and what to do next.
func (a *app) sayFailures(folder record.Folder, result runners.Result) error {
	if result.Failed == 0 {
		return nil
	}
	failed, requests, err := folder.Failed(result.Header)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "bench: %d of %d questions failed:\n", len(failed), requests)
	for _, line := range failedLines(failed, 1) {
		fmt.Fprintf(a.stderr, "bench:   %s\n", line)
	}
	fmt.Fprintf(a.stderr, "bench: 'bench runs show %s' lists them; 'bench resume %[1]s --retry-errors' asks these questions again\n", folder)
	return nil
}

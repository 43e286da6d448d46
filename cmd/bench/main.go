// Bench measures what conversational memories recall.
//
// A run file names datasets, methods, models and metrics. A run creates a folder below
// results/runs, appends a record for each answer, scores the records and prints tables.
// The quickstart needs no key, no network and no download:
//
//	bench run configs/quickstart.yaml
//
// The command's help lists its verbs and exit codes; each verb's help has its flags and
// examples. The manual is in docs/.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"recallbench/internal/backend/interrupt"
	"recallbench/internal/door/fault"
	"recallbench/internal/result/record"
	"recallbench/internal/text/redact"
	"recallbench/internal/text/remark"
	"recallbench/internal/text/termsafe"
	"recallbench/runners"
)

func main() {
	if heapGrowth.Store(128 << 20); os.Getenv("GOGC") == "" {
		tuneHeap()
	}
	ctx, period := interrupt.With(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go interrupt.Watcher{Period: period, Stderr: os.Stderr, Env: os.Getenv, Exit: func() { os.Exit(exitInterrupted) }}.Watch(signals)
	err := bench(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	code := exitCode(err)
	if code != exitOK && period.Interrupted() {
		code = exitInterrupted // other errors are consequences
	}
	os.Exit(code)
}

// bench runs the command with args, prints errors to stderr and returns the error for
// [exitCode].
func bench(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	stdout, stderr = redact.Writer{Writer: stdout}, redact.Writer{Writer: stderr}
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, env: os.Getenv, log: slog.New(remark.New(stderr))}
	for _, arg := range args {
		a.argv = append(a.argv, redact.Guess(arg)) // recorded in runs
	}
	root := newRootCommand(a) //nolint:contextcheck // cobra hands each verb the context of ExecuteContext
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if fault := a.endProfile(); fault != nil {
		err = errors.Join(err, fault)
	}
	if err != nil && !errors.Is(err, errSilent) {
		a.printError(err)
	}
	return err
}

// How far the heap grows between collections: by gcPercent of what is in use (Go's
// default is 100), because a run of 20,000 requests then takes a quarter less memory for
// a few percent of time, but always to gcFloor bytes, because most runs are small and
// would spend a sixth of their time collecting. A large heap grows by heapGrowth bytes
// only, which is cheap as most of it is numbers, but by at least gcLeast percent.
const (
	gcPercent = 50
	gcFloor   = 40 << 20
	gcLeast   = 25
)

// heapGrowth is less in a process that has time to collect, such as a coordinator.
var heapGrowth atomic.Int64

// tuneHeap sets how far the heap grows, now and after each collection.
func tuneHeap() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	n := max(4<<20, int(live[0].Value.Uint64()))
	percent := max(gcLeast, min(gcPercent, 100*int(heapGrowth.Load())/n))
	debug.SetGCPercent(max(percent, 100*gcFloor/n-100))
	// An unreferenced object is cleaned up after the next collection.
	runtime.AddCleanup(new([16]byte), func(struct{}) { tuneHeap() }, struct{}{})
}

// An app holds what every verb needs from outside.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(string) string
	argv           []string
	log            *slog.Logger // writes remarks to stderr as sentences
	inputs         []string     // arguments of the verb and values of its flags, but for outputs
	profile        string       // file of --cpuprofile; empty for none
	profiled       *os.File     // nil while nothing is profiled
}

func newRootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "bench",
		Short: "Measure what conversational memories recall",
		Long: `Bench measures what conversational memories recall: it runs memory methods
on datasets, scores the answers, and prints the tables of the papers with the
published numbers beside the measured ones.

Exit codes: 0 done; 1 internal error; 2 usage or config error; 3 finished, but
more questions failed than the limit allows; 4 gate failed. A run can be resumed
after 5 budget reached, 6 provider unavailable, 7 call not recorded (replay),
8 dataset or recordings changed, and 130 interrupted. 9 means that a run folder
is damaged or was edited.

If a command is slow, --cpuprofile FILE writes a profile to send with a report.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          verbArgs,
		RunE:          help,
	}
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().StringVar(&a.profile, "cpuprofile", "", "write a CPU profile of the command to `FILE`, to report what is slow")
	_ = root.PersistentFlags().MarkHidden("cpuprofile") // the flag is there
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		a.noteInputs(cmd, args)
		return a.startProfile()
	}
	for _, g := range []struct {
		title string
		verbs []*cobra.Command
	}{
		{"Start:", []*cobra.Command{newInitCommand(a), newDoctorCommand(a), newListCommand(a)}},
		{"Run:", []*cobra.Command{newRunCommand(a), newResumeCommand(a), newServeCommand(a), newWorkCommand(a, time.Now)}},
		{"Look:", []*cobra.Command{newRunsCommand(a), newViewCommand(a), newTableCommand(a), newPlotCommand(a), newReportCommand(a), newDiffCommand(a)}},
		{"Decide:", []*cobra.Command{newCompareCommand(a), newGateCommand(a), newBaselineCommand(a), newJudgeCommand(a), newScoreCommand(a)}},
		{"Own data, models and memories:", []*cobra.Command{newDataCommand(a), newAdapterCommand(a), newCallsCommand(a), newImportCommand(a), newExportCommand(a), newXPathCommand(a)}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, verb := range g.verbs {
			verb.GroupID = g.title
			root.AddCommand(verb)
		}
	}
	root.CompletionOptions.DisableNoDescFlag = true
	root.AddCommand(newVersionCommand(a))
	root.InitDefaultHelpCmd()
	usageArgs(root)
	return root
}

// startProfile begins the profile that --cpuprofile asks for.
func (a *app) startProfile() (err error) {
	if a.profile == "" {
		return nil
	}
	if err := a.checkOut(a.profile); err != nil {
		return usageError(err)
	}
	if a.profiled, err = os.Create(a.profile); err != nil {
		return usageError(err)
	}
	return pprof.StartCPUProfile(a.profiled)
}

// endProfile writes the profile.
func (a *app) endProfile() error {
	if a.profiled == nil {
		return nil
	}
	pprof.StopCPUProfile()
	return a.profiled.Close()
}

// help is the action of a command that only groups verbs.
func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// printError prints each fault of a joined error on its own line, with control
// characters of files and servers made visible. A cancelled context is an interrupt.
func (a *app) printError(err error) {
	whole := redact.Guess(strings.ReplaceAll(err.Error(), context.Canceled.Error(), "interrupted"))
	for line := range strings.Lines(whole) {
		text := strings.TrimLeft(line, "\t")
		indent := line[:len(line)-len(text)]
		fmt.Fprintf(a.stderr, "bench: %s%s\n", indent, termsafe.Visible(strings.TrimSuffix(text, "\n")))
	}
}

// fileOf returns the file that is written to; nil where it is none.
func fileOf(w io.Writer) *os.File {
	if clean, ok := w.(redact.Writer); ok {
		w = clean.Writer
	}
	f, _ := w.(*os.File)
	return f
}

func terminal(w io.Writer) bool {
	f := fileOf(w)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// version is the version of a release, set by scripts/release.sh.
var version string

func newVersionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit and the platform",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := binary()
			commit := cmp.Or(b.Commit, "(commit unknown)")
			if b.Dirty {
				commit += " (with local changes)"
			}
			return a.say("bench %s %s %s %s", b.Version, commit, b.Go, b.Host)
		},
	}
}

func binary() record.Binary {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	return record.BinaryOf(version, info)
}

// The exit codes, as the root command's help lists them.
const (
	exitOK          = 0
	exitInternal    = 1
	exitUsage       = 2
	exitErrors      = 3
	exitGate        = 4
	exitBudget      = 5
	exitUnavailable = 6
	exitMiss        = 7
	exitFingerprint = 8
	exitDamaged     = 9
	exitInterrupted = 130
)

// errSilent ends a command whose message has been printed.
var errSilent = errors.New("already reported")

// An exitError is an error with the exit code it leads to.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// withExit attaches an exit code to err; nil stays nil.
func withExit(code int, err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code, err}
}

// usageError marks err as one that the user can fix, exit code 2, unless it has a code
// already.
func usageError(err error) error {
	if exitCode(err) != exitInternal {
		return err
	}
	return withExit(exitUsage, err)
}

// exitCode returns the exit code of an error: that of a damaged run folder in any case,
// else the one that a verb attached, else the one of its kind.
func exitCode(err error) int {
	switch e, given := errors.AsType[*exitError](err); {
	case err == nil:
		return exitOK
	case record.IsDamage(err):
		return exitDamaged
	case given:
		return e.code
	}
	switch kind := fault.KindOf(err); {
	case kind.Stops():
		return stopCode(kind)
	case errors.Is(err, runners.ErrData):
		return exitFingerprint
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitInternal
}

// stopCode returns the exit code of a run that a fault stopped.
func stopCode(kind fault.Kind) int {
	return cmp.Or(map[fault.Kind]int{fault.Budget: exitBudget, fault.Miss: exitMiss}[kind], exitUnavailable)
}

package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"recallbench/internal/text/redact"
	"recallbench/internal/text/termsafe"
)

// An app holds what every verb needs from outside.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(string) string
	argv           []string
	remarking      sync.Mutex // one remark at a time
	inputs         []string   // arguments of the verb and values of its flags, but for outputs
	profile        string     // file of --cpuprofile; empty for none
	profiled       *os.File   // nil while nothing is profiled
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

// log returns the logger of remarks, which it writes to stderr as sentences.
func (a *app) log() *slog.Logger { return slog.New(&remarks{w: a.stderr, mu: &a.remarking}) }

// remarks is a [slog.Handler] that writes each record as a sentence for people:
//
//	bench: warning: run/cells/1/records.jsonl: dropped a torn line (bytes 12)
//
// The file, folder or run concerned stands first, an error and a stack last.
type remarks struct {
	w     io.Writer
	mu    *sync.Mutex
	attrs []slog.Attr
}

// Enabled implements [slog.Handler].
func (*remarks) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// WithAttrs implements [slog.Handler].
func (r *remarks) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &remarks{r.w, r.mu, slices.Concat(r.attrs, attrs)}
}

// WithGroup implements [slog.Handler]: a sentence has no groups.
func (r *remarks) WithGroup(string) slog.Handler { return r }

// Handle implements [slog.Handler].
func (r *remarks) Handle(_ context.Context, rec slog.Record) error {
	attrs := slices.Clone(r.attrs)
	rec.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, a)
		return true
	})
	var about, cause, stack string
	var more []string
	for _, a := range attrs {
		value := redact.Guess(a.Value.String())
		switch a.Key {
		case "error":
			cause = ": " + value
		case "stack":
			stack = "    " + strings.ReplaceAll(strings.TrimSpace(value), "\n", "\n    ") + "\n"
		case "file", "folder", "run":
			about = value + ": "
		default:
			more = append(more, strings.ReplaceAll(a.Key, "_", " ")+" "+value)
		}
	}
	text := about + rec.Message
	if len(more) > 0 {
		text += " (" + strings.Join(more, ", ") + ")"
	}
	kind := map[slog.Level]string{slog.LevelWarn: "warning: ", slog.LevelError: "error: "}[rec.Level]
	r.mu.Lock()
	defer r.mu.Unlock()
	_, err := fmt.Fprintf(r.w, "bench: %s%s\n%s", kind, termsafe.Visible(text+cause), stack)
	return err
}

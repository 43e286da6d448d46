package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"recallbench/internal/plain"
)

// An app is what every verb needs from outside.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(string) string
	argv           []string
}

func newRootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "bench",
		Short: "Measure what conversational memories recall",
		Long: `Bench measures what conversational memories recall: it runs memory methods
over datasets, scores the answers, and prints the tables of the papers with the
published numbers beside the measured ones.

Exit codes: 0 done; 1 internal error; 2 usage or config; 3 finished, failed
requests above the limit; 4 gate failed; 5 budget reached, resumable;
6 provider unavailable; 7 replay miss; 8 dataset fingerprint mismatch;
130 interrupted, resumable.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		// SuggestionsFor is called by verbArgs, not by cobra.
		SuggestionsMinimumDistance: 2,
		Args:                       verbArgs,
		RunE:                       help,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError(fmt.Errorf("%s: %w; see '%s --help'", cmd.CommandPath(), err, cmd.CommandPath()))
	})
	root.AddCommand(
		newRunCommand(a),
		newResumeCommand(a),
		newScoreCommand(a),
		newJudgeCommand(a),
		newRateCommand(a),
		newTableCommand(a),
		newCompareCommand(a),
		newDiffCommand(a),
		newGateCommand(a),
		newBaselineCommand(a),
		newPlotCommand(a),
		newReportCommand(a),
		newLatencyCommand(a),
		newMergeCommand(a),
		newExportCommand(a),
		newImportCommand(a),
		newPublishedCommand(a),
		newValidateCommand(a),
		newDoctorCommand(a),
		newEstimateCommand(a),
		newListCommand(a),
		newDataCommand(a),
		newXPathCommand(a),
		newCallsCommand(a),
		newVersionCommand(a),
	)
	usageArgs(root)
	return root
}

// help is the action of a command that only groups verbs.
func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// verbArgs refuses the arguments of a command that only groups verbs: they
// are verbs that it does not have.
func verbArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	msg := fmt.Sprintf("unknown verb %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		msg += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return errors.New(msg)
}

// usageArgs makes wrong arguments of cmd and of its verbs usage errors.
func usageArgs(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usageError(fmt.Errorf("%s: %w; see '%s --help'", cmd.CommandPath(), err, cmd.CommandPath()))
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		usageArgs(sub)
	}
}

// printError prints each fault of a joined error on a line of its own. What
// files and servers say in it cannot reach the terminal as anything but text.
func (a *app) printError(err error) {
	for line := range strings.Lines(err.Error()) {
		text := strings.TrimLeft(line, "\t")
		indent := line[:len(line)-len(text)]
		fmt.Fprintf(a.stderr, "bench: %s%s\n", indent, plain.Visible(strings.TrimSuffix(text, "\n")))
	}
}

// terminal reports whether w is a terminal.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

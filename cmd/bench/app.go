package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
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
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError(fmt.Errorf("%s: %w; see '%s --help'", cmd.CommandPath(), err, cmd.CommandPath()))
	})
	root.AddCommand(
		newVersionCommand(a),
	)
	for _, cmd := range root.Commands() {
		usageArgs(cmd)
	}
	return root
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

// printError prints each fault of a joined error on a line of its own.
func (a *app) printError(err error) {
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintf(a.stderr, "bench: %s\n", strings.TrimSuffix(line, "\n"))
	}
}

// terminal reports whether w is a terminal.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

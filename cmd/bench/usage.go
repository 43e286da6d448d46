package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"recallbench/internal/text/suggest"
)

// misused returns the usage error of a command with wrong arguments or flags.
func misused(cmd *cobra.Command, err error) error {
	return usageError(fmt.Errorf("%w; see '%s --help'", err, cmd.CommandPath()))
}

// verbArgs refuses the arguments of a command that only groups verbs as unknown verbs.
func verbArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if now := moved[args[0]]; now != "" && !cmd.HasParent() {
		return fmt.Errorf("%s is now: %s", args[0], now)
	}
	var verbs []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			verbs = append(verbs, sub.Name())
		}
	}
	if name, ok := suggest.Find(args[0], verbs); ok { // the help lists all
		return fmt.Errorf("unknown verb %q; did you mean %q", args[0], name)
	}
	return errors.New(suggest.Unknown("verb", args[0], verbs))
}

// usageArgs turns wrong arguments of cmd and its verbs into usage errors that say what is
// wanted, and replaces [latest] by the folder of a run.
func usageArgs(cmd *cobra.Command) {
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if check == nil {
			return findLatest(cmd, args)
		}
		err := check(cmd, args)
		if err == nil {
			return findLatest(cmd, args)
		}
		// Cobra's message about a wrong number does not name the arguments.
		if text := err.Error(); strings.Contains(text, " arg(s), ") || strings.HasPrefix(text, "unknown command ") {
			_, want, _ := strings.Cut(cmd.Use, " ")
			err = fmt.Errorf("want %s, got %s", cmp.Or(want, "nothing"), cmp.Or(strings.Join(args, " "), "nothing"))
		}
		return misused(cmd, err)
	}
	for _, sub := range cmd.Commands() {
		usageArgs(sub)
	}
}

// flagError returns the usage error of a flag that cannot be parsed; for an unknown flag
// it suggests a similar one.
func flagError(cmd *cobra.Command, err error) error {
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if name, ok := suggest.Find(e.GetSpecifiedName(), names); ok {
			err = fmt.Errorf("%w; did you mean --%s", err, name)
		}
	}
	return misused(cmd, err)
}

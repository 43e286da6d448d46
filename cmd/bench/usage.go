package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"recallbench/internal/calc/lists"
	"recallbench/internal/text/suggest"
)

// A choice is the value of a flag that is one of some words.
type choice struct {
	value  *string
	values []string
}

// choiceFlag adds a flag that takes one of some values, which the shell completes; it may
// also be empty.
func choiceFlag(cmd *cobra.Command, value *string, name, standard string, values []string, usage string) {
	*value = standard
	cmd.Flags().Var(choice{value, values}, name, usage)
	completeFlag(cmd, name, values)
}

// jsonFlag adds the flag that prints what instead of text.
func jsonFlag(cmd *cobra.Command, on *bool, what string) {
	cmd.Flags().BoolVar(on, "json", false, "write "+what+" to stdout and nothing else")
}

func columnFlag(cmd *cobra.Command, column *string) {
	cmd.Flags().StringVar(column, "column", "", "`column` of a judge, or f1@span, that alone decides which answers are right")
}

// completeFlag has the shell complete the values of a flag.
func completeFlag(cmd *cobra.Command, name string, values []string) {
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
}

// String implements [pflag.Value].
func (c choice) String() string {
	if c.value == nil { // as the flag package makes one
		return ""
	}
	return *c.value
}

// Set implements [pflag.Value].
func (c choice) Set(text string) error {
	*c.value = text
	if text == "" || slices.Contains(c.values, text) {
		return nil
	}
	return errors.New(suggest.Unknown("value", text, c.values))
}

// Type implements [pflag.Value].
func (choice) Type() string { return "string" }

// oneOf reports a flag with none of some values; empty is the default.
func oneOf(flag, value string, values []string) error {
	if err := (choice{new(string), values}).Set(value); err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return nil
}

// pick returns the items of some names, each once, in the order of the names. Its error has
// all unknown names.
func pick[T any](kind string, names []string, items []T, nameOf func(T) string) (found []T, err error) {
	known := lists.Map(items, nameOf)
	for _, name := range lists.AddNew(nil, names...) {
		if at := slices.Index(known, name); at >= 0 {
			found = append(found, items[at])
		} else {
			err = errors.Join(err, errors.New(suggest.Unknown(kind, name, known)))
		}
	}
	return found, err
}

// misused returns the usage error of a command with wrong arguments or flags.
func misused(cmd *cobra.Command, err error) error {
	return usageError(fmt.Errorf("%w; see '%s --help'", err, cmd.CommandPath()))
}

// newGroup returns a command that only groups verbs.
func newGroup(name, short, long string, verbs ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short, Long: long, Args: verbArgs, RunE: help}
	cmd.AddCommand(verbs...)
	return cmd
}

// verbArgs refuses the arguments of a command that only groups verbs as unknown verbs.
func verbArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if now := moved[args[0]]; now != "" && !cmd.HasParent() {
		return fmt.Errorf("%s is now: %s", args[0], now)
	}
	return errors.New(suggest.Unknown("verb", args[0], lists.Map(cmd.Commands(), (*cobra.Command).Name)))
}

// usageArgs turns wrong arguments of cmd and its verbs into usage errors that say what is
// wanted, and replaces [latest] by the folder of a run.
func usageArgs(cmd *cobra.Command) {
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		var err error
		if check != nil {
			err = check(cmd, args)
		}
		if err == nil {
			return findLatest(cmd, args)
		}
		if strings.Contains(err.Error(), " arg(s), ") { // which does not name the arguments
			_, want, _ := strings.Cut(cmd.Use, " ")
			err = fmt.Errorf("want %s, got %s", want, cmp.Or(strings.Join(args, " "), "nothing"))
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

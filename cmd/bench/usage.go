package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"recallbench/internal/text/suggest"
)

// misused is the usage error of a command that was called with wrong arguments
// or flags.
func misused(cmd *cobra.Command, err error) error {
	about := ""
	if cmd.HasParent() {
		about = strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ") + ": "
	}
	end := ";"
	if strings.HasSuffix(err.Error(), "?") {
		end = ""
	}
	return usageError(fmt.Errorf("%s%w%s see '%s --help'", about, err, end, cmd.CommandPath()))
}

// verbArgs refuses the arguments of a command that only groups verbs: they
// are verbs that it does not have.
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
	if name, ok := suggest.Find(args[0], verbs); ok { // the others are in the help
		return fmt.Errorf("unknown verb %q; did you mean %q?", args[0], name)
	}
	return errors.New(suggest.Unknown("verb", args[0], verbs))
}

// ownVerbs gives the verbs that cobra adds arguments that are checked: without it
// a wrong one prints the help of another.
func ownVerbs(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "completion":
			cmd.Args, cmd.RunE = verbArgs, help
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				of, rest, err := root.Find(args)
				if err != nil || len(rest) == 0 || !of.HasSubCommands() {
					return err
				}
				return verbArgs(of, rest)
			}
		}
	}
}

// usageArgs makes wrong arguments of cmd and of its verbs usage errors that say
// what is wanted, and puts the folder of a run where one says [latest].
func usageArgs(cmd *cobra.Command) {
	check := cmd.Args
	if check == nil {
		check = cobra.ArbitraryArgs
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if err == nil {
			return findLatest(cmd, args)
		}
		// What cobra says of a wrong number names no argument.
		if text := err.Error(); strings.Contains(text, " arg(s), ") || strings.HasPrefix(text, "unknown command ") {
			_, want, _ := strings.Cut(cmd.Use, " ")
			err = fmt.Errorf("want %s, got %s", orNothing(want), orNothing(strings.Join(args, " ")))
		}
		return misused(cmd, err)
	}
	for _, sub := range cmd.Commands() {
		usageArgs(sub)
	}
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

// flagError is the usage error of a flag that cannot be read.
func flagError(cmd *cobra.Command, err error) error {
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name, dashes := e.GetSpecifiedName(), "--"
		if short := e.GetSpecifiedShortnames(); short != "" { // one dash: the whole word is a flag's name, perhaps
			name, dashes = short, "-"
		}
		err = unknownFlag(cmd, name, dashes)
	} else if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		_, usage := pflag.UnquoteUsage(e.GetFlag())
		err = fmt.Errorf("--%s needs a value: %s", e.GetFlag().Name, usage)
	} else if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		err = fmt.Errorf("--%s is %q, %s", e.GetFlag().Name, e.GetValue(), wantedValue(e))
	} else if e, ok := errors.AsType[*pflag.InvalidSyntaxError](err); ok {
		err = fmt.Errorf("%q is no flag; want --NAME or --NAME=VALUE", e.GetSpecifiedFlag())
	}
	return misused(cmd, err)
}

// unknownFlag says that a command has no such flag, and which one may be meant.
func unknownFlag(cmd *cobra.Command, name, dashes string) error {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	text := fmt.Sprintf("unknown flag %q", dashes+name)
	if suggestion, ok := suggest.Find(name, names); ok {
		return fmt.Errorf("%s; did you mean \"--%s\"?", text, suggestion)
	}
	var of []string
	for _, sub := range siblings(cmd) {
		if sub.Flags().Lookup(name) != nil && len(name) > 1 {
			of = append(of, "'"+sub.CommandPath()+"'")
		}
	}
	if len(of) > 0 {
		slices.Sort(of)
		return fmt.Errorf("%s, a flag of %s", text, strings.Join(of, ", "))
	}
	return errors.New(text)
}

// siblings returns the verbs beside a command, but for those that only group
// others.
func siblings(cmd *cobra.Command) []*cobra.Command {
	if !cmd.HasParent() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(cmd.Parent().Commands()), func(sub *cobra.Command) bool { return sub == cmd || sub.HasSubCommands() })
}

// wantedValue says what the value of a flag should be.
func wantedValue(e *pflag.InvalidValueError) string {
	switch e.GetFlag().Value.Type() {
	case "int", "int64", "uint", "uint64":
		return "want a whole number"
	case "float64":
		return "want a number"
	case "bool":
		return "want true or false"
	case "duration":
		return "want a duration, such as 90s or 12h"
	default:
		return errors.Unwrap(e).Error()
	}
}

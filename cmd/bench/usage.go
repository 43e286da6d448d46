package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
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

// latest stands for the newest run below results/runs, the one that began last, wherever a
// command takes a run. A run folder of that name in the working directory takes
// precedence, as a path does over the name of a baseline.
const latest = "latest"

// pastRuns is where runs are created, and where the latest is looked up.
var pastRuns = filepath.Join("results", "runs")

// findLatest puts the folder of the newest run in place of [latest] in the arguments of a
// command and in its flag --run.
func findLatest(cmd *cobra.Command, args []string) (err error) {
	if strings.Contains(cmd.Use, " NAME ") && len(args) > 0 { // the first argument is no run
		args = args[1:]
	}
	var runs []string
	if f := cmd.Flags().Lookup("run"); f != nil && f.Changed {
		if list, ok := f.Value.(pflag.SliceValue); ok {
			runs = list.GetSlice()
			defer func() { err = errors.Join(err, list.Replace(runs)) }()
		}
	}
	newest := ""
	for _, values := range [][]string{args, runs} {
		for i, arg := range values {
			name, row, rest := strings.Cut(arg, ":")
			if name != latest || isRun(name) {
				continue
			}
			if newest == "" {
				if newest, err = record.Newest(pastRuns); err != nil {
					return usageError(err)
				}
				cmd.PrintErrf("bench: %s is %s\n", latest, newest)
			}
			if values[i] = newest; rest {
				values[i] += ":" + row
			}
		}
	}
	return nil
}

// scoredFolder returns the folder that an argument names: itself, or if it is not a
// run folder, that of the baseline of this name.
func scoredFolder(arg string) string {
	if !record.IsRun(arg) {
		if dir, ok := namedBaseline(arg, ""); ok {
			return dir
		}
	}
	return arg
}

// isRun reports whether an argument names the folder of a run, or a baseline.
func isRun(arg string) bool { return record.IsRun(scoredFolder(arg)) }

// splitSide splits an argument that names a run, or rows of it as
// RUN:METHOD[@MODEL][#SEED], into the folder and the row. As paths may contain colons, it
// splits after the shortest part that is a run.
func splitSide(arg string) (dir, row string) {
	if isRun(arg) {
		return scoredFolder(arg), ""
	}
	for i, r := range arg {
		if r == ':' && isRun(arg[:i]) {
			return scoredFolder(arg[:i]), arg[i+1:]
		}
	}
	return arg, ""
}

// isSide reports whether an argument names a run or rows of one.
func isSide(arg string) bool {
	dir, _ := splitSide(arg)
	return record.IsRun(dir)
}

// sides opens the sides of a comparison, which must differ, and reports all that cannot be
// opened. A run may be compared with a copy of it, such as a baseline.
func sides(args []string, edits editsFlag) ([]report.Side, error) {
	var seen []string
	return lists.Try(args, func(arg string) (report.Side, error) {
		r, err := scoredRun(arg, edits)
		if err != nil {
			return report.Side{}, err
		}
		_, row := splitSide(arg)
		side := filepath.Clean(string(r.Folder)) + ":" + strings.ToLower(row)
		if slices.Contains(seen, side) {
			err = fmt.Errorf("%s is named twice; want two runs, or two methods of one as RUN:LABEL", arg)
		}
		seen = append(seen, side)
		return r.Side(row), err
	})
}

// editsFlag lets a person accept edits of run folders.
type editsFlag struct{ accept bool }

func (f *editsFlag) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.accept, "accept-edited", false, "accept a run that was edited after it ended, and note this in the output")
}

// options say how run folders are opened.
func (f *editsFlag) options() []record.Option {
	if f.accept {
		return []record.Option{record.AcceptEdits}
	}
	return nil
}

// openRun opens a run folder, a baseline by its folder or its name, or rows of either.
func openRun(arg string, edits editsFlag) (*report.Run, error) {
	dir, row := splitSide(arg)
	if row == "" && strings.HasSuffix(arg, ":") && record.IsRun(dir) {
		return nil, fmt.Errorf("%s: no method label after the colon; want RUN:LABEL", dir)
	}
	return report.OpenRun(dir, row, edits.options()...)
}

// scoredRun is openRun for a run whose records have been scored.
func scoredRun(arg string, edits editsFlag) (*report.Run, error) {
	r, err := openRun(arg, edits)
	if err == nil {
		err = r.CheckScored()
	}
	return r, err
}

// scoredRuns opens scored runs, which must differ, and reports all that cannot be opened.
func scoredRuns(args []string, edits editsFlag) ([]*report.Run, error) {
	return openRuns(args, edits, scoredRun)
}

// openRuns opens runs, each once; several rows of one run share it.
func openRuns(args []string, edits editsFlag, open func(string, editsFlag) (*report.Run, error)) (runs []*report.Run, err error) {
	opened, err := lists.Try(args, func(arg string) (*report.Run, error) { return open(arg, edits) })
	for i, r := range opened {
		at := slices.IndexFunc(runs, func(have *report.Run) bool { return have.Header.ID == r.Header.ID })
		if at < 0 {
			runs = append(runs, r)
		} else if !runs[at].Add(r) {
			err = errors.Join(err, fmt.Errorf("%s is named twice", args[i]))
		}
	}
	return runs, err
}

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/publish/gate"
	"recallbench/internal/result/record"
)

func newGateCommand(a *app) *cobra.Command {
	var flags gateFlags
	cmd := &cobra.Command{
		Use:   "gate RUN",
		Short: "Check a run against rules and a baseline",
		Long: `Gate holds a scored run against rules, and against a baseline where they ask for
one: the name of a blessed run, or the folder of any. It exits with 4 where a
verdict is one that the rules fail on.

Without --rules, no column that is better when higher may be shown to be worse
than in the baseline, over all requests or in a category. At most one percent more
of the requests may fail:

  ` + strings.ReplaceAll(strings.TrimSpace(gate.DefaultText()), "\n", "\n  ") + `

docs/ci.md has all that a rules file may hold. A difference of scores is tested on
the same requests of both, as 'bench compare' does; errors, latency, cost and ratios are held without a
test. Another model, or another k, is named and tested all the same, unless the
rules have allow: []. What cannot be tested where it should be, or is not like for
like, is insufficient data, which fails too unless the rules say otherwise.

A verdict is stable where it is not listed. --out writes files of other formats
beside: .md, .json, .xml (JUnit) or .txt. On GitHub Actions a step summary and
annotations are written as well.`,
		Example: `  bench gate results/runs/20260101T000000Z-ci-1a2b3c4d --baseline main
  bench gate RUN --baseline main --rules gate.yaml --out gate.xml --out gate.json
  bench gate RUN --rules floor.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := flags.checkFormats(); err != nil {
				return usageError(err)
			}
			result, err := flags.check(args[0])
			if err != nil {
				return usageError(err)
			}
			if err := flags.print(a, result); err != nil {
				return err
			}
			if result.Failed {
				return withExit(exitGate, errSilent)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&flags.baseline, "baseline", "", "`name` of a baseline, or folder of one or of a scored run")
	cmd.Flags().StringVar(&flags.rules, "rules", "", "`file` of rules (default: those above)")
	cmd.Flags().StringVar(&flags.unit, "unit", "", "what tests take for independent, each `sample` (a conversation) or each request (default: what the rules say, else sample)")
	cmd.Flags().BoolVar(&flags.acceptTwo, "accept-two", false, "let a difference of two conversations be shown, as accept_two in the rules does")
	cmd.Flags().IntVar(&flags.fallen, "limit", 5, "requests to list of each regression, those that fell the most")
	baselinesFlag(cmd, &flags.baselines)
	flags.edits.add(cmd)
	cmd.Flags().StringVar(&flags.format, "format", "text", "`format` of what is printed: "+strings.Join(gate.Formats(), ", "))
	cmd.Flags().StringArrayVar(&flags.files, "out", nil, "`file` to write beside, in the format of its name; may be repeated")
	cmd.Flags().BoolVar(&flags.all, "all", false, "list what is stable too")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("baseline", completeBaselines))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("unit", cobra.FixedCompletions(units, cobra.ShellCompDirectiveNoFileComp)))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(gate.Formats(), cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

type gateFlags struct {
	baseline, baselines, rules string
	unit                       string
	acceptTwo                  bool
	fallen                     int
	edits                      editsFlag
	format                     string
	files                      []string
	all                        bool
}

// checkFormats reports what cannot be written, before any work is done.
func (g *gateFlags) checkFormats() error {
	faults := []error{oneOf("--format", g.format, gate.Formats()), oneOf("--unit", g.unit, units)}
	for _, file := range g.files {
		if gate.FormatOf(file) == "" {
			faults = append(faults, fmt.Errorf("--out: %s ends in %q, want .txt, .md, .json or .xml", file, filepath.Ext(file)))
		}
	}
	if g.baseline == "" && g.rules == "" {
		faults = append(faults, errors.New("give --baseline NAME or DIR, or rules without margin and ratio by --rules FILE"))
	}
	return errors.Join(faults...)
}

// check holds a run against the rules and the baseline.
func (g *gateFlags) check(run string) (*gate.Result, error) {
	rules := gate.Default()
	if g.rules != "" {
		data, err := os.ReadFile(g.rules)
		if err != nil {
			return nil, fmt.Errorf("--rules: %w", err)
		}
		if rules, err = gate.Parse(g.rules, data); err != nil {
			return nil, err
		}
	}
	rules.Unit = cmp.Or(gate.Unit(g.unit), rules.Unit)
	rules.AcceptTwo = rules.AcceptTwo || g.acceptTwo
	subject, err := gateSubject(run, g.edits.options()...)
	if err != nil {
		return nil, err
	}
	var base *gate.Subject
	if g.baseline != "" {
		dir, ok := namedBaseline(g.baseline, g.baselines)
		if !ok {
			if dir = g.baseline; !isFolder(dir) {
				return nil, unknownBaseline(dir, g.baselines)
			}
		}
		if base, err = gateSubject(dir, g.edits.options()...); err != nil {
			return nil, err
		}
	}
	return gate.Check(rules, *subject, base, gate.Options{Report: reportOptions(), Fallen: g.fallen})
}

// gateSubject opens a scored run, or a baseline.
func gateSubject(arg string, options ...record.Option) (*gate.Subject, error) {
	r, err := scoredRun(arg, options...)
	if err != nil {
		return nil, err
	}
	return &gate.Subject{Run: r, Spent: func() ([]record.Spent, error) { return recordsSpent(r.Folder, r.Header) }}, nil
}

// print writes a result to stdout, to the files, and to GitHub Actions where that
// runs the command.
func (g *gateFlags) print(a *app, r *gate.Result) error {
	if err := r.Write(a.stdout, g.format, g.all); err != nil {
		return err
	}
	for _, file := range g.files {
		if err := a.writeOut(file, func(w io.Writer) error { return r.Write(w, gate.FormatOf(file), g.all) }); err != nil {
			return err
		}
	}
	summary := a.env("GITHUB_STEP_SUMMARY")
	if summary == "" {
		return nil
	}
	// A runner reads commands from both streams; what is printed stays whole.
	if err := r.Annotations(a.stderr); err != nil {
		return err
	}
	f, err := os.OpenFile(summary, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return usageError(fmt.Errorf("GITHUB_STEP_SUMMARY: %w", err))
	}
	return errors.Join(r.Summary(f), f.Close())
}

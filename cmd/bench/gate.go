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
		Long: `Gate checks a scored run against rules and, if they need one, a baseline: the name
of a baseline, or the folder of any scored run. The exit code is 4 if the rules fail
on one of the verdicts.

Without --rules, no column in which higher is better may be significantly worse than
in the baseline, over all questions or in a category, and at most one percent more of
the questions may fail:

  ` + strings.ReplaceAll(strings.TrimSpace(gate.DefaultText()), "\n", "\n  ") + `

Differences of scores are tested on the questions that both runs have, as in 'bench
compare'; errors, latency, cost and ratios are checked without a test. What cannot be
tested, or is not comparable, fails too, unless the rules say otherwise (docs/ci.md).

Verdicts that are not listed are stable. --out also writes files in other formats:
.md, .json, .xml (JUnit) or .txt. On GitHub Actions, gate also writes a step summary.`,
		Example: `  bench gate results/runs/20260101T000000Z-ci-1a2b3c4d --baseline main
  bench gate RUN --baseline main --rules gate.yaml --out gate.xml --out gate.json
  bench gate RUN --rules floor.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
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
	cmd.Flags().StringVar(&flags.baseline, "baseline", "", "`name` of a baseline, or the folder of a baseline or scored run")
	cmd.Flags().StringVar(&flags.rules, "rules", "", "`file` of rules (default: the rules above)")
	choiceFlag(cmd, &flags.unit, "unit", "", units, "what tests treat as independent: each `sample` (a conversation) or each request (a question) (default: what the rules say, else sample)")
	cmd.Flags().BoolVar(&flags.acceptTwo, "accept-two", false, "test differences of two conversations, too, as accept_two in the rules does")
	baselinesFlag(cmd, &flags.baselines)
	flags.edits.add(cmd)
	choiceFlag(cmd, &flags.format, "format", "text", gate.Formats(), "`format` of the output: "+strings.Join(gate.Formats(), ", "))
	cmd.Flags().StringArrayVar(&flags.files, "out", nil, "also write this `file`, in the format of its name; may be repeated")
	cmd.Flags().BoolVar(&flags.all, "all", false, "list stable verdicts, too")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("baseline", completeBaselines))
	return cmd
}

type gateFlags struct {
	baseline, baselines, rules string
	unit                       string
	acceptTwo                  bool
	edits                      editsFlag
	format                     string
	files                      []string
	all                        bool
}

// check checks a run against the rules and the baseline.
func (g *gateFlags) check(run string) (*gate.Result, error) {
	for _, file := range g.files {
		if gate.FormatOf(file) == "" {
			return nil, fmt.Errorf("--out: %s ends in %q, want .txt, .md, .json or .xml", file, filepath.Ext(file))
		}
	}
	if g.baseline == "" && g.rules == "" {
		return nil, errors.New("give --baseline NAME or DIR, or --rules FILE with rules that have neither margin nor ratio")
	}
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
	subject, err := gateSubject(run, g.edits)
	if err != nil {
		return nil, err
	}
	var base *gate.Subject
	if g.baseline != "" {
		dir, ok := namedBaseline(g.baseline, g.baselines)
		if !ok {
			if dir = g.baseline; !record.IsRun(dir) {
				return nil, unknownBaseline(dir, g.baselines)
			}
		}
		if base, err = gateSubject(dir, g.edits); err != nil {
			return nil, err
		}
	}
	return gate.Check(rules, *subject, base, reportOptions())
}

// gateSubject opens a scored run, or a baseline.
func gateSubject(arg string, edits editsFlag) (*gate.Subject, error) {
	r, err := scoredRun(arg, edits)
	return &gate.Subject{Run: r, Spent: func() ([]record.Spent, error) { return r.Folder.Spent(r.Header) }}, err
}

// print writes a result to stdout, to the files, and, if it runs the command, to
// GitHub Actions.
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
	f, err := os.OpenFile(summary, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return usageError(fmt.Errorf("GITHUB_STEP_SUMMARY: %w", err))
	}
	return errors.Join(r.Write(f, "markdown", false), f.Close())
}

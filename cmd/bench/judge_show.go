package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/judges"
	"recallbench/internal/result/judge"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
	"recallbench/runners"
)

// judgedFlags choose judges of a run and how votes are combined.
type judgedFlags struct {
	judges  []string
	combine string
	edits   editsFlag
	out     output
}

func (f *judgedFlags) add(cmd *cobra.Command, combine string) {
	f.out.add(cmd)
	f.edits.add(cmd)
	cmd.Flags().StringSliceVar(&f.judges, "judge", nil, "`names` of judges, separated by commas (default: all of the run)")
	cmd.Flags().StringVar(&f.combine, "combine", combine, "how several votes become one score: `"+judge.Mean+" or "+judge.Majority+"`")
}

// open reads the answers of a run with the verdicts of its judges.
func (f *judgedFlags) open(folder record.Folder, h record.Header) (rows []judge.Row, o judges.Options, err error) {
	if err := oneOf("--combine", f.combine, []string{judge.Mean, judge.Majority}); err != nil {
		return nil, o, err
	}
	o = judges.Options{Combine: f.combine, Seed: h.Seed}
	if o.Judges, err = chooseJudges(h, f.judges); err != nil {
		return nil, o, err
	}
	rows, err = runners.JudgedRows(folder, h)
	return rows, o, err
}

func newJudgeShowCommand(a *app) *cobra.Command {
	var flags judgedFlags
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Compare the judges of a run",
		Long: `Show prints the score of each row by each judge, the range from the lowest to the
highest, and the agreement of the judges. Abstentions that the dataset does not explain
are left out. 'bench compare --columns judge:NAME' tests whether rows differ by a judge.`,
		Example: "  bench judge show results/runs/mine --combine majority",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			folder, header, err := record.Open(args[0], flags.edits.options()...)
			if err != nil {
				return usageError(err)
			}
			rows, o, err := flags.open(folder, header)
			if err != nil {
				return usageError(err)
			}
			o.Notes = append(judgeNotes(header, o.Judges), unaskedNotes(rows, o.Judges)...)
			return flags.out.write(a, judges.Document(rows, o))
		},
	}
	flags.add(cmd, judge.Mean)
	return cmd
}

// chooseJudges returns the names of judges of a run, all of them where none is named.
func chooseJudges(h record.Header, names []string) ([]string, error) {
	of := lists.Filter(h.Judges, func(j record.Judge) bool { return !slices.Contains(j.Columns, metrics.RefusalColumn) })
	have := lists.Map(of, func(j record.Judge) string { return j.Name })
	if h.Judge != nil {
		have = append([]string{runners.Unnamed}, have...)
	}
	if len(have) == 0 {
		return nil, fmt.Errorf("run %s was not judged; 'bench judge' has a language model judge its answers", h.ID)
	}
	for _, n := range names {
		if !slices.Contains(have, n) {
			return nil, fmt.Errorf("%s", suggest.Unknown("judge", n, have))
		}
	}
	if len(names) > 0 {
		return names, nil
	}
	return have, nil
}

// judgeNotes returns notes that describe judges by name.
func judgeNotes(h record.Header, names []string) []string {
	var notes []string
	if h.Judge != nil && slices.Contains(names, runners.Unnamed) {
		notes = []string{fmt.Sprintf("%s: %s; %s", runners.Unnamed, h.Judge.Reader, h.Trust(h.Judge))}
	}
	for _, j := range h.Judges {
		if slices.Contains(names, j.Name) {
			notes = append(notes, j.Name+": "+h.Described(&j))
		}
	}
	return notes
}

// unaskedNotes returns notes about judges that judged only some of the answers.
func unaskedNotes(rows []judge.Row, names []string) (notes []string) {
	for _, name := range names {
		n := 0
		for _, r := range rows {
			n += len(lists.Filter(r.Answers, func(a judge.Answer) bool { return slices.Contains(a.Unasked, name) }))
		}
		if n > 0 {
			notes = append(notes, fmt.Sprintf("%s did not judge %d answers, which f1@span decided; they do not count here", name, n))
		}
	}
	return notes
}

package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"recallbench/internal/publish/report"
)

func newPlanCommand(a *app) *cobra.Command {
	var (
		out     output
		files   resultFlags
		edits   editsFlag
		columns []string
		q       report.DesignQuestion
	)
	cmd := &cobra.Command{
		Use:   "plan BASE NEW --detect POINTS",
		Short: "Estimate how many conversations show a difference",
		Long: `Plan takes a comparison of runs or of files, as 'bench compare' does, for a pilot. It
splits the variance of the paired differences into those of conversations, of questions
and of repetitions, and says how many conversations show a difference of some points,
with other numbers of questions and repetitions, and which of these it pays to add.`,
		Example: `  bench plan RUN:flat-rag RUN:xmemory --detect 2
  bench plan a.json b.json --detect 2,5 --questions 20,154 --seeds 1,3`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkDesign(q); err != nil {
				return usageError(err)
			}
			o := report.ContrastOptions{Options: reportOptions()}
			o.Columns = columns
			rows, _, err := contrasts(cmd.Context(), args, o, &edits, &files)
			if cmd.Context().Err() != nil {
				return cmd.Context().Err()
			}
			if err != nil {
				return usageError(err)
			}
			d, err := report.DesignTable(rows, q)
			if err != nil {
				return usageError(err)
			}
			return out.print(a, d)
		},
	}
	out.add(cmd)
	edits.add(cmd)
	files.add(cmd)
	cmd.Flags().StringSliceVar(&columns, "columns", nil, "columns of metrics to plan for, separated by commas (default: the first of each metric)")
	cmd.Flags().Float64SliceVar(&q.Detect, "detect", nil, "differences to detect, in `points` of the table, separated by commas")
	cmd.Flags().Float64Var(&q.Power, "power", 0.8, "the `chance` of a difference to be shown")
	cmd.Flags().Float64SliceVar(&q.Questions, "questions", nil, "`numbers` of questions about a conversation (default: as in the pilot)")
	cmd.Flags().Float64SliceVar(&q.Seeds, "seeds", nil, "`numbers` of repetitions of a question (default: as in the pilot)")
	return cmd
}

// checkDesign reports what no design can have.
func checkDesign(q report.DesignQuestion) error {
	var faults []error
	if len(q.Detect) == 0 {
		faults = append(faults, errors.New("--detect is missing, want differences in points"))
	}
	if !(q.Power > 0.05 && q.Power < 1) {
		faults = append(faults, fmt.Errorf("--power is %g, want a chance above 0.05 and below 1", q.Power))
	}
	if slices.ContainsFunc(q.Detect, func(x float64) bool { return !(x > 0) }) {
		faults = append(faults, errors.New("--detect: want differences above 0"))
	}
	if slices.ContainsFunc(append(slices.Clone(q.Questions), q.Seeds...), func(x float64) bool { return !(x >= 1 && x <= 1e6) }) {
		faults = append(faults, errors.New("--questions and --seeds: want numbers from 1 to 1000000"))
	}
	return errors.Join(faults...)
}

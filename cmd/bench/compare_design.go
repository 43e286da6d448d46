package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"recallbench/internal/door/llm"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
)

// addDesign adds the flags of a study that is being planned.
func addDesign(cmd *cobra.Command, q *report.DesignQuestion) {
	cmd.Flags().Float64SliceVar(&q.Detect, "detect", nil, "instead, take the comparison as a pilot, and say how many conversations show a difference of so many `points`, separated by commas")
	cmd.Flags().Float64Var(&q.Power, "power", 0.8, "the `chance` of a difference to be shown, for --detect")
	cmd.Flags().Float64SliceVar(&q.Questions, "questions", nil, "`numbers` of questions about a conversation, for --detect (default: as in the pilot)")
	cmd.Flags().Float64SliceVar(&q.Seeds, "seeds", nil, "`numbers` of repetitions of a question, for --detect (default: as in the pilot)")
}

// checkDesign reports what no design can have.
func checkDesign(q report.DesignQuestion) error {
	var faults []error
	if len(q.Detect) == 0 && len(q.Questions)+len(q.Seeds) > 0 {
		faults = append(faults, errors.New("--questions and --seeds belong to --detect, which is missing"))
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

func first(dir, _ string) string { return dir }

// spentBy returns what the sides of a comparison of runs took, by their records.
func spentBy(args []string) func(report.Contrast, int) (report.Expense, error) {
	return func(r report.Contrast, side int) (e report.Expense, err error) {
		dir := scoredFolder(first(splitSide(args[side])))
		header, err := record.ReadHeader(dir)
		if err != nil {
			return e, err
		}
		method, model := r.BaseMethod, r.BaseModel
		if side == 1 {
			method, model = r.Method, r.Model
		}
		folder := record.Folder(dir)
		var build, ask spent
		for _, c := range header.Cells {
			if c.Method != method || c.Model != model || c.Dataset != r.Dataset {
				continue
			}
			for i, err := range record.Values[record.Ingest](folder.Ingests(c.ID)) {
				if errors.Is(err, fs.ErrNotExist) { // a baseline has scores alone
					build.calls, build.dollars, build.n = math.NaN(), math.NaN(), 1
					break
				}
				if err != nil {
					return e, err
				}
				build.add(i.Usage, i.Cost)
			}
			for a, err := range record.Values[record.Record](folder.Records(c.ID)) {
				if errors.Is(err, fs.ErrNotExist) {
					break
				}
				if err != nil {
					return e, err
				}
				ask.add(a.Usage["query"], a.Cost)
			}
		}
		e.BuildCalls, e.BuildDollars = build.mean()
		e.AskCalls, e.AskDollars = ask.mean()
		return e, nil
	}
}

// spent adds up what records took.
type spent struct{ n, calls, dollars float64 }

func (s *spent) add(usage map[string]llm.Usage, cost *float64) {
	s.n++
	for _, u := range usage {
		s.calls += float64(u.Calls)
	}
	if cost == nil {
		cost = new(math.NaN())
	}
	s.dollars += *cost
}

// mean returns the calls and dollars of a record; dollars are NaN where some are unknown.
func (s *spent) mean() (calls, dollars float64) {
	if s.n == 0 {
		return 0, 0
	}
	return s.calls / s.n, s.dollars / s.n
}

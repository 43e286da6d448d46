package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
)

// addDesign adds the flags for planning a study.
func addDesign(cmd *cobra.Command, q *report.DesignQuestion) {
	cmd.Flags().Float64SliceVar(&q.Detect, "detect", nil, "instead, print how many conversations it takes to detect differences of so many `points`, separated by commas, with this comparison as the pilot")
	cmd.Flags().Float64Var(&q.Power, "power", 0.8, "the `chance` of detecting the difference, for --detect")
	cmd.Flags().Float64SliceVar(&q.Questions, "questions", nil, "`numbers` of questions for each conversation, for --detect (default: as in the pilot)")
	cmd.Flags().Float64SliceVar(&q.Seeds, "seeds", nil, "`numbers` of repetitions of a question, for --detect (default: as in the pilot)")
}

// checkDesign validates the flags of a design.
func checkDesign(q report.DesignQuestion) error {
	var faults []error
	if len(q.Detect) == 0 && len(q.Questions)+len(q.Seeds) > 0 {
		faults = append(faults, errors.New("--questions and --seeds need --detect"))
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

// spentBy returns what the sides of a comparison of runs spent, from their records.
func spentBy(args []string) func(report.Contrast, int) (report.Expense, error) {
	return func(r report.Contrast, side int) (e report.Expense, err error) {
		dir, _ := splitSide(args[side])
		header, err := record.ReadHeader(dir)
		if err != nil {
			return e, err
		}
		method, model := r.BaseMethod, r.BaseModel
		if side == 1 {
			method, model = r.Method, r.Model
		}
		folder := record.Folder(dir)
		cells := lists.Filter(header.Cells, func(c record.Cell) bool { return c.Method == method && c.Model == model && c.Dataset == r.Dataset })
		ingests := lists.Map(cells, func(c record.Cell) string { return folder.Ingests(c.ID) })
		records := lists.Map(cells, func(c record.Cell) string { return folder.Records(c.ID) })
		e.BuildCalls, e.BuildDollars, err = meanSpent(ingests, func(i record.Ingest) (map[string]llm.Usage, *float64) { return i.Usage, i.Cost })
		if err == nil {
			e.AskCalls, e.AskDollars, err = meanSpent(records, func(a record.Record) (map[string]llm.Usage, *float64) { return a.Usage["query"], a.Cost })
		}
		return e, err
	}
}

// meanSpent returns the mean calls and dollars of the lines of files; NaN if there is no
// file, as in a baseline, which has scores only, or if a price is unknown.
func meanSpent[T any](paths []string, of func(T) (map[string]llm.Usage, *float64)) (calls, dollars float64, err error) {
	n := 0.0
	for _, path := range paths {
		for line, err := range record.Values[T](path) {
			if errors.Is(err, fs.ErrNotExist) {
				return math.NaN(), math.NaN(), nil
			}
			if err != nil {
				return 0, 0, err
			}
			usage, cost := of(line)
			for _, u := range usage {
				calls += float64(u.Calls)
			}
			dollars += *cmp.Or(cost, new(math.NaN()))
			n++
		}
	}
	return calls / max(n, 1), dollars / max(n, 1), nil
}

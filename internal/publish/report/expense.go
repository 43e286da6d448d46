package report

import (
	"cmp"
	"errors"
	"io/fs"
	"math"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/result/record"
)

// SpentBy returns what the first two sides of a comparison spent on a row, from their
// records, for [DesignQuestion].
func SpentBy(sides []Side) func(r Contrast, side int) (Expense, error) {
	return func(r Contrast, side int) (e Expense, err error) {
		method, model := r.BaseMethod, r.BaseModel
		if side == 1 {
			method, model = r.Method, r.Model
		}
		run := sides[side]
		cells := lists.Filter(run.Header.Cells, func(c record.Cell) bool { return c.Method == method && c.Model == model && c.Dataset == r.Dataset })
		ingests := lists.Map(cells, func(c record.Cell) string { return run.Folder.Ingests(c.ID) })
		records := lists.Map(cells, func(c record.Cell) string { return run.Folder.Records(c.ID) })
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

package report

import (
	"errors"
	"fmt"

	"recallbench/internal/calc/infer"
)

// AnytimeTable lays out the evidence for a difference after each conversation, in the
// order of their ids, for rows of a comparison. One may stop where it reaches 20. The
// difference of interest is in the unit of the tables.
func AnytimeTable(rows []Contrast, interest float64) (*Document, error) {
	t := &Table{Name: "anytime", Title: "Evidence after each conversation", Columns: []Column{
		{Name: "method", Repeats: true}, {Name: "metric", Repeats: true}, {Name: "conversations", Number: true}, {Name: "difference", Number: true}, {Name: "e", Head: "E", Number: true}, {Name: "p", Number: true}, {Name: "verdict"},
	}}
	t.NoteTitle(
		fmt.Sprintf("E: evidence against the absence of a difference, for one of %g points or so; where it reaches %d one may stop, at any time, with a chance of 5 %% to be wrong", interest, infer.Confident),
		"p: 1 by the greatest E so far; it holds at any time; rows are not adjusted",
		"the mean difference where one stopped is too far from 0")
	for _, r := range rows {
		var means []float64
		for _, u := range r.row.Units {
			if u.N > 0 {
				means = append(means, u.Sum/u.Weight)
			}
		}
		sum, most := 0.0, 1.0
		for i, e := range infer.EValues(means, interest/r.Column.Scale) {
			sum += means[i]
			most = max(most, e)
			verdict := ""
			if most >= infer.Confident {
				verdict = "shown"
			}
			t.Rows = append(t.Rows, []Cell{
				text(besides(r.Method, r.BaseMethod)), text(r.Column.Name), count(i + 1), scaled(new(sum/float64(i+1)), r.Column.Scale, r.Column.Digits), scaled(&e, 1, 3), pCell(new(1 / most)), text(verdict),
			})
		}
	}
	if len(t.Rows) == 0 {
		return nil, errors.New("no row has a conversation with a pair")
	}
	t.dropEmptyMethods()
	return &Document{Tables: []*Table{t}}, nil
}

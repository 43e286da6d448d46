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
	t := &Table{Name: "anytime", Title: "Evidence after each conversation"}
	t.NoteTitle(
		fmt.Sprintf("E: evidence for a difference of about %g points; at %d or more one may stop, at any time, with a 5 %% chance of being wrong", interest, infer.Confident),
		"p: 1 divided by the greatest E so far, valid at any time; rows are not adjusted",
		"the mean difference is too far from 0 if one stops early")
	t.Columns = append([]Column{{Name: "method", Repeats: true}}, Numbers("metric", "conversations", "difference", "e", "p")...)
	t.Columns[1].Repeats = true
	t.Columns = append(t.Columns, Column{Name: "verdict"})
	for _, r := range rows {
		var means []float64
		for _, u := range r.row.Units {
			if u.N > 0 {
				means = append(means, u.Sum/u.Weight)
			}
		}
		sum, most, verdict := 0.0, 1.0, ""
		for i, e := range infer.EValues(means, interest/r.Column.Scale) {
			sum, most = sum+means[i], max(most, e)
			if most >= infer.Confident {
				verdict = "shown"
			}
			t.Rows = append(t.Rows, append(Words(besides(r.Method, r.BaseMethod), r.Column.Name),
				Whole(i+1), Decimal(sum/float64(i+1)*r.Column.Scale, r.Column.Digits, nil), Decimal(e, 3, nil), PValue(new(1/most)), text(verdict)))
		}
	}
	if len(t.Rows) == 0 {
		return nil, errors.New("no row has a conversation with a pair")
	}
	if rows[0].Method == "" { // of a file
		t.Columns = t.Columns[1:]
		for i := range t.Rows {
			t.Rows[i] = t.Rows[i][1:]
		}
	}
	return &Document{Tables: []*Table{t}}, nil
}

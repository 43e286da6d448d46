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
	type step struct {
		*Contrast
		n             int
		mean, e, most float64
	}
	var steps []step
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
			steps = append(steps, step{&r, i + 1, sum / float64(i+1), e, most})
		}
	}
	if len(steps) == 0 {
		return nil, errors.New("no row has a conversation with a pair")
	}
	names := repeating(
		textColumn("method", func(s step) string { return besides(s.Method, s.BaseMethod) }),
		textColumn("metric", func(s step) string { return s.Column.Name }),
	)
	if steps[0].Method == "" { // of a file
		names = names[1:]
	}
	fill(t, steps, append(names,
		numberColumn("conversations", func(s step) Cell { return Whole(s.n) }),
		numberColumn("difference", func(s step) Cell { return scaled(&s.mean, s.Column.Scale, s.Column.Digits) }),
		numberColumn("e", func(s step) Cell { return scaled(&s.e, 1, 3) }),
		numberColumn("p", func(s step) Cell { return PValue(new(1 / s.most)) }),
		textColumn("verdict", func(s step) string {
			if s.most >= infer.Confident {
				return "shown"
			}
			return ""
		}),
	)...)
	return &Document{Tables: []*Table{t}}, nil
}

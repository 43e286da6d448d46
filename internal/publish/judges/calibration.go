package judges

import (
	"cmp"
	"fmt"

	"recallbench/internal/calc/calibrate"
	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/judge"
	"recallbench/internal/text/termsafe"
)

// leastOwn is the number of labels from which a row is corrected by the judge's errors
// on its own answers.
const leastOwn = 30

// joined returns all answers of rows as one row.
func joined(rows []judge.Row) judge.Row {
	all := judge.Row{Name: "all rows"}
	for _, r := range rows {
		all.Answers = append(all.Answers, r.Answers...)
	}
	return all
}

// Calibration has a line for all rows and one for each, with the errors of a judge by the
// truth of answers, and the corrected rates.
func Calibration(rows []judge.Row, name string, o Options) *report.Table {
	t := &report.Table{
		Name: "calibration", Title: name + " by labels",
		Columns: report.Numbers("row", "judged", "labelled", "sensitivity", "false acceptance", "kappa", "judge", "corrected", "powered", "labels"),
	}
	all := joined(rows)
	pooled := calibrate.ErrorsOf(conversations(all, name, o))
	for i, r := range append([]judge.Row{all}, rows...) {
		of := conversations(r, name, o)
		own := calibrate.ErrorsOf(of)
		labelled := 0
		for _, c := range of {
			labelled += len(c.Labelled)
		}
		scored := clusters(r, func(a judge.Answer) (float64, bool) { return a.Score(name, o.Combine) })
		rate := none
		p, judged := stats.Mean(scored)
		if judged > 0 {
			rate = report.Percent(p, nil)
			if _, se, ok := infer.MeanError(scored); ok {
				rate.Text += fmt.Sprintf(" ± %.2f", 100*se)
			}
		}
		line := []report.Cell{
			{Text: termsafe.Text(r.Name)}, report.Whole(judged), report.Whole(labelled), rateCell(own.Sensitivity, false), rateCell(own.Specificity, true), kappa(r, name, o), rate,
		}
		if i == 0 { // its rates would be those of a mixture of rows
			t.Rows = append(t.Rows, append(line, report.Cell{}, report.Cell{}, report.Cell{}))
			continue
		}
		line = append(line, corrected(t, of, own, pooled))
		for _, estimate := range []func([]calibrate.Conversation) (calibrate.Powered, bool){calibrate.PredictionPowered, calibrate.HumanOnly} {
			cell := none
			if e, ok := estimate(of); ok {
				cell = report.Percent(e.X, &e.Interval)
				if e.Conversations < infer.FlipUnits {
					cell.Notes = []int{t.Note("fewer than six conversations: the interval is rough")}
				}
			}
			line = append(line, cell)
		}
		t.Rows = append(t.Rows, line)
	}
	t.NoteTitle("sensitivity: the share of answers labelled right that the judge accepts; false acceptance: the share of those labelled wrong that it accepts; "+
		"kappa: agreement of judge and labels; judge: the share of judged answers that it accepts, with the CR2 error",
		"corrected: the rate of right answers by Rogan and Gladen; powered: from labels and judge by prediction-powered inference; labels: from the labelled answers only; 95 % intervals by conversation",
		"a corrected rate is valid only if the judge errs on a row's answers as it does on the labelled ones")
	return t
}

// corrected is the rate of a row by the judge's errors on its own answers, where enough of
// these are labelled, or else by those on all rows.
func corrected(t *report.Table, of []calibrate.Conversation, own, pooled calibrate.Errors) report.Cell {
	errors, using := pooled, "all rows"
	if a, b := own.Sensitivity, own.Specificity; a != nil && b != nil && min(a.N, b.N) >= calibrate.LeastLabels && a.N+b.N >= leastOwn {
		errors, using = own, "its own answers"
	}
	e, err := calibrate.Corrected(of, errors)
	if err != nil {
		cell := none
		cell.Notes = []int{t.Note("not corrected: " + err.Error())}
		return cell
	}
	cell := report.Percent(e.X, &e.Interval)
	cell.Notes = []int{t.Note("corrected by the errors on " + using)}
	if e.Clipped {
		cell.Notes = append(cell.Notes, t.Note("the correction left [0, 100] and was cut"))
	}
	return cell
}

// rateCell prints a rate, or one less it.
func rateCell(r *calibrate.Rate, rest bool) report.Cell {
	switch {
	case r == nil:
		return none
	case rest:
		return report.Percent(1-r.X, &stats.Interval{Lo: 1 - r.Interval.Hi, Hi: 1 - r.Interval.Lo})
	}
	return report.Percent(r.X, &r.Interval)
}

// errorsOf returns the errors of a judge over all rows, and the number of labels.
func errorsOf(rows []judge.Row, name string, o Options) (e calibrate.Errors, labels int) {
	of := conversations(joined(rows), name, o)
	for _, c := range of {
		labels += len(c.Labelled)
	}
	return calibrate.ErrorsOf(of), labels
}

// conversations groups the answers that a judge scored.
func conversations(r judge.Row, name string, o Options) []calibrate.Conversation {
	scored := byConversation(r.Answers, func(a judge.Answer) (judge.Answer, bool) {
		_, ok := a.Score(name, o.Combine)
		return a, ok
	})
	return lists.Map(scored, func(answers []judge.Answer) (c calibrate.Conversation) {
		for _, a := range answers {
			x, _ := a.Score(name, o.Combine)
			if a.Truth == nil {
				c.Judge = append(c.Judge, x)
			} else {
				c.Labelled = append(c.Labelled, calibrate.Label{Human: *a.Truth, Judge: x, Weight: cmp.Or(a.Weight, 1)})
			}
		}
		return c
	})
}

// kappa is that of a judge's score and the truth.
func kappa(r judge.Row, name string, o Options) report.Cell {
	s := stats.Kappa(byConversation(r.Answers, func(a judge.Answer) (pair [2]float64, ok bool) {
		x, ok := a.Score(name, o.Combine)
		if !ok || a.Truth == nil {
			return pair, false
		}
		return [2]float64{x, *a.Truth}, true
	}))
	x, ok := s.Value()
	if !ok {
		return none
	}
	cell := report.Decimal(x, 3, nil)
	if se, ok := s.JackknifeError(); ok {
		cell.Text += fmt.Sprintf(" ± %.3f", se)
	}
	return cell
}

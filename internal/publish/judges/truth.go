package judges

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"recallbench/internal/calc/calibrate"
	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/judge"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
	"recallbench/internal/text/termsafe"
)

// LabelTruth sets the truth of labelled answers to the majority of their labels. Only labels
// that are sure, blind and of the answer as it is count. It returns what the truth is, in
// words, and the agreement of the people, nil if it is not known.
func LabelTruth(rows []judge.Row, labels []note.Label) (about string, alpha *float64, err error) {
	said := make(map[note.Subject][]note.Label)
	seen, stale := 0, 0
	for _, l := range labels {
		_, sure := l.Value.Points()
		switch {
		case !sure:
		case !l.Blind:
			seen++
		case l.Stale:
			stale++
		default:
			said[l.Subject] = append(said[l.Subject], l)
		}
	}
	if len(said) == 0 {
		return "", nil, fmt.Errorf("there are no labels that count (%d are not blind); people label answers in sheets of 'bench judge people export --what correctness' or in the pages of 'bench view'", seen)
	}
	var units [][]float64
	for _, r := range rows {
		for i := range r.Answers {
			a := &r.Answers[i]
			var votes []float64
			for _, l := range said[a.Subject] {
				x, _ := l.Value.Points()
				votes, a.Weight = append(votes, x), max(a.Weight, l.Weight)
			}
			for _, x := range votes {
				if same := lists.Filter(votes, func(v float64) bool { return v == x }); 2*len(same) > len(votes) {
					a.Truth = &x
				}
			}
			if len(votes) > 0 {
				units = append(units, votes)
			}
		}
	}
	about = fmt.Sprintf("labels of %d answers", len(units))
	if stale += len(said) - len(units); seen+stale > 0 {
		about += fmt.Sprintf("; left out: %d labels that are not blind, %d of answers that have changed since", seen, stale)
	}
	if x, ok := stats.Alpha(units, stats.Nominal); ok {
		alpha = &x
		about += fmt.Sprintf("; agreement of the people: alpha %.3f", x)
	}
	return about, alpha, nil
}

// JudgeTruth sets the truth of answers to what a judge says of them, unless it is undecided.
func JudgeTruth(rows []judge.Row, name, combine string) (about string) {
	for _, r := range rows {
		for i, a := range r.Answers {
			if x, ok := a.Score(name, combine); ok && x != 0.5 {
				r.Answers[i].Truth = new(map[bool]float64{true: 1}[x > 0.5])
			}
		}
	}
	return "the verdicts of " + name
}

// RowTruth sets the truth of all answers of the rows that match a pattern of path.Match: 1
// for right, 0 for wrong.
func RowTruth(rows []judge.Row, pattern string, truth float64) (about string, err error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return "", fmt.Errorf("%s: %w", pattern, err)
	}
	fitting := lists.Filter(rows, func(r judge.Row) bool {
		fits, _ := path.Match(pattern, r.Name) // the pattern is one
		return fits
	})
	if len(fitting) == 0 {
		return "", fmt.Errorf("%s: %s", pattern, suggest.Unknown("row", pattern, lists.Map(rows, func(r judge.Row) string { return r.Name })))
	}
	for _, r := range fitting {
		for i := range r.Answers {
			r.Answers[i].Truth = &truth
		}
	}
	return fmt.Sprintf("all answers of the %d rows of %s are %s", len(fitting), pattern, map[float64]string{0: "wrong", 1: "right"}[truth]), nil
}

// Calibrations say how a judge compares with labels of people, by the datasets with labels.
func Calibrations(rows []judge.Row, name string, alpha *float64, o Options) map[string]record.Calibration {
	all := make(map[string]record.Calibration)
	for _, label := range lists.Distinct(rows, func(r judge.Row) string { return r.Dataset }) {
		e, n := errorsOf(answersOf(lists.Filter(rows, func(r judge.Row) bool { return r.Dataset == label })), name, o)
		if n == 0 {
			continue
		}
		c := record.Calibration{Labels: n, Alpha: alpha}
		if e.Sensitivity != nil {
			c.Sensitivity = &e.Sensitivity.X
		}
		if e.Specificity != nil {
			c.Specificity = &e.Specificity.X
		}
		all[label] = c
	}
	return all
}

// UnaskedNotes say which judges judged only some of the answers.
func UnaskedNotes(rows []judge.Row, names []string) (notes []string) {
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

// leastOwn is the number of labels from which a row is corrected by the judge's errors
// on its own answers.
const leastOwn = 30

// answersOf returns the answers of rows.
func answersOf(rows []judge.Row) (all []judge.Answer) {
	for _, r := range rows {
		all = append(all, r.Answers...)
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
	all := judge.Row{Name: "all rows", Answers: answersOf(rows)}
	pooled, _ := errorsOf(all.Answers, name, o)
	for i, r := range append([]judge.Row{all}, rows...) {
		of := conversations(r.Answers, name, o)
		own, labelled := errorsOf(r.Answers, name, o)
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

// errorsOf returns the errors of a judge on answers, and the number of labels.
func errorsOf(answers []judge.Answer, name string, o Options) (e calibrate.Errors, labels int) {
	of := conversations(answers, name, o)
	for _, c := range of {
		labels += len(c.Labelled)
	}
	return calibrate.ErrorsOf(of), labels
}

// conversations groups the answers that a judge scored.
func conversations(answers []judge.Answer, name string, o Options) []calibrate.Conversation {
	scored := byConversation(answers, func(a judge.Answer) (judge.Answer, bool) {
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

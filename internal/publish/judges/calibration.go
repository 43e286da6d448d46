package judges

import (
	"cmp"
	"fmt"
	"slices"

	"recallbench/internal/calc/calibrate"
	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/publish/report"
	"recallbench/internal/text/termsafe"
)

// leastOwn is the number of labels from which a row is corrected by the judge's errors
// on its own answers.
const leastOwn = 30

// Calibration has a line for all rows and one for each, of how a judge fares by the
// truth of answers, and of the rates that come of it.
func Calibration(rows []Row, judge string, o Options) *report.Table {
	t := &report.Table{
		Name: "calibration", Title: judge + " by labels",
		Columns: columns("judged", "labelled", "sensitivity", "false acceptance", "kappa", "judge", "corrected", "powered", "labels"),
	}
	all := Row{Name: "all rows"}
	for _, r := range rows {
		all.Answers = append(all.Answers, r.Answers...)
	}
	pooled := calibrate.ErrorsOf(all.conversations(judge, o))
	for i, r := range append([]Row{all}, rows...) {
		conversations := r.conversations(judge, o)
		own := calibrate.ErrorsOf(conversations)
		line := []report.Cell{{Text: termsafe.Text(r.Name)}, {}, {}, rateCell(own.Sensitivity, false), rateCell(own.Specificity, true), r.kappa(judge, o)}
		judged, labelled := 0, 0
		clusters := make([]stats.Cluster, len(conversations))
		for k, c := range conversations {
			judged, labelled = judged+len(c.Labelled)+len(c.Judge), labelled+len(c.Labelled)
			for _, l := range c.Labelled {
				clusters[k].Add(l.Judge)
			}
			for _, f := range c.Judge {
				clusters[k].Add(f)
			}
		}
		line[1], line[2] = whole(judged), whole(labelled)
		p, _ := stats.Mean(clusters)
		rate := none
		if judged > 0 {
			rate = percent(p, nil)
			if _, se, ok := infer.MeanError(clusters); ok {
				rate.Text += fmt.Sprintf(" ± %.2f", 100*se)
			}
		}
		line = append(line, rate)
		if i == 0 { // its rates would be those of a mixture of rows
			t.Rows = append(t.Rows, append(line, report.Cell{}, report.Cell{}, report.Cell{}))
			continue
		}
		errors, using := pooled, "all rows"
		if enough(own) {
			errors, using = own, "its own answers"
		}
		corrected := none
		if e, err := calibrate.Corrected(conversations, errors); err != nil {
			corrected.Notes = []int{t.Note("not corrected: " + err.Error())}
		} else {
			corrected = percent(e.X, &e.Interval)
			corrected.Notes = []int{t.Note("corrected by the errors on " + using)}
			if e.Clipped {
				corrected.Notes = append(corrected.Notes, t.Note("the correction led out of [0, 100] and is cut"))
			}
		}
		line = append(line, corrected)
		for _, estimate := range []func([]calibrate.Conversation) (calibrate.Powered, bool){calibrate.PredictionPowered, calibrate.HumanOnly} {
			cell := none
			if e, ok := estimate(conversations); ok {
				cell = percent(e.X, &e.Interval)
				if e.Conversations < infer.FlipUnits {
					cell.Notes = []int{t.Note("fewer than six conversations: the interval is rough")}
				}
			}
			line = append(line, cell)
		}
		t.Rows = append(t.Rows, line)
	}
	t.NoteTitle("sensitivity: of answers labelled right, those that the judge accepts; false acceptance: of answers labelled wrong, those that it accepts; "+
		"kappa of judge and labels; judge: its rate over the judged answers, with the CR2 error",
		"corrected: the rate of right answers by Rogan and Gladen; powered: from labels and judge by prediction-powered inference; labels: the labelled answers alone; 95 % intervals by conversation",
		"a corrected rate holds only where the judge errs on a row's answers as it does on the labelled ones")
	return t
}

// enough reports whether a row's own labels say how the judge errs on it.
func enough(e calibrate.Errors) bool {
	return e.Sensitivity != nil && e.Specificity != nil && e.Sensitivity.N >= calibrate.LeastLabels && e.Specificity.N >= calibrate.LeastLabels &&
		e.Sensitivity.N+e.Specificity.N >= leastOwn
}

// rateCell prints a rate, or one less it.
func rateCell(r *calibrate.Rate, rest bool) report.Cell {
	switch {
	case r == nil:
		return none
	case rest:
		return percent(1-r.X, &stats.Interval{Lo: 1 - r.Interval.Hi, Hi: 1 - r.Interval.Lo})
	}
	return percent(r.X, &r.Interval)
}

// ErrorsOf returns the errors of a judge over all rows, and the number of labels.
func ErrorsOf(rows []Row, judge string, o Options) (e calibrate.Errors, labels int) {
	var all Row
	for _, r := range rows {
		all.Answers = append(all.Answers, r.Answers...)
	}
	conversations := all.conversations(judge, o)
	for _, c := range conversations {
		labels += len(c.Labelled)
	}
	return calibrate.ErrorsOf(conversations), labels
}

// conversations groups the answers that a judge scored.
func (r Row) conversations(judge string, o Options) []calibrate.Conversation {
	place := make(map[string]int)
	var all []calibrate.Conversation
	for _, a := range r.Answers {
		x, ok := a.Score(judge, o.Combine)
		if !ok {
			continue
		}
		i, seen := place[a.Conversation]
		if !seen {
			i = len(all)
			place[a.Conversation], all = i, append(all, calibrate.Conversation{})
		}
		if a.Truth == nil {
			all[i].Judge = append(all[i].Judge, x)
		} else {
			all[i].Labelled = append(all[i].Labelled, calibrate.Label{Human: *a.Truth, Judge: x, Weight: cmp.Or(a.Weight, 1)})
		}
	}
	return all
}

// kappa is that of a judge's score and the truth.
func (r Row) kappa(judge string, o Options) report.Cell {
	labelled := Row{}
	for _, a := range r.Answers {
		if a.Truth != nil {
			x, ok := a.Score(judge, o.Combine)
			if ok {
				labelled.Answers = append(labelled.Answers, Answer{Conversation: a.Conversation, Votes: map[string][]float64{"judge": {x}, "truth": {*a.Truth}}})
			}
		}
	}
	pairs, _ := labelled.pairs(Mean, "judge", "truth")
	s := stats.Kappa(pairs)
	x, ok := s.Value()
	if !ok {
		return none
	}
	cell := report.Cell{Text: fmt.Sprintf("%.3f", x), Value: &x}
	if se, ok := s.JackknifeError(); ok {
		cell.Text += fmt.Sprintf(" ± %.3f", se)
	}
	return cell
}

// tooGenerous is the share of wrong answers from which a note says that a judge accepts
// them.
const tooGenerous = 0.2

// Stress has the rates of the rows without labels if all their errors were of the kind of
// a row whose answers are all wrong, and if the judge accepted all right answers. It is
// nil without such rows. It bounds what a rate may hide; it is no estimate.
func Stress(rows []Row, judge string, o Options) *report.Table {
	all := func(truth func(*float64) bool) []Row {
		return lists.Filter(rows, func(r Row) bool {
			return len(r.Answers) > 0 && !slices.ContainsFunc(r.Answers, func(a Answer) bool { return !truth(a.Truth) })
		})
	}
	kinds, others := all(func(x *float64) bool { return x != nil && *x == 0 }), all(func(x *float64) bool { return x == nil })
	if len(kinds) == 0 || len(others) == 0 {
		return nil
	}
	t := &report.Table{Name: "stress", Title: judge + ": rates if all errors were of one kind", Columns: columns("judge")}
	for _, k := range kinds {
		t.Columns = append(t.Columns, report.Column{Name: termsafe.Text(k.Name), Number: true})
	}
	for _, r := range others {
		p, n := stats.Mean(r.clusters(o.score(judge)))
		line := []report.Cell{{Text: termsafe.Text(r.Name)}, {Text: "n/a"}}
		if n > 0 {
			line[1] = percent(p, nil)
		}
		for _, k := range kinds {
			cell := none
			if x, ok := stressed(r, k, judge, o); ok {
				cell = percent(x, nil)
			}
			line = append(line, cell)
		}
		t.Rows = append(t.Rows, line)
	}
	t.NoteTitle("the rate p of right answers becomes (p - f) / (1 - f), where the judge accepts f of a kind; no estimate: errors are of many kinds")
	for _, k := range kinds {
		if f, n := stats.Mean(k.clusters(o.score(judge))); n > 0 && f > tooGenerous {
			t.NoteTitle(fmt.Sprintf("%s accepts %.2f %% of %s, whose answers are wrong", judge, 100*f, termsafe.Text(k.Name)))
		}
	}
	return t
}

// stressed is the rate of a row with errors of one kind; ok is false where the judge says
// nothing of either, or accepts all of the kind.
func stressed(r, kind Row, judge string, o Options) (x float64, ok bool) {
	p, n := stats.Mean(r.clusters(o.score(judge)))
	f, m := stats.Mean(kind.clusters(o.score(judge)))
	if n == 0 || m == 0 || f >= 1 {
		return 0, false
	}
	return max((p-f)/(1-f), 0), true
}

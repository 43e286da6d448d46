package judges

import (
	"fmt"
	"path"
	"slices"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/result/judge"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
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
		e, n := errorsOf(lists.Filter(rows, func(r judge.Row) bool { return r.Dataset == label }), name, o)
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

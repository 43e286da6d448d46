package metrics

import "cmp"

// overlapOf makes a metric of a function of a whole prediction and its gold answer. It
// is a ratio in [0, 1] that falls with length, undefined where the right answer is an
// abstention, and 0 for a question that failed.
func overlapOf(s Spec, score func(pred, gold string) float64) *Spec {
	m := ofItem(s, func(i Item) Value {
		switch {
		case i.Abstain:
			return Value{}
		case i.Failed:
			return Def(0)
		}
		return Def(score(i.Prediction, i.Gold))
	})
	m.Columns[0].FallsWithLength = true
	return m
}

// ofItem makes a metric with one column, by default a ratio, and by default of answers.
func ofItem(s Spec, score func(Item) Value) *Spec {
	s.Of = cmp.Or(s.Of, Answer)
	if s.Columns == nil {
		s.Columns = []Column{{Name: s.Name, Scale: 100, Digits: 2}}
	}
	s.Score = func(i Item) []Value { return []Value{score(i)} }
	return &s
}

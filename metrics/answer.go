package metrics

// ofAnswer makes a metric of a function of prediction and gold. It is a ratio
// in [0, 1], undefined where the right answer is an abstention, and 0 for a
// failed request.
func ofAnswer(s Spec, score func(pred, gold string) float64) *Spec {
	return ofItem(s, func(i Item) Value {
		switch {
		case i.Abstain:
			return Value{}
		case i.Failed:
			return Def(0)
		}
		return Def(score(i.Prediction, i.Gold))
	})
}

// ofItem makes a metric of answers with one column, by default a ratio.
func ofItem(s Spec, score func(Item) Value) *Spec {
	s.Of = Answer
	if s.Columns == nil {
		s.Columns = []Column{{Name: s.Name, Scale: 100, Digits: 2}}
	}
	s.Score = func(i Item) []Value { return []Value{score(i)} }
	return &s
}

package gate

// A Verdict says what came of a rule for a row.
type Verdict string

// The verdicts, in the order of reports.
const (
	Regression   Verdict = "regression"
	Insufficient Verdict = "insufficient data"
	Soft         Verdict = "soft"
	Improvement  Verdict = "improvement"
	Stable       Verdict = "stable"
)

// Verdicts lists the verdicts, the worst first.
func Verdicts() []Verdict {
	return []Verdict{Regression, Insufficient, Soft, Improvement, Stable}
}

// Values implements the enumeration of a rules file.
func (Verdict) Values() []string {
	var names []string
	for _, v := range Verdicts() {
		names = append(names, string(v))
	}
	return names
}

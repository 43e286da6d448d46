package gate

import (
	"fmt"

	"recallbench/internal/lists"
)

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
	return lists.Map(Verdicts(), func(v Verdict) string { return string(v) })
}

// count counts outcomes of a verdict.
func (v Verdict) count(n int) string {
	plural := ""
	if n != 1 && (v == Regression || v == Improvement) {
		plural = "s"
	}
	return fmt.Sprintf("%d %s%s", n, v, plural)
}

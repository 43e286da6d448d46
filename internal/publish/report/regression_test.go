package report_test

import (
	"testing"

	"recallbench/internal/calc/infer"
	"recallbench/internal/publish/report"
	"recallbench/metrics"
)

// A shorter answer is no better one: what falls with length counts where it is named.
// Where nothing was compared, no regression is no news.
func TestRegressions(t *testing.T) {
	worse := report.Contrast{Column: metrics.F1Mem0Spec.Columns[0], N: 9, Base: 0.5, New: 0.2, Result: infer.Result{Shown: true, Adjusted: new(0.01)}}
	tested := report.Contrast{Column: metrics.SpanSpec.Columns[0], N: 9, Result: infer.Result{Adjusted: new(0.9)}}
	nothing, same := report.Contrast{Missing: "no question has a value on both sides"}, report.Contrast{Paired: true, N: 3}
	for _, c := range []struct {
		rows  []report.Contrast
		named bool
		worse int
		fails bool
	}{
		{[]report.Contrast{worse, tested}, true, 1, false},
		{[]report.Contrast{worse, tested}, false, 0, false},
		{[]report.Contrast{worse}, false, 0, true},
		{[]report.Contrast{nothing, nothing}, true, 0, true},
		{[]report.Contrast{nothing, same}, true, 0, false},
	} {
		if n, err := report.Regressions(c.rows, c.named); n != c.worse || (err != nil) != c.fails {
			t.Errorf("%d rows, named %v: %d are worse, %v; want %d and an error %v", len(c.rows), c.named, n, err, c.worse, c.fails)
		}
	}
}

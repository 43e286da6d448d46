package stats

import (
	"math"
	"testing"
)

// Values from SciPy 1.10.1, those of statsmodels 0.13.5 (mcnemar(exact=True)) are
// the same:
//
//	scipy.stats.binomtest(min(first, second), first+second, 0.5).pvalue
//
// 86 and 150 are Agresti's approval ratings (Categorical Data Analysis, 1990, section
// 10.1). Values are held to 1e-9 of themselves.
func TestMcNemar(t *testing.T) {
	for _, c := range []struct {
		first, second int
		want          float64
	}{
		{0, 0, 1}, // the convention for no pairs
		{0, 1, 1},
		{0, 5, 0.0625},
		{6, 0, 0.03125},
		{1, 12, 0.00341796875},
		{5, 15, 0.04138946533203125},
		{10, 10, 1},
		{10, 11, 1},
		{59, 6, 4.964650327128616e-12},
		{86, 150, 3.715936139571387e-05},
		{400, 500, 0.0009564441369189373},
		{700, 900, 6.319484959450108e-07},
		{0, 1000, 1.8665272370064378e-301},
	} {
		for _, got := range []float64{McNemar(c.first, c.second), McNemar(c.second, c.first)} {
			if math.Abs(got-c.want) > 1e-9*c.want {
				t.Errorf("McNemar(%d, %d) = %.15g, want %.15g", c.first, c.second, got, c.want)
			}
		}
	}
}

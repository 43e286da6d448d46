package stats

import (
	"cmp"
	"math"
)

// KendallTauB returns the rank correlation of two lists of the same length:
//
//	τ_b = (C − D) / √((C + D + T_x)(C + D + T_y))
//
// of C concordant and D discordant pairs, and pairs tied in x or in y alone. It is
// in [-1, 1]; 1 says that both have the same order. If a list is all ties it is
// undefined and ok is false. It follows Kendall (1945). Lists of different lengths
// are a caller's mistake and panic.
func KendallTauB(x, y []float64) (tau float64, ok bool) {
	if len(x) != len(y) {
		panic("stats: lists of different lengths")
	}
	var agree, untiedX, untiedY float64 // C − D, pairs that are no tie in x, in y
	for i := range x {
		for j := range i {
			a, b := cmp.Compare(x[i], x[j]), cmp.Compare(y[i], y[j])
			agree += float64(a * b)
			untiedX += float64(a * a)
			untiedY += float64(b * b)
		}
	}
	if untiedX == 0 || untiedY == 0 {
		return 0, false
	}
	return agree / math.Sqrt(untiedX*untiedY), true
}

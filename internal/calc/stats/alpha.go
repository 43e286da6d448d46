package stats

import "slices"

// A Scale says what the difference of two ratings means.
type Scale int

// The scales of [Alpha].
const (
	Nominal Scale = iota // equal or not
	Ordinal              // how many ratings lie between
	Metric               // how far apart
)

// Alpha returns Krippendorff's alpha of ratings, how far raters agree beyond
// chance:
//
//	α = 1 - D_o / D_e
//
// where D_o is the mean squared difference of the ratings of one unit, and D_e
// that of all ratings, whatever their unit. It is 1 where raters agree wholly, 0
// where they agree as chance would, and below 0 where they disagree more.
//
// Each unit holds the ratings it got, in any order; those that are missing are
// left out, and a unit with fewer than two says nothing. The difference δ of the
// values c and k is
//
//	nominal   0 or 1
//	ordinal   Σ_{g=c..k} n_g - (n_c + n_k)/2, with n_g ratings of the value g
//	metric    c - k, which the source calls interval
//
// Alpha is not known, and ok is false, where no two ratings differ that could be
// compared, or a rating is not finite.
//
// Source: Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011.
func Alpha(units [][]float64, s Scale) (alpha float64, ok bool) {
	var values []float64
	for _, u := range units {
		if len(u) >= 2 {
			values = append(values, u...)
		}
	}
	if slices.ContainsFunc(values, func(x float64) bool { return !finite(x) }) {
		return 0, false
	}
	n := float64(len(values))
	slices.Sort(values)
	counts := map[float64]float64{}
	for _, v := range values {
		counts[v]++
	}
	values = slices.Compact(values)
	place := make(map[float64]int, len(values))
	below := make([]float64, len(values)) // the ratings of lower values, and half of this
	seen := 0.0
	for i, v := range values {
		place[v] = i
		below[i] = seen + counts[v]/2
		seen += counts[v]
	}
	squared := func(c, k float64) float64 {
		d := c - k
		switch {
		case s == Nominal && c != k:
			return 1
		case s == Ordinal:
			d = below[place[c]] - below[place[k]]
		}
		return d * d
	}

	var observed, expected float64
	for _, u := range units {
		for i, c := range u {
			for _, k := range u[:i] {
				observed += 2 * squared(c, k) / float64(len(u)-1)
			}
		}
	}
	for i, c := range values {
		for _, k := range values[:i] {
			expected += 2 * counts[c] * counts[k] * squared(c, k) / (n - 1)
		}
	}
	alpha = 1 - observed/expected
	return alpha, finite(alpha)
}

package stats

import "slices"

// A Scale says how the difference of two ratings is measured.
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
// where they agree as chance would, and below 0 if they disagree more.
//
// Each unit has the ratings it got, in any order; missing ones are left out, and
// a unit with fewer than two does not count. The difference δ of the values c
// and k is
//
//	nominal   0 or 1
//	ordinal   Σ_{g=c..k} n_g - (n_c + n_k)/2, with n_g ratings of the value g
//	metric    c - k, which the source calls interval
//
// Alpha is unknown, and ok is false, if no two comparable ratings differ, or a
// rating is not finite.
//
// Source: Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011.
func Alpha(units [][]float64, s Scale) (alpha float64, ok bool) {
	return Agreement([][][]float64{units}, s).Value()
}

// Agreement is [Alpha] as a statistic of clusters, each with its units. Its sums are
// the coincidences of values: how often one value stands beside another in a unit,
// over the number of ratings of the unit less one.
func Agreement(clusters [][][]float64, s Scale) Statistic {
	var values []float64
	for _, units := range clusters {
		for _, u := range units {
			if len(u) >= 2 {
				values = append(values, u...)
			}
		}
	}
	if slices.ContainsFunc(values, func(x float64) bool { return !finite(x) }) {
		return Statistic{}
	}
	values = distinct(values)
	k := len(values)
	of := Statistic{Of: func(coincidences []float64) (float64, bool) { return alpha(coincidences, values, s) }}
	for _, units := range clusters {
		sums := make([]float64, k*k)
		for _, u := range units {
			for i, c := range u {
				for j, other := range u {
					if i != j {
						sums[place(values, c)*k+place(values, other)] += 1 / float64(len(u)-1)
					}
				}
			}
		}
		of.Sums = append(of.Sums, sums)
	}
	return of
}

// alpha is that of the coincidences of values.
func alpha(coincidences, values []float64, s Scale) (float64, bool) {
	k := len(values)
	counts, below := make([]float64, k), make([]float64, k) // below: ratings of lower values, and half of this
	var n float64
	for c := range values {
		for _, x := range coincidences[c*k : (c+1)*k] {
			counts[c] += x
		}
		below[c] = n + counts[c]/2
		n += counts[c]
	}
	var observed, expected float64
	for c := range values {
		for other := range c {
			d := 1.0
			switch s {
			case Ordinal:
				d = below[c] - below[other]
			case Metric:
				d = values[c] - values[other]
			case Nominal:
			}
			observed += coincidences[c*k+other] * d * d
			expected += counts[c] * counts[other] * d * d / (n - 1)
		}
	}
	a := 1 - observed/expected
	return a, finite(a)
}

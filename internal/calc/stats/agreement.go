package stats

import (
	"cmp"
	"math"
	"slices"
)

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

// Kappa returns Cohen's kappa of two raters, how far they agree beyond chance:
//
//	κ = (p_o - p_e) / (1 - p_e)
//
// where p_o is the share of pairs of equal labels, and p_e the share that the
// margins of both raters lead to. It is at most 1, and 0 if they agree as often as
// by chance. It is undefined if p_e is 1: both always give the same label. Pairs
// has the two labels of each unit, by cluster.
//
// Source: Cohen, "A coefficient of agreement for nominal scales", 1960.
func Kappa(pairs [][][2]float64) Statistic {
	var labels []float64
	for _, cluster := range pairs {
		for _, p := range cluster {
			labels = append(labels, p[0], p[1])
		}
	}
	labels = distinct(labels)
	k := len(labels)
	s := Statistic{Of: func(table []float64) (float64, bool) { return kappa(table, k) }}
	for _, cluster := range pairs {
		table := make([]float64, k*k)
		for _, p := range cluster {
			table[place(labels, p[0])*k+place(labels, p[1])]++
		}
		s.Sums = append(s.Sums, table)
	}
	return s
}

// kappa is that of a table of k rows and columns.
func kappa(table []float64, k int) (float64, bool) {
	rows, columns := make([]float64, k), make([]float64, k)
	var n, same, chance float64
	for i := range k {
		for j := range k {
			x := table[i*k+j]
			n, rows[i], columns[j] = n+x, rows[i]+x, columns[j]+x
		}
		same += table[i*k+i]
	}
	for i := range k {
		chance += rows[i] * columns[i] / n
	}
	return (same - chance) / (n - chance), n > 0 && chance < n
}

// distinct returns the values in ascending order, each once.
func distinct(values []float64) []float64 {
	values = slices.Clone(values)
	slices.Sort(values)
	return slices.Compact(values)
}

// place is where a value stands among sorted ones that hold it.
func place(sorted []float64, x float64) int {
	i, _ := slices.BinarySearch(sorted, x)
	return i
}

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

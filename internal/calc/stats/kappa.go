package stats

import "slices"

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

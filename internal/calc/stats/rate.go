package stats

import "gonum.org/v1/gonum/stat/distuv"

// RateInterval returns an interval for the mean of values that are 0 or 1: the
// [Wilson] interval of
//
//	n = EffectiveN · (t(N-1) / t(G-1))²
//
// independent trials, where t(d) is the quantile of Student's t with d degrees
// of freedom at (1+level)/2, N the number of values and G of clusters that have
// one. The factor compensates for an [EffectiveN] that is itself estimated from
// few clusters. With one value per cluster, n is N. If EffectiveN is unknown,
// as with one cluster or equal trials, n is N too.
//
// It follows Korn and Graubard (1998), with Wilson's interval in place of
// Clopper and Pearson's. The interval is unknown, and ok is false, without
// values.
func RateInterval(clusters []Cluster, level float64) (i Interval, ok bool) {
	mean, size := Mean(clusters)
	n, known := EffectiveN(clusters)
	if !known {
		return Wilson(mean, float64(size), level)
	}
	student := func(freedom int) float64 {
		return distuv.StudentsT{Sigma: 1, Nu: float64(freedom)}.Quantile((1 + level) / 2)
	}
	f := student(size-1) / student(Count(clusters)-1)
	return Wilson(mean, n*f*f, level)
}

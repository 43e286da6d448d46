package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
)

// A TTest is the result of a test by Student's t that a mean difference is 0.
type TTest struct {
	Mean float64 // difference, in the unit of the values
	T    float64 // Mean over its standard error; positive where Mean is
	DF   int     // degrees of freedom, at least 1
	P    float64 // two-tailed, in [0, 1]
}

// PairedT tests whether the mean of a[i] - b[i] is 0 (Student, 1908):
//
//	t = d̄ / (s / √n), with n - 1 degrees of freedom
//
// where d̄ is the mean of the n differences and s their standard deviation over
// n - 1. The pairs are taken for independent of each other; [ClusterT] is for
// those that are not. a and b have the same length.
//
// Where all differences are 0, T is 0 and P is 1. The test is not defined, and
// ok is false, with fewer than two pairs, with a value that is not finite, and
// where all differences are the same but not 0, up to rounding: R's t.test
// refuses such data too.
func PairedT(a, b []float64) (test TTest, ok bool) {
	if len(a) != len(b) {
		panic("stats: pairs of slices of unequal length")
	}
	if len(a) < 2 {
		return TTest{}, false
	}
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	mean, deviation := stat.MeanStdDev(d, nil)
	largest := 0.0
	for i := range a {
		largest = max(largest, math.Abs(a[i]), math.Abs(b[i]))
	}
	return tTest(mean, deviation/math.Sqrt(float64(len(d))), largest, len(d)-1)
}

// ClusterT tests whether the mean of clustered values, such as the differences
// of pairs of scores, is 0:
//
//	t = [Mean] / [StandardError], with G - 1 degrees of freedom
//
// where G is the number of clusters that have a value. Only the clusters are
// taken for independent. With one value a cluster, it is [PairedT]; with
// clusters of the same size, it is PairedT of their means (Cameron and Miller,
// "A Practitioner's Guide to Cluster-Robust Inference", 2015, section VI). It
// is not defined with fewer than two clusters, and else as PairedT is.
func ClusterT(clusters []Cluster) (test TTest, ok bool) {
	se, ok := StandardError(clusters)
	if !ok {
		return TTest{}, false
	}
	mean, _ := Mean(clusters)
	largest := 0.0
	for _, c := range clusters {
		if c.N > 0 {
			largest = max(largest, math.Abs(c.Sum/c.Weight))
		}
	}
	return tTest(mean, se, largest, Count(clusters)-1)
}

// tTest is the test of a mean with a standard error. Where that is not more
// than the rounding of values as large as the largest, there is no spread to
// compare the mean with.
func tTest(mean, se, largest float64, freedom int) (test TTest, ok bool) {
	switch {
	case !finite(mean) || !finite(se):
		return TTest{}, false
	case mean == 0 && se == 0:
		return TTest{DF: freedom, P: 1}, true
	case se <= 10*epsilon*largest:
		return TTest{}, false
	}
	t := mean / se
	return TTest{Mean: mean, T: t, DF: freedom, P: twoTailed(t, float64(freedom))}, true
}

// epsilon is the distance from 1 to the next larger number.
const epsilon = 0x1p-52

// twoTailed returns the probability that Student's t with ν degrees of freedom
// is at least as far from 0 as t:
//
//	P = I(ν/(ν+t²); ν/2, 1/2) = 1 - I(t²/(ν+t²); 1/2, ν/2)
//
// where I is the regularized incomplete beta function (Abramowitz and Stegun,
// 26.7.1 and 26.5.27). The first keeps the digits of small P, where one minus a
// distribution function has none, the second those of small t.
func twoTailed(t, nu float64) float64 {
	switch square := t * t; {
	case math.IsInf(square, 1):
		return 0
	case square < 1:
		return 1 - mathext.RegIncBeta(0.5, nu/2, square/(nu+square))
	default:
		return mathext.RegIncBeta(nu/2, 0.5, nu/(nu+square))
	}
}

package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// Student's sleep data (Cushny and Peebles, 1905; Student, 1908) as R's data
// set sleep has it. R documents of t.test(extra[group == 1], extra[group == 2],
// paired = TRUE): t = -4.0621, df = 9, p-value = 0.002833. The further digits
// are by mpmath 1.3.0 at 40 digits: quadrature of the density.
var (
	sleep1 = []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}
	sleep2 = []float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}
)

// Darwin's maize, crossed and selfed, in eighths of an inch, from Fisher, The
// Design of Experiments (1935), section 17: t = 2.148 for 14 degrees of freedom,
// just beyond the 5 % point. The further digits are by mpmath as above.
var (
	crossed = []float64{188, 96, 168, 176, 153, 172, 177, 163, 146, 173, 186, 168, 177, 184, 96}
	selfed  = []float64{139, 163, 160, 160, 147, 149, 149, 122, 132, 144, 130, 144, 102, 124, 144}
)

func TestPairedT(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b []float64
		want TTest
	}{
		{"sleep", sleep1, sleep2, TTest{Mean: -1.58, T: -4.0621276833820361097, DF: 9, P: 0.0028328901973842727403}},
		{"maize", crossed, selfed, TTest{Mean: 8 * 2.6166666666666666667, T: 2.1479874613311204474, DF: 14, P: 0.049702944021800889415}},
		{"no difference", sleep1, sleep1, TTest{DF: 9, P: 1}},
		// One degree of freedom is Cauchy's distribution: P = 1 - 2 atan(t)/π.
		{"two pairs", []float64{3, 2}, []float64{0, 0}, TTest{Mean: 2.5, T: 5, DF: 1, P: 1 - 2*math.Atan(5)/math.Pi}},
	} {
		got, ok := PairedT(c.a, c.b)
		if !ok || got.DF != c.want.DF {
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, ok, c.want)
			continue
		}
		near(t, c.name+": mean", got.Mean, c.want.Mean)
		near(t, c.name+": T", got.T, c.want.T)
		near(t, c.name+": P", got.P, c.want.P)
	}
}

func TestPairedTNotDefined(t *testing.T) {
	for name, d := range map[string][]float64{
		"nothing":               {},
		"one pair":              {1},
		"same difference":       {2, 2, 2},
		"same but for rounding": {0.3 - 0.1, 0.2, 1.2 - 1, 0.7 - 0.5},
		"NaN":                   {1, math.NaN()},
		"infinite":              {1, math.Inf(1)},
		"beyond numbers":        {math.MaxFloat64, -math.MaxFloat64, math.MaxFloat64},
	} {
		if got, ok := PairedT(d, make([]float64, len(d))); ok {
			t.Errorf("%s: %+v, want none", name, got)
		}
	}
	if got, ok := ClusterT(clustersOf(sleep1, nil)); ok {
		t.Errorf("one cluster: %+v, want none", got)
	}
	if got, ok := ClusterT(clustersOf([]float64{1, 3}, []float64{2})); ok {
		t.Errorf("clusters of the same mean: %+v, want none", got)
	}
}

// series is P by the finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4,
// which have no incomplete beta function in them.
func series(t float64, freedom int) float64 {
	theta := math.Atan(math.Abs(t) / math.Sqrt(float64(freedom)))
	sin, cos := math.Sincos(theta)
	if freedom%2 == 0 {
		sum, term := 0.0, 1.0
		for k := 1; k <= freedom/2; k++ {
			sum += term
			term *= cos * cos * float64(2*k-1) / float64(2*k)
		}
		return 1 - sin*sum
	}
	sum, term := 0.0, cos
	for k := 1; k <= (freedom-1)/2; k++ {
		sum += term
		term *= cos * cos * float64(2*k) / float64(2*k+1)
	}
	return 1 - 2/math.Pi*(theta+sin*sum)
}

func TestTwoTailedIsTheSeries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-40, 40).Draw(t, "t")
		freedom := rapid.IntRange(1, 3000).Draw(t, "freedom")
		if got, want := twoTailed(x, float64(freedom)), series(x, freedom); math.Abs(got-want) > 1e-11 {
			t.Errorf("P of t = %g with %d degrees of freedom is %.15g, the series gives %.15g", x, freedom, got, want)
		}
	})
}

// Values by mpmath 1.3.0 at 40 digits: quadrature of the density. Small ones are
// held to 1e-9 of themselves.
func TestTwoTailed(t *testing.T) {
	for _, c := range []struct{ t, freedom, want float64 }{
		{0, 7, 1},
		{0.5, 1, 0.704832764699133452},
		{12.706, 1, 0.0500008023581331879},
		{2, 2, 0.183503419072273967},
		{1.96, 10, 0.0784362402476997129},
		{-2.5, 29, 0.0183253443384260769},
		{0.001, 50, 0.999206094775501661},
		{2.2, 1539, 0.0279550729799233509},
		{1.96, 100000, 0.049998563194301638},
		{6, 999, 2.75626906890441449e-9},
		{30, 9, 2.48370470415826244e-10},
		{1e200, 3, 0},
	} {
		if got := twoTailed(c.t, c.freedom); math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("P of t = %g with %g degrees of freedom is %.15g, want %.15g", c.t, c.freedom, got, c.want)
		}
	}
}

// With one value a cluster, and with clusters of one size, a test of clusters
// is a paired test of their means.
func TestClusterT(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "size") // whose means are exact
		groups := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(-9, 9), size, size), 2, 12).Draw(t, "groups")
		clusters := make([]Cluster, len(groups))
		means := make([]float64, len(groups))
		for i, g := range groups {
			for _, x := range g {
				clusters[i].Add(float64(x))
				means[i] += float64(x) / float64(size)
			}
		}
		want, ok := PairedT(means, make([]float64, len(means)))
		got, ok2 := ClusterT(clusters)
		if ok != ok2 || got.DF != want.DF || math.Abs(got.T-want.T) > 1e-9*max(1, math.Abs(want.T)) || math.Abs(got.P-want.P) > 1e-9 {
			t.Errorf("clusters: %+v, %v; their means: %+v, %v", got, ok2, want, ok)
		}
	})
}

// Clusters of unequal size, by the formula of [StandardError], whose values
// are NumPy's: mean 2, standard error sqrt(2/1 ((2-2·2)² + (8-3·2)²))/5 = 0.8,
// so that t is 2.5 with one degree of freedom.
func TestClusterTUnequal(t *testing.T) {
	got, ok := ClusterT(clustersOf([]float64{0, 2}, nil, []float64{1, 3, 4}))
	if !ok || got.DF != 1 {
		t.Fatalf("%+v, %v", got, ok)
	}
	near(t, "T", got.T, 2.5)
	near(t, "P", got.P, 1-2*math.Atan(2.5)/math.Pi)
}

// A test at 5 % should find a difference in about 5 of 100 comparisons of two
// methods that are equally good, where each is better in some conversations:
// their differences are spread by 0.05 around 0, those of questions by 0.4.
func TestLevelOfTests(t *testing.T) {
	const runs, alpha = 500, 0.05
	for _, conversations := range []int{5, 10, 20, 50} {
		r := rand.New(rand.NewPCG(21, uint64(conversations)))
		found := make(map[string]int)
		questions := 0
		for i := range conversations {
			questions += locomoSizes[i%len(locomoSizes)]
		}
		differences, zeros := make([]float64, 0, questions), make([]float64, questions)
		for range runs {
			differences = differences[:0]
			clusters := make([]Cluster, conversations)
			for i := range clusters {
				effect := 0.05 * r.NormFloat64()
				for range locomoSizes[i%len(locomoSizes)] {
					d := effect + 0.4*r.NormFloat64()
					differences = append(differences, d)
					clusters[i].Add(d)
				}
			}
			if test, ok := PairedT(differences, zeros); ok && test.P <= alpha {
				found["questions"]++
			}
			if test, ok := ClusterT(clusters); ok && test.P <= alpha {
				found["conversations"]++
			}
		}
		share := func(by string) float64 { return 100 * float64(found[by]) / runs }
		t.Logf("%2d conversations: a difference is found in %.1f %% by conversations, in %.1f %% by questions", conversations, share("conversations"), share("questions"))
		if s := share("conversations"); s < 2.5 || s > 8 {
			t.Errorf("%d conversations: a difference that is not there is found in %.1f %%, want about 5", conversations, s)
		}
		if share("questions") < 2*share("conversations") {
			t.Errorf("%d conversations: questions of one conversation pass for independent", conversations)
		}
	}
}

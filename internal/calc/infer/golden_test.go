package infer

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"recallbench/internal/calc/stats"
)

// Values from SciPy 1.10.1:
//
//	scipy.stats.permutation_test((x, np.zeros(n)), lambda a, b, axis: np.sum(a-b, axis=axis),
//	    vectorized=True, permutation_type="samples", n_resamples=np.inf).pvalue
var flipped = []struct {
	name  string
	units []float64
	want  float64
}{
	{"sleep", []float64{1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4}, 0.00390625},
	{"four", []float64{3, 1, -2, 5}, 0.375},
	{"conversations", []float64{-1.5, 2.25, -3.75, -4.5, -0.25, -6, 1, -2.5, -3, -1.25}, 0.041015625},
	// Sums that are equal but for rounding; the values are those of the same in tenths
	// and thirds.
	{"ties of tenths", []float64{0.1, 0.2, 0.3, -0.3, 0.1, 0.1, 0.7}, 0.21875},
	{"ties of thirds", []float64{1 / 3.0, 1 / 3.0, -1 / 3.0, 2 / 3.0, 0, 1 / 3.0, 1 / 3.0, 0}, 0.1875},
	// Fisher's maize, in The Design of Experiments (1935), section 21: 1,726 of the
	// 32,768 sums are as far out.
	{"maize", maize(), 1726.0 / 32768},
}

func maize() []float64 {
	d := make([]float64, len(crossed))
	for i := range d {
		d[i] = crossed[i] - selfed[i]
	}
	return d
}

// ones returns units of one value each.
func ones(values []float64) []stats.Cluster {
	all := make([]stats.Cluster, len(values))
	for i, x := range values {
		all[i].Add(x)
	}
	return all
}

func TestSignFlip(t *testing.T) {
	for _, c := range flipped {
		if len(c.units) <= exactUnits {
			p, _ := flipRow(ones(c.units), 0, true)
			near(t, c.name, p, c.want)
			continue
		}
		hits, all := 0, allFlips(0, c.units)
		for _, sum := range all {
			if math.Abs(sum) >= seenOf(c.units).least {
				hits++
			}
		}
		near(t, c.name, float64(hits)/float64(len(all)), c.want)
		drawn, _ := flipRow(ones(c.units), 3, true)
		if again, _ := flipRow(ones(c.units), 3, true); again != drawn {
			t.Errorf("%s: the same seed gives p %g and %g", c.name, drawn, again)
		}
		if se := math.Sqrt(c.want * (1 - c.want) / Draws); math.Abs(drawn-c.want) > 3*se {
			t.Errorf("%s: p is %g by random flips, want %g", c.name, drawn, c.want)
		}
	}
	for name, units := range map[string][]float64{"zeros": {0, 0}, "one": {-2}} {
		if p, _ := flipRow(ones(units), 0, true); p != 1 {
			t.Errorf("%s: p = %g, want 1", name, p)
		}
	}
	if p, _ := flipRow(ones(slices.Repeat([]float64{0.1}, 40)), 0, true); p != 1.0/(1+Draws) {
		t.Errorf("p = %g, want 1 of %d", p, 1+Draws)
	}
}

// All flips are the sums that a plain loop finds, and do not depend on the order or
// the side of the differences.
func TestFlipsAreAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.SliceOfN(rapid.IntRange(-6, 6), 1, 10).Draw(t, "units")
		var sum, hits int
		x, turned := make([]float64, len(units)), make([]float64, len(units))
		for i, u := range units {
			sum += u
			x[i], turned[len(units)-1-i] = float64(u), -float64(u)
		}
		for flip := range 1 << len(units) {
			s := 0
			for i, u := range units {
				if flip>>i&1 == 1 {
					u = -u
				}
				s += u
			}
			if max(s, -s) >= max(sum, -sum) {
				hits++
			}
		}
		p, _ := flipRow(ones(x), 0, true)
		other, _ := flipRow(ones(turned), 0, true)
		if want := float64(hits) / float64(int(1)<<len(units)); p != want || other != want {
			t.Errorf("p of %v is %g, turned round %g, want %g", units, p, other, want)
		}
	})
}

// holmOf adjusts p-values of a block each.
func holmOf(p []float64) []float64 {
	all := make([]block, len(p))
	for i, x := range p {
		all[i] = block{[]int{i}, []float64{x}}
	}
	holmBlocks(all)
	adjusted := make([]float64, len(p))
	for i, b := range all {
		adjusted[i] = b.p[0]
	}
	return adjusted
}

func TestHolm(t *testing.T) {
	for _, c := range []struct {
		name    string
		p, want []float64
	}{
		{"none", nil, []float64{}},
		{"one", []float64{0.04}, []float64{0.04}},
		// The example of stdlib.io's @stdlib/stats/padjust, which is a port of
		// R's p.adjust; its documentation prints ~0.957, 0.804, ~0.957, ~0.957,
		// ~0.565.
		{"padjust", []float64{0.319, 0.201, 0.4, 0.374, 0.113}, []float64{0.957, 0.804, 0.957, 0.957, 0.565}},
		// By hand: 3·0.01, 2·0.02, 1·0.03 held up at 0.04.
		{"held up", []float64{0.03, 0.01, 0.02}, []float64{0.04, 0.03, 0.04}},
		{"equal", []float64{0.05, 0.01, 0.05}, []float64{0.1, 0.03, 0.1}},
		{"capped", []float64{0.9, 0.6}, []float64{1, 1}},
		{"ends", []float64{1, 0}, []float64{1, 0}},
	} {
		got := holmOf(c.p)
		for i := range got {
			near(t, c.name, got[i], c.want[i])
		}
	}
}

// The procedure as holmBlocks tells it: at level α, show the rows of each of m blocks
// whose p is at most α/m, and take blocks away whose rows are all shown, until none is.
func TestHolmBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(0, 0.2), 1, 4), 1, 6).Draw(t, "p")
		alpha := rapid.Float64Range(0.001, 0.3).Draw(t, "alpha")
		all := make([]block, len(p))
		for i := range p {
			all[i] = block{make([]int, len(p[i])), slices.Clone(p[i])}
		}
		holmBlocks(all)
		gone := make([]bool, len(p))
		left := len(p)
		for again := true; again && left > 0; {
			again = false
			for i := range p {
				if !gone[i] && slices.Max(p[i])*float64(left) <= alpha {
					gone[i], again = true, true
				}
			}
			left = 0
			for _, g := range gone {
				if !g {
					left++
				}
			}
		}
		for i := range p {
			for k := range p[i] {
				want := gone[i] || p[i][k]*float64(left) <= alpha
				if got := all[i].p[k] <= alpha; got != want {
					t.Errorf("%g of %v at %g: adjusted to %g, the procedure shows it: %v", p[i][k], p, alpha, all[i].p[k], want)
				}
			}
		}
	})
}

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

func minus(a, b []float64) []stats.Cluster {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return ones(d)
}

// With one value a unit, the test is Student's.
func TestStudent(t *testing.T) {
	for _, c := range []struct {
		name           string
		units          []stats.Cluster
		mean, t, nu, p float64
	}{
		{"sleep", minus(sleep1, sleep2), -1.58, -4.0621276833820361097, 9, 0.0028328901973842727403},
		{"maize", minus(crossed, selfed), 8 * 2.6166666666666666667, 2.1479874613311204474, 14, 0.049702944021800889415},
		// One degree of freedom is Cauchy's distribution: P = 1 - 2 atan(t)/π.
		{"two pairs", ones([]float64{3, 2}), 2.5, 5, 1, 1 - 2*math.Atan(5)/math.Pi},
	} {
		got, ok := newT(c.units)
		if !ok {
			t.Errorf("%s: no test", c.name)
		}
		near(t, c.name+": mean", got.mean, c.mean)
		near(t, c.name+": t", got.mean/got.se, c.t)
		near(t, c.name+": degrees of freedom", got.freedom, c.nu)
		near(t, c.name+": p", got.p(), c.p)
	}
}

// What cannot be tested is insufficient, and nothing is NaN.
func TestNotDefined(t *testing.T) {
	for name, d := range map[string][]float64{
		"nothing":               {},
		"one pair":              {1},
		"same difference":       {2, 2, 2},
		"same but for rounding": {0.3 - 0.1, 0.2, 1.2 - 1, 0.7 - 0.5},
		"one that differs":      {0, 0, 1},
		"NaN":                   {1, math.NaN()},
		"infinite":              {1, math.Inf(1), 2, 3, 4, 5, 6},
		"beyond numbers":        {math.MaxFloat64, -math.MaxFloat64, math.MaxFloat64},
		"below numbers":         {1e-200, 2e-200, 4e-200},
	} {
		row := Row{}
		for i, c := range ones(d) {
			row.Units = append(row.Units, Unit{string(rune('a' + i)), c})
		}
		if r := Decide([]Row{row}, Options{AcceptTwo: true})[0]; r.Insufficient == "" || r.Shown || r.P != nil {
			t.Errorf("%s: %+v, want none", name, r)
		}
	}
}

// Values by mpmath 1.3.0 at 40 digits: quadrature of the density. Small ones are
// held to 1e-9 of themselves.
func TestTails(t *testing.T) {
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
		if got := tails(c.t, c.freedom); math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("P of t = %g with %g degrees of freedom is %.15g, want %.15g", c.t, c.freedom, got, c.want)
		}
	}
}

func TestWelch(t *testing.T) {
	// The values of Welch's test are from SciPy 1.10.1, scipy.stats.ttest_ind(b, a,
	// equal_var=False); error, degrees and interval by its formulas in NumPy 1.24.2.
	got := newWelch(
		[]float64{27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4},
		[]float64{27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 0.5},
	)
	near(t, "mean", got.mean, 1.24)
	near(t, "error", got.se, 1.8316789071907824)
	near(t, "degrees of freedom", got.freedom, 19.016109896608512)
	near(t, "p", got.p(), 0.5065746538053166)
	i := got.interval()
	near(t, "low", i.Lo, -2.59352820164894)
	near(t, "high", i.Hi, 5.073528201648944)
}

// The test is the same in any unit.
func TestScale(t *testing.T) {
	at := func(scale float64) Result {
		return Decide([]Row{{Unpaired: true, Base: []float64{scale, 2 * scale, 4 * scale}, New: []float64{2 * scale, 5 * scale, 17 * scale, 3 * scale}}}, Options{})[0]
	}
	want := *at(1).P
	for _, scale := range []float64{1e-300, 1e-100, 1e100} {
		if r := at(scale); r.P == nil || *r.P != want {
			t.Errorf("times %g: %+v, want p %g", scale, r, want)
		}
	}
}

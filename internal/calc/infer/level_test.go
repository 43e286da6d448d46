package infer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"recallbench/internal/calc/stats"
	"recallbench/internal/testkit/longtest"
)

// An experiment compares two sides that are the same but for an effect of each
// conversation, which a method's chance dealings with it have, and which all rows of
// the conversation share in part.
type experiment struct {
	conversations, rows int
	zipf                bool    // sizes fall as 1, 1/2, 1/3, ...
	deviation           float64 // of the effect of a conversation
	coarse              bool    // differences are -1, 0 and 1
}

func (e experiment) String() string {
	sizes, values := "equal", "fine"
	if e.zipf {
		sizes = "Zipf"
	}
	if e.coarse {
		values = "coarse"
	}
	return fmt.Sprintf("%d conversations, %s sizes, %d rows, sd %.2f, %s", e.conversations, sizes, e.rows, e.deviation, values)
}

// draw draws the rows of a comparison. The questions of a conversation are spread over
// twelve categories, with three columns each that agree in part.
func (e experiment) draw(r *rand.Rand) []Row {
	const columns = 3
	rows := make([]Row, e.rows)
	for c := range e.conversations {
		questions := 150
		if e.zipf {
			questions = max(12, 400/(c+1))
		}
		categories := max(1, e.rows/columns)
		shared := r.NormFloat64()
		for category := range categories {
			effect := e.deviation * (0.7*shared + 0.7*r.NormFloat64())
			units := make([]Unit, min(columns, e.rows))
			for range questions / categories {
				common := r.NormFloat64()
				for k := range units {
					x := effect + 0.45*(0.8*common+0.6*r.NormFloat64())
					if e.coarse {
						x = 0
						if u := r.Float64(); u < 0.1+effect/2 {
							x = 1
						} else if u > 0.9+effect/2 {
							x = -1
						}
					}
					units[k].Add(x)
				}
			}
			for k := range units {
				units[k].ID = strconv.Itoa(c)
				rows[category*len(units)+k].Units = append(rows[category*len(units)+k].Units, units[k])
			}
		}
	}
	return rows
}

// level returns the share of n comparisons of equal sides that show something.
func (e experiment) level(n int, o Options) float64 {
	found := 0
	for i := range n {
		o.Seed, o.Bare = uint64(i), true
		for _, r := range Decide(e.draw(rand.New(rand.NewPCG(41, uint64(i)))), o) {
			if r.Shown {
				found++
				break
			}
		}
	}
	return float64(found) / float64(n)
}

// experiments lists those that docs/comparing.md tells of.
func experiments() []experiment {
	var all []experiment
	for _, conversations := range []int{3, 4, 5, 10, 50} {
		for _, zipf := range []bool{false, true} {
			for _, rows := range []int{1, 36} {
				for _, deviation := range []float64{0.05, 0.1} {
					for _, coarse := range []bool{false, true} {
						all = append(all, experiment{conversations, rows, zipf, deviation, coarse})
					}
				}
			}
		}
	}
	return all
}

// Of comparisons of equal sides at most 5 of 100 show anything, within what chance
// does to the share of so many.
func TestLevel(t *testing.T) {
	longtest.Skip(t)
	n := longtest.N(100, 2000)
	bound := 0.05 + 2.576*math.Sqrt(0.05*0.95/float64(n))
	for _, e := range experiments() {
		t.Run(e.String(), func(t *testing.T) {
			f := e.level(n, Options{})
			t.Logf("%.1f %%", 100*f)
			if f > bound {
				t.Errorf("%.1f %% of comparisons of equal sides show something, want at most 5", 100*f)
			}
		})
	}
}

// A short version of TestLevel.
func TestLevelOfFew(t *testing.T) {
	const n = 400
	bound := 0.05 + 3.3*math.Sqrt(0.05*0.95/n)
	for _, conversations := range []int{3, 5, 10} {
		e := experiment{conversations: conversations, rows: 6, zipf: true, deviation: 0.1}
		if f := e.level(n, Options{}); f > bound {
			t.Errorf("%s: %.1f %% of comparisons of equal sides show something, want at most 5", e, 100*f)
		}
	}
}

// Of comparisons of equal sides, the t-test by the CR2 error rejects the share that a
// simulation in NumPy has found, within what chance does to both shares. A conversation
// has an effect of deviation 0.07, a question one of 0.45.
func TestLevelOfCR2(t *testing.T) {
	r, n := rand.New(rand.NewPCG(3, 1)), longtest.N(2000, 20_000)
	nineSmall := append([]float64{200}, slices.Repeat([]float64{20}, 9)...)
	for _, c := range []struct {
		sizes []float64
		want  float64
	}{
		{[]float64{100, 100, 100}, 0.048},
		{[]float64{30, 30, 30, 30, 30}, 0.048},
		{[]float64{20, 60, 200}, 0.037},
		{[]float64{10, 20, 40, 80, 160}, 0.040},
		{[]float64{152, 81, 152, 199, 178, 123, 150, 191, 156, 158}, 0.052},
		{nineSmall, 0.047},
	} {
		rejected := 0
		for range n {
			units := make([]stats.Cluster, len(c.sizes))
			for i, size := range c.sizes {
				units[i] = stats.Cluster{N: int(size), Weight: size, Sum: size*0.07*r.NormFloat64() + math.Sqrt(size)*0.45*r.NormFloat64()}
			}
			if x, ok := newT(units); ok && x.p() <= 0.05 {
				rejected++
			}
		}
		share := float64(rejected) / float64(n)
		t.Logf("%v: %.2f %%", c.sizes, 100*share)
		if spread := math.Sqrt(0.05 * 0.95 * (1/float64(n) + 1/20_000.)); math.Abs(share-c.want) > 4*spread+0.0005 {
			t.Errorf("%v: %.2f %% are rejected, want %.1f", c.sizes, 100*share, 100*c.want)
		}
	}
}

package themes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"recallbench/internal/testkit/try"
)

// spread returns n vectors around n/20 topics, in a random order of topics;
// a vector has a mean cosine of about 1/(1+noise²) with others of its topic.
func spread(n, dim int, noise float64) [][]float32 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	draw := func(scale float64) []float64 {
		v := make([]float64, dim)
		for i := range v {
			v[i] = scale * r.NormFloat64() / math.Sqrt(float64(dim))
		}
		return v
	}
	centres := make([][]float64, max(1, n/20))
	for i := range centres {
		centres[i] = draw(1)
	}
	vectors := make([][]float32, n)
	for i := range vectors {
		centre := centres[r.IntN(len(centres))]
		vectors[i] = make([]float32, dim)
		for j, x := range draw(noise) {
			vectors[i][j] = float32(centre[j] + x)
		}
	}
	return vectors
}

// BenchmarkBuild reports how long a construction takes, and with each size the exponent
// with which the time grows from 1,000 semantics on. A LoCoMo conversation has some 300
// semantics, a history of LongMemEval some 1,000.
func BenchmarkBuild(b *testing.B) {
	for _, profile := range []Profile{Released, Paper} {
		var sizes, times []float64 // logarithms
		for _, n := range []int{300, 1000, 3000, 6000, 20000} {
			b.Run(fmt.Sprintf("%s/%d", profile, n), func(b *testing.B) {
				vectors := spread(n, 256, .7)
				o := Defaults()
				o.Profile = profile
				batches := slices.Repeat([]int{5}, n/5)
				for b.Loop() {
					try.Get(Build(vectors, batches, o))(b)
				}
				if n >= 1000 {
					sizes = append(sizes, math.Log(float64(n)))
					times = append(times, math.Log(b.Elapsed().Seconds()/float64(b.N)))
				}
				if len(sizes) > 1 {
					_, exponent := stat.LinearRegression(sizes, times, nil, false)
					b.ReportMetric(exponent, "exponent")
				}
			})
		}
	}
}

package themes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
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

// BenchmarkBuild reports how long a construction takes for each semantic, and,
// for the sizes after the first, the exponent of the growth since the first: of
// the time, and, where the system tells it, of the work of all processors,
// which other programs disturb less.
func BenchmarkBuild(b *testing.B) {
	for _, profile := range []Profile{Released, Paper} {
		var first, firstWork time.Duration
		for _, n := range []int{1000, 2000, 5000, 10000, 20000} {
			b.Run(fmt.Sprintf("%s/%d", profile, n), func(b *testing.B) {
				vectors := spread(n, 256, .7)
				o := Defaults()
				o.Profile = profile
				batches := slices.Repeat([]int{5}, n/5)
				var h *Hierarchy
				start := worked()
				for b.Loop() {
					var err error
					if h, err = Build(vectors, batches, o); err != nil {
						b.Fatal(err)
					}
				}
				work := (worked() - start) / time.Duration(b.N)
				each := b.Elapsed() / time.Duration(b.N)
				if n == 1000 {
					first, firstWork = each, work
				}
				exponent := func(now, then time.Duration) float64 {
					return math.Log(float64(now)/float64(then)) / math.Log(float64(n)/1000)
				}
				if n > 1000 && first > 0 {
					b.ReportMetric(exponent(each, first), "exponent")
				}
				if n > 1000 && firstWork > 0 {
					b.ReportMetric(exponent(work, firstWork), "work-exponent")
				}
				b.ReportMetric(work.Seconds(), "work-s/op")
				b.ReportMetric(float64(len(h.Themes)), "themes")
			})
		}
	}
}

// BenchmarkStageOne is what a question costs over 20,000 semantics of the
// offline embedder's size: the ranking of all, the pool's themes, and the greedy
// selection of themes and of semantics. The hierarchy has themes of 10.
func BenchmarkStageOne(b *testing.B) {
	const n, dim, pool = 20000, 1088, 40
	vectors := spread(n, dim, .7)
	x, err := NewIndex(vectors)
	if err != nil {
		b.Fatal(err)
	}
	near := make([]Neighbour, 10)
	for j := range near {
		near[j] = Neighbour{(j*7 + 1) % pool, .5}
	}
	for i := 0; b.Loop(); i++ {
		ranking, err := x.Search(vectors[i%n], pool)
		if err != nil {
			b.Fatal(err)
		}
		nodes := make([]Node, len(ranking.Nearest))
		for j, e := range ranking.Nearest {
			nodes[j] = Node{e.Similarity, near}
		}
		Representatives(nodes, 5, .7, 1)
		Representatives(nodes, 20, .7, 1)
	}
}

// BenchmarkProducts multiplies 32 rows by 1,024 of 256 elements.
func BenchmarkProducts(b *testing.B) {
	const n, m, dim = 32, 1024, 256
	s, err := newSpace(spread(m, dim, 1))
	if err != nil {
		b.Fatal(err)
	}
	dst := make([]float32, n*m)
	for b.Loop() {
		s.units.products(dst, s.units.data[:n*dim], 0, m)
	}
	b.ReportMetric(float64(n*m*dim)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gmul/s")
}

package index

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"recallbench/internal/testkit/try"
)

// BenchmarkNearest times searches for the 10 nearest of vectors in a folder, by their
// median; scripts/real/nearest.py runs it beside FAISS.
func BenchmarkNearest(b *testing.B) {
	folder := os.Getenv("BENCH_VECTORS")
	if folder == "" {
		b.Skip("BENCH_VECTORS names no folder of vectors")
	}
	texts, queries := readVectors(b, filepath.Join(folder, "texts.f32")), readVectors(b, filepath.Join(folder, "queries.f32"))
	for _, n := range []int{500, 5000, 20000} {
		exact := mustDense(b, texts[:n])
		b.Run(fmt.Sprintf("exact/%d", n), func(b *testing.B) { timeSearches(b, exact, queries) })
	}
	for _, n := range []int{5000, 20000} {
		var graph *HNSW
		for _, ef := range []int{16, 32, 64, 128, 256} {
			b.Run(fmt.Sprintf("graph/%d/%d", n, ef), func(b *testing.B) {
				if graph == nil {
					graph = mustBuild(b, texts[:n])
				}
				graph.ef = ef
				timeSearches(b, graph, queries)
				b.ReportMetric(recall(b, graph, mustDense(b, texts[:n]), queries, 10), "recall@10")
			})
		}
	}
}

func timeSearches(b *testing.B, x searcher, queries [][]float32) {
	b.Helper()
	var took []time.Duration
	for b.Loop() {
		for _, q := range queries {
			start := time.Now()
			mustSearch(b, x, q, 10)
			took = append(took, time.Since(start))
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "median-ns")
}

// readVectors reads vectors of 384 float32, as MiniLM makes them.
func readVectors(b *testing.B, path string) (vectors [][]float32) {
	b.Helper()
	data := try.Get(os.ReadFile(path))(b)
	for row := range slices.Chunk(data, 4*384) {
		v := make([]float32, 384)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(row[4*i:]))
		}
		vectors = append(vectors, v)
	}
	return vectors
}

package themes

import (
	"math"
	"runtime"
	"slices"

	"github.com/sourcegraph/conc/iter"

	"recallbench/internal/engine/index"
)

// graph returns for each semantic the at most k nearest among those that were
// known once its batch had arrived, nearest first, of equally near ones the
// older first. Similarities are above 0.
func (s *space) graph(batches []int, k int) [][]Neighbour {
	known := make([]int, 0, len(s.vectors)) // for each semantic, how many were known
	for _, size := range batches {
		known = append(known, slices.Repeat([]int{len(known) + size}, size)...)
	}
	ids := make([]uint32, len(known))
	var matrix []float32
	for i, unit := range s.units {
		ids[i] = uint32(i)
		matrix = append(matrix, index.Row(unit, 1)...)
	}
	stride := len(matrix) / max(1, len(known))
	graph := make([][]Neighbour, len(known))
	iter.Iterator[int]{MaxGoroutines: runtime.GOMAXPROCS(0)}.ForEachIdx(known, func(i int, known *int) {
		out := make([]float32, *known)
		index.Products(matrix[i*stride:][:stride], matrix, ids[:*known], out)
		near := closest{k: k, least: math.SmallestNonzeroFloat64, slack: s.slack}
		near.offer(out, func(o int) float64 {
			if o == i {
				return math.NaN()
			}
			return s.similarity(i, o)
		})
		graph[i] = near.list
	})
	return graph
}

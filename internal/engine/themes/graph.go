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
	parts := slices.Collect(slices.Chunk(ids, 128))
	iter.Iterator[[]uint32]{MaxGoroutines: runtime.GOMAXPROCS(0)}.ForEach(parts, func(part *[]uint32) {
		near := slices.Repeat([]closest{{k: k, least: math.SmallestNonzeroFloat64, slack: s.slack}}, len(*part))
		var out [together]float32
		for from := 0; from < known[(*part)[len(*part)-1]]; from += together {
			for j, i := range *part {
				to := min(from+together, known[i])
				if from >= to {
					continue
				}
				index.Products(matrix[int(i)*stride:][:stride], matrix, ids[from:to], out[:])
				near[j].offer(out[:to-from], from, func(o int) float64 {
					if o == int(i) {
						return math.NaN()
					}
					return s.similarity(int(i), o)
				})
			}
		}
		for j, i := range *part {
			graph[i] = near[j].list
		}
	})
	return graph
}

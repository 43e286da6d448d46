package themes

import (
	"runtime"
	"slices"

	"github.com/sourcegraph/conc/iter"
)

// graph returns for each semantic the at most k nearest among those that were
// known once its batch had arrived, nearest first, of equally near ones the
// older first. Similarities are above 0.
func (s *space) graph(batches []int, k int) [][]Neighbour {
	known := make([]int, 0, len(s.vectors)) // for each semantic, how many were known
	for _, size := range batches {
		known = append(known, slices.Repeat([]int{len(known) + size}, size)...)
	}
	graph := make([][]Neighbour, len(s.vectors))
	iter.Iterator[int]{MaxGoroutines: runtime.GOMAXPROCS(0)}.ForEachIdx(known, func(i int, known *int) {
		var list []Neighbour
		for j := range *known {
			if c := s.similarity(i, j); j != i && c > 0 {
				list = append(list, Neighbour{j, c})
			}
		}
		slices.SortFunc(list, nearestFirst)
		graph[i] = slices.Clone(list[:min(k, len(list))])
	})
	return graph
}

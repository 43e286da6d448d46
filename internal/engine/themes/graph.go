package themes

import "slices"

// graph returns for each semantic the at most k nearest among those that were
// known once its batch had arrived, nearest first, of equally near ones the
// older first. Similarities are above 0.
//
// Near products leave few to compare exactly: what is less than the k-th
// highest near product by more than twice the slack cannot be among the k.
func (s *space) graph(batches []int, k int) [][]Neighbour {
	n := len(s.vectors)
	graph := make([][]Neighbour, n)
	if k == 0 || s.dim == 0 {
		return graph
	}
	known := make([]int, 0, n) // for each semantic, how many were known
	for _, size := range batches {
		end := len(known) + size
		for range size {
			known = append(known, end)
		}
	}
	const block = 64
	parallel(n, block, func(from, to int) {
		s.neighbours(graph[from:to], from, known[from:to], k)
	})
	return graph
}

// panel is how many candidates are multiplied before they are looked at.
const panel = 512

// neighbours works out the lists of the semantics from first on.
func (s *space) neighbours(lists [][]Neighbour, first int, known []int, k int) {
	stride := s.units.stride
	queries := make([]float32, (len(lists)+1)/2*2*stride)
	copy(queries, s.units.data[first*stride:(first+len(lists))*stride])
	tops := make([]*top, len(lists))
	kept := make([][]candidate, len(lists))
	for i := range lists {
		tops[i] = newTop(k)
	}
	slack := 2 * s.units.slack()
	rows := len(s.units.data) / stride
	products := make([]float32, len(queries)/stride*panel)
	for from := 0; from < known[len(known)-1]; from += panel {
		width := min(panel, rows-from)
		s.units.products(products, queries, from, width)
		for i := range lists {
			t := tops[i]
			least := max(t.least(), 0) - slack
			line := products[i*width : (i+1)*width]
			for j, p := range line[:max(0, min(width, known[i]-from))] {
				if p < least || from+j == first+i {
					continue
				}
				kept[i] = append(kept[i], candidate{from + j, p})
				if p > t.least() {
					t.add(p)
					least = max(t.least(), 0) - slack
				}
			}
		}
	}
	for i, candidates := range kept {
		least := max(tops[i].least(), 0) - slack
		var list []Neighbour
		for _, c := range candidates {
			if c.product < least {
				continue
			}
			if similarity := s.similarity(first+i, c.index); similarity > 0 {
				list = append(list, Neighbour{c.index, similarity})
			}
		}
		slices.SortFunc(list, nearestFirst)
		lists[i] = slices.Clip(list[:min(k, len(list))])
	}
}

// A candidate is a semantic that may be among the nearest.
type candidate struct {
	index   int
	product float32
}

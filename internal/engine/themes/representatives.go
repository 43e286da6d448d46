package themes

// A Node is a candidate of [Representatives].
type Node struct {
	// Relevance is the candidate's similarity to the query, on any scale.
	Relevance float64
	// Neighbours are the candidate's edges to other candidates: Index is a
	// position in the list of candidates. Edges that lead elsewhere or whose
	// similarity is not above 0 are ignored; of two edges to one candidate the
	// stronger counts.
	Neighbours []Neighbour
}

// Representatives picks at most budget candidates that are relevant and cover
// the others, in the order in which they are picked (equation 4):
//
//	argmax_i  α · Σ_{u ∈ cover(i) \ covered} w(i,u) / Z  +  (1-α) · s(i)
//
// where cover(i) is i with its neighbours, w(i,i) is 1, Z is the sum of all weights
// of all candidates, those to themselves included; s is the relevance scaled to [0,
// 1] over the candidates, 0.5 where all are equal. Of equal scores the first
// candidate wins. It stops when the budget is spent, when all candidates are covered, or
// when no candidate scores above 0. One is picked in any case, unless there is none or the
// budget is below 1. Alpha is in [0, 1].
//
// It follows the released code (`_pick_representatives`), which counts w(i,i);
// the paper's formula does not define it. The result holds places in nodes.
func Representatives(nodes []Node, budget int, alpha float64) []int {
	if len(nodes) == 0 || budget < 1 {
		return nil
	}
	cover, z := covers(nodes)
	scaled := scale(nodes)
	covered := make([]bool, len(nodes))
	taken := make([]bool, len(nodes))
	left := len(nodes)
	var picked []int
	for len(picked) < budget && left > 0 {
		best, bestScore := -1, 0.0
		for i := range nodes {
			if taken[i] {
				continue
			}
			gain := 0.0
			for _, e := range cover[i] {
				if !covered[e.Index] {
					gain += e.Similarity
				}
			}
			if score := alpha*gain/z + (1-alpha)*scaled[i]; score > bestScore {
				best, bestScore = i, score
			}
		}
		if best < 0 {
			break
		}
		picked = append(picked, best)
		taken[best] = true
		for _, e := range cover[best] {
			if !covered[e.Index] {
				covered[e.Index] = true
				left--
			}
		}
	}
	if len(picked) == 0 {
		return []int{0}
	}
	return picked
}

// covers returns for each node the edges that count, itself first, and the sum
// of all their weights.
func covers(nodes []Node) (cover [][]Neighbour, z float64) {
	cover = make([][]Neighbour, len(nodes))
	at := make([]int, len(nodes)) // where a node stands in the current list, from 1
	for i, node := range nodes {
		list := append(make([]Neighbour, 0, len(node.Neighbours)+1), Neighbour{i, 1})
		at[i] = 1
		for _, e := range node.Neighbours {
			switch {
			case e.Index < 0 || e.Index >= len(nodes) || !(e.Similarity > 0):
			case at[e.Index] == 0:
				list = append(list, e)
				at[e.Index] = len(list)
			default:
				known := &list[at[e.Index]-1]
				known.Similarity = max(known.Similarity, e.Similarity)
			}
		}
		for _, e := range list {
			at[e.Index] = 0
			z += e.Similarity
		}
		cover[i] = list
	}
	return cover, z
}

// scale returns the relevances in [0, 1].
func scale(nodes []Node) []float64 {
	low, high := nodes[0].Relevance, nodes[0].Relevance
	for _, n := range nodes {
		low, high = min(low, n.Relevance), max(high, n.Relevance)
	}
	scaled := make([]float64, len(nodes))
	for i, n := range nodes {
		scaled[i] = 0.5
		if high > low {
			scaled[i] = (n.Relevance - low) / (high - low)
		}
	}
	return scaled
}

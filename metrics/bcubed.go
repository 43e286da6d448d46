package metrics

// BCubed returns precision, recall and F1 of predicted clusters of mentions
// against gold ones:
//
//	P = 1/N Σ |G(m) ∩ P(m)| / |P(m)|,  R = 1/N Σ |G(m) ∩ P(m)| / |G(m)|,  F1 = 2PR / (P + R)
//
// where the sums are over all N mentions and G(m) and P(m) are the clusters that
// contain m. A mention missing on one side forms a cluster of its own there; if
// two clusters of a side contain the same mention, the first counts. All three
// are ratios in (0, 1]; higher is better. Without mentions they are 1.
//
// It follows Bagga and Baldwin, "Algorithms for Scoring Coreference Chains",
// 1998, with the same weight for each mention.
func BCubed[M comparable](gold, predicted [][]M) (precision, recall, f1 float64) {
	type pair struct{ gold, predicted int } // clusters of a mention, -1 for none
	at := make(map[M]int)
	var pairs []pair // of the mentions, in order: sums are the same each time
	each := func(clusters [][]M, of func(*pair) *int) {
		for i, cluster := range clusters {
			for _, m := range cluster {
				k, seen := at[m]
				if !seen {
					k = len(pairs)
					at[m], pairs = k, append(pairs, pair{-1, -1})
				}
				if c := of(&pairs[k]); *c < 0 {
					*c = i
				}
			}
		}
	}
	each(gold, func(p *pair) *int { return &p.gold })
	each(predicted, func(p *pair) *int { return &p.predicted })
	if len(pairs) == 0 {
		return 1, 1, 1
	}
	both, golds, predictions := make(map[pair]int), make(map[int]int), make(map[int]int)
	for k := range pairs {
		p := &pairs[k]
		if p.gold < 0 {
			p.gold = len(gold) + k
		}
		if p.predicted < 0 {
			p.predicted = len(predicted) + k
		}
		both[*p]++
		golds[p.gold]++
		predictions[p.predicted]++
	}
	for _, p := range pairs {
		precision += float64(both[p]) / float64(predictions[p.predicted])
		recall += float64(both[p]) / float64(golds[p.gold])
	}
	n := float64(len(pairs))
	precision, recall = precision/n, recall/n
	return precision, recall, 2 * precision * recall / (precision + recall)
}

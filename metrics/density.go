package metrics

import "math/bits"

// HitDensitySpec measures how much of the answer single blocks contain. A block
// is a k-hit if it contains k distinct content words of the gold answer. The
// columns hit-0, hit-1, hit-2 and hit-3+ are the shares of the item's blocks
// with that many hits; they are ratios in [0, 1] and sum to 1. They are
// undefined without blocks, for an abstention, and for a gold answer without
// content words.
//
// The column hit-blocks is the number of blocks. Means weighted by it are the shares
// of all retrieved blocks, as the paper prints them. Plain means would count an item
// with few blocks as much as one with many; both agree if every item has the same
// number of blocks.
//
// It follows section 5.2 and figure 4 of xMemory, which has no code for it. The
// list of stop words, the tokenization and the comparison of whole words are
// not in the paper: here they are NLTK's list and the words of [F1Mem0].
var HitDensitySpec = ranked(Spec{
	Name:   "hit-density",
	Doc:    "shares of blocks with 0, 1, 2, 3 or more content words of the gold answer",
	Source: "xMemory, section 5.2",
	Columns: []Column{
		{Name: "hit-0", Scale: 100, Digits: 2, Lower: true, Weight: "hit-blocks"},
		{Name: "hit-1", Scale: 100, Digits: 2, Weight: "hit-blocks"},
		{Name: "hit-2", Scale: 100, Digits: 2, Weight: "hit-blocks"},
		{Name: "hit-3+", Scale: 100, Digits: 2, Weight: "hit-blocks"},
		{Name: "hit-blocks", Scale: 1, Digits: 2, Lower: true},
	},
	Score: func(i Item) []Value {
		values := make([]Value, 5)
		words, ok := contentWords(i)
		if !ok || len(i.Blocks) == 0 {
			return values
		}
		var counts [4]int
		for _, b := range i.Blocks {
			counts[min(3, bits.OnesCount64(hits(words, b.Text)))]++
		}
		n := float64(len(i.Blocks))
		for k, count := range counts {
			values[k] = Def(float64(count) / n)
		}
		values[4] = Def(n)
		return values
	},
})

package metrics

// CoverageSpec measures how much must be read until every content word of the
// gold answer has been seen:
//
//   - covered: 1 if the blocks together contain all content words, else 0;
//   - prefix-blocks, prefix-tokens: the number of blocks, and of their tokens,
//     in the shortest prefix of the ranking that contains them all, or in the
//     whole ranking if it does not. Lower is better, and they are undefined
//     without blocks.
//
// All columns are undefined for an abstention and a gold without content words.
//
// It follows section 5.2 and tables 3 and 5 of xMemory, which has no code for it. The
// paper speaks of the minimum number of blocks, but its 10.81 of 20 for golds of
// about three content words must be a prefix of the ranking, with uncovered items
// counted in full. Stop words and cutting are as for [HitDensitySpec].
var CoverageSpec = ranked(Spec{
	Name:   "coverage",
	Doc:    "blocks and tokens to read until all content words of the gold answer are seen",
	Source: "xMemory, section 5.2",
	Columns: []Column{
		{Name: "covered", Scale: 100, Digits: 2, Binary: true},
		{Name: "prefix-blocks", Scale: 1, Digits: 2, Lower: true},
		{Name: "prefix-tokens", Scale: 1, Digits: 2, Lower: true},
	},
	Score: func(i Item) []Value {
		words, ok := contentWords(i)
		if !ok {
			return make([]Value, 3)
		}
		need, seen := ^uint64(0)>>(maxContent-len(words)), uint64(0)
		blocks, tokens := 0, 0
		for _, b := range i.Blocks {
			blocks, tokens = blocks+1, tokens+b.Tokens
			if seen |= hits(words, b.Text); seen == need {
				return []Value{Def(1), Def(float64(blocks)), Def(float64(tokens))}
			}
		}
		if blocks == 0 {
			return []Value{Def(0), {}, {}}
		}
		return []Value{Def(0), Def(float64(blocks)), Def(float64(tokens))}
	},
})

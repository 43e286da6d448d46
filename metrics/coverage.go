package metrics

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
)

// CoverageSpec says how much must be read until every content word of the gold
// answer has been seen:
//
//   - covered: 1 if the blocks together hold all content words, else 0;
//   - prefix-blocks, prefix-tokens: the blocks, and their tokens, of the
//     shortest beginning of the ranking that holds them all;
//   - set-blocks, set-tokens: the same for the smallest set of blocks wherever
//     they rank; of several as small, the one with the fewest tokens.
//
// Where the blocks do not hold all words, these four count all blocks; the
// columns that end in -covered leave such items out. Numbers of blocks and
// tokens are at least 1 and 0; lower is better. They are undefined without
// blocks, and all columns for an abstention and a gold without content words.
//
// It follows section 5.2 and tables 3 and 5 of xMemory, which has no code for it. The
// paper speaks of the minimum number of blocks, but its 10.81 of 20 for golds of
// about three content words must be the beginning of the ranking, with uncovered
// items counted in full. Stop words and cutting are as for [HitDensitySpec].
var CoverageSpec = ranked(Spec{
	Name:   "coverage",
	Doc:    "blocks and tokens until all content words of the gold are seen",
	Source: "xMemory, section 5.2",
	Columns: []Column{
		{Name: "covered", Scale: 100, Digits: 2, Binary: true},
		{Name: "prefix-blocks", Scale: 1, Digits: 2, Lower: true},
		{Name: "prefix-tokens", Scale: 1, Digits: 2, Lower: true},
		{Name: "prefix-blocks-covered", Scale: 1, Digits: 2, Lower: true},
		{Name: "prefix-tokens-covered", Scale: 1, Digits: 2, Lower: true},
		{Name: "set-blocks", Scale: 1, Digits: 2, Lower: true},
		{Name: "set-tokens", Scale: 1, Digits: 2, Lower: true},
		{Name: "set-blocks-covered", Scale: 1, Digits: 2, Lower: true},
		{Name: "set-tokens-covered", Scale: 1, Digits: 2, Lower: true},
	},
	Score: func(i Item) []Value {
		values := make([]Value, 9)
		words, ok := contentWords(i)
		if !ok {
			return values
		}
		values[0] = Def(0)
		if len(i.Blocks) == 0 {
			return values
		}
		blocks := make([]cover, len(i.Blocks))
		var all cost
		for k, b := range i.Blocks {
			blocks[k] = cover{hits(words, b.Text), b.Tokens}
			all = all.plus(b.Tokens)
		}
		need := ^uint64(0) >> (maxContent - len(words))
		prefix, covered := prefixCover(need, blocks)
		set := all
		if covered {
			values[0] = Def(1)
			set = setCover(need, blocks)
			values[3], values[4] = prefix.values()
			values[7], values[8] = set.values()
		}
		values[1], values[2] = prefix.values()
		values[5], values[6] = set.values()
		return values
	},
})

// A cover is what a block holds of the words, and its tokens.
type cover struct {
	words  uint64
	tokens int
}

// A cost is what reading some blocks takes.
type cost struct{ blocks, tokens int }

func (c cost) plus(tokens int) cost { return cost{c.blocks + 1, c.tokens + tokens} }

func (c cost) values() (blocks, tokens Value) {
	return Def(float64(c.blocks)), Def(float64(c.tokens))
}

// prefixCover returns the cost of reading blocks in order until all needed
// words are seen, and whether they were.
func prefixCover(need uint64, blocks []cover) (c cost, covered bool) {
	var seen uint64
	for _, b := range blocks {
		c = c.plus(b.tokens)
		if seen |= b.words; seen&need == need {
			return c, true
		}
	}
	return c, false
}

// maxPartial bounds the partial covers that setCover keeps at each size.
// Twenty blocks cannot have so many that matter.
const maxPartial = 1 << 14

// setCover returns the cost of the smallest set of blocks that holds all
// needed words, which all blocks together do.
//
// It goes from sets of n blocks to sets of n+1, keeping of each union of words
// the set with the fewest tokens. A set grows only by a block with the first
// word that it lacks: some block of any cover has it. If there were more than
// maxPartial unions, only those with the most words would be kept, and the
// result could be larger than the smallest.
func setCover(need uint64, blocks []cover) cost {
	sets := map[uint64]int{0: 0} // words held to tokens
	for n := 1; ; n++ {
		grown := make(map[uint64]int)
		for words, tokens := range sets {
			lacks := need &^ words
			first := lacks & -lacks
			for _, b := range blocks {
				if b.words&first == 0 {
					continue
				}
				union, sum := words|b.words, tokens+b.tokens
				if known, ok := grown[union]; !ok || sum < known {
					grown[union] = sum
				}
			}
		}
		if tokens, ok := grown[need]; ok {
			return cost{n, tokens}
		}
		sets = prune(grown)
	}
}

func prune(sets map[uint64]int) map[uint64]int {
	if len(sets) <= maxPartial {
		return sets
	}
	unions := slices.SortedFunc(maps.Keys(sets), func(a, b uint64) int {
		return cmp.Or(bits.OnesCount64(b)-bits.OnesCount64(a), sets[a]-sets[b], cmp.Compare(a, b))
	})
	for _, u := range unions[maxPartial:] {
		delete(sets, u)
	}
	return sets
}

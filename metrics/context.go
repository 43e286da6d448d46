package metrics

import (
	"slices"
	"strings"

	"recallbench/internal/text/pytext"
)

// runLength is how many consecutive words two blocks must share to count as
// repeated. Six are more than the date and the speaker before a turn.
const runLength = 6

// ContextSpec measures how much evidence is shown, how much of it is gold
// evidence, and how much of it is repeated:
//
//   - context-tokens: the tokens of all blocks;
//   - evidence-1k: the turns of the gold evidence among the sources of the
//     blocks, per 1,000 of these tokens. Means are weighted by the tokens: all
//     turns found by all tokens shown;
//   - repeated: the share of six-word runs in the blocks that an earlier block
//     has too, a ratio in [0, 1]. It detects copies but not paraphrases.
//
// They are undefined without blocks; evidence-1k also without gold evidence or
// tokens, and repeated if no block has six words.
//
// xMemory claims evidence in fewer tokens and with less redundancy than
// retrieval by similarity, and measures neither except by [HitDensitySpec] and
// [CoverageSpec]; the definitions are this project's.
var ContextSpec = ranked(Spec{
	Name:   "context",
	Doc:    "tokens of evidence, gold evidence per 1,000 tokens, and share of repeated text",
	Source: "this project; quantifies xMemory's claims about contexts",
	Columns: []Column{
		{Name: "context-tokens", Scale: 1, Digits: 0, Lower: true},
		{Name: "evidence-1k", Scale: 1, Digits: 3, Weight: "context-tokens"},
		{Name: "repeated", Scale: 100, Digits: 2, Lower: true},
	},
	Score: func(i Item) []Value {
		values := make([]Value, 3)
		if len(i.Blocks) == 0 {
			return values
		}
		tokens := 0
		for _, b := range i.Blocks {
			tokens += b.Tokens
		}
		values[0] = Def(float64(tokens))
		if recall, ok := EvidenceRecall(i.GoldEvidence, i.Blocks); ok && tokens > 0 {
			found := recall * float64(len(distinct(slices.Clone(i.GoldEvidence))))
			values[1] = Def(1000 * found / float64(tokens))
		}
		if share, ok := repeated(i.Blocks); ok {
			values[2] = Def(share)
		}
		return values
	},
})

// repeated returns the share of runs of words that an earlier block has.
func repeated(blocks []Block) (share float64, ok bool) {
	seen := make(map[string]int) // run to the first block that has it
	runs, again := 0, 0
	var buf []string
	for n, b := range blocks {
		buf = simpleWords.Append(buf[:0], pytext.Lower(b.Text))
		for end := runLength; end <= len(buf); end++ {
			run := strings.Join(buf[end-runLength:end], " ")
			runs++
			if first, known := seen[run]; !known {
				seen[run] = n
			} else if first < n {
				again++
			}
		}
	}
	if runs == 0 {
		return 0, false
	}
	return float64(again) / float64(runs), true
}

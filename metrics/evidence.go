package metrics

import (
	"math"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/text/pytext"
)

// EvidenceRecall returns the share of the gold evidence among the sources of blocks:
//
//	|gold ∩ ∪ sources| / |gold|
//
// It is a ratio in [0, 1] over distinct ids; higher is better. A block with a
// part of a turn lists the turn among its sources only if the method says so
// ([Block]). Without gold evidence it is undefined and ok is false; LoCoMo's
// own scorer returns 1.
func EvidenceRecall(gold []string, blocks []Block) (recall float64, ok bool) {
	want := make(map[string]bool, len(gold)) // false until found
	for _, id := range gold {
		want[id] = false
	}
	if len(want) == 0 {
		return 0, false
	}
	found := 0
	for _, b := range blocks {
		for _, id := range b.Sources {
			if seen, ok := want[id]; ok && !seen {
				want[id] = true
				found++
			}
		}
	}
	return float64(found) / float64(len(want)), true
}

var (
	// EvidenceRecallSpec is the metric of [EvidenceRecall] over all blocks that reached the
	// reader. At(k) considers the first k.
	EvidenceRecallSpec = evidenceRecall(false, Spec{
		Name: "evidence-recall", Doc: "share of the gold evidence that was retrieved",
		Source: "LoCoMo (Maharana et al., 2024): task_eval/evaluation.py",
	})
	// EvidenceRecallByTextSpec is [EvidenceRecall] if the sources of blocks were guessed by
	// comparing texts, and otherwise undefined. A memory that rewrites its input scores low,
	// whatever it remembers, so the values are comparable with no other metric.
	EvidenceRecallByTextSpec = evidenceRecall(true, Spec{
		Name: "evidence-recall-by-text", Doc: "share of the gold evidence that was retrieved, with sources guessed by comparing texts",
		Source: "this project; docs/adapters.md", Apart: true,
	})
)

func evidenceRecall(guessed bool, s Spec) *Spec {
	s.Columns = []Column{{Name: s.Name, Scale: 100, Digits: 2}}
	s.Score = func(i Item) []Value {
		recall, ok := EvidenceRecall(i.GoldEvidence, i.Blocks)
		return []Value{{recall, ok && estimated(i.Blocks) == guessed}}
	}
	return ranked(s)
}

// estimated reports whether the sources of any block were guessed.
func estimated(blocks []Block) bool {
	return slices.ContainsFunc(blocks, func(b Block) bool { return b.Estimated })
}

// ranked makes a metric of evidence that can be cut after the first k blocks.
func ranked(s Spec) *Spec {
	score := s.Score
	return cuttable(s, func(i Item, k int) []Value {
		i.Blocks = i.Blocks[:min(k, len(i.Blocks))]
		return score(i)
	})
}

// cuttable makes a metric of evidence from a score at rank k.
func cuttable(s Spec, score func(i Item, k int) []Value) *Spec {
	s.Of = Evidence
	s.Score = func(i Item) []Value { return score(i, math.MaxInt) }
	s.At = func(k int) *Spec {
		at := "@" + strconv.Itoa(k)
		cut := s
		cut.Name += at
		cut.Doc += ", in the first " + strconv.Itoa(k)
		cut.At = nil
		cut.Columns = lists.Map(s.Columns, func(c Column) Column {
			c.Name += at
			if c.Weight != "" {
				c.Weight += at
			}
			return c
		})
		cut.Score = func(i Item) []Value { return score(i, k) }
		return &cut
	}
	return &s
}

// maxContent is the largest number of content words with which a gold answer is
// matched against blocks. The longest gold answer of LoCoMo has half as many.
const maxContent = 64

// contentWords returns the distinct words of a gold answer that are not stop
// words, cut as for [F1Mem0]. Metrics that match blocks with them are undefined
// for an abstention and for a gold answer without such words or with more than
// maxContent.
func contentWords(i Item) ([]string, bool) {
	if i.Abstain {
		return nil, false
	}
	words := distinct(simpleWords.Append(nil, pytext.Lower(i.Gold)))
	words = slices.DeleteFunc(words, pytext.StopWord)
	return words, len(words) > 0 && len(words) <= maxContent
}

// hits returns the set of words that occur in a block's text, one bit each in
// their order. The text is cut as for [F1Mem0] and whole words are compared.
func hits(words []string, block string) uint64 {
	var found uint64
	for _, t := range simpleWords.Append(nil, pytext.Lower(block)) {
		if i := slices.Index(words, t); i >= 0 {
			found |= 1 << i
		}
	}
	return found
}

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
	Columns: slices.Concat(
		columns(Column{Scale: 100, Digits: 2, Lower: true, Weight: "hit-blocks"}, "hit-0"),
		columns(Column{Scale: 100, Digits: 2, Weight: "hit-blocks"}, "hit-1", "hit-2", "hit-3+"),
		columns(Column{Scale: 1, Digits: 2, Lower: true}, "hit-blocks"),
	),
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
				break
			}
		}
		return []Value{holds(seen == need), {float64(blocks), blocks > 0}, {float64(tokens), blocks > 0}}
	},
})

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
	for n, b := range blocks {
		words := simpleWords.Append(nil, pytext.Lower(b.Text))
		for end := runLength; end <= len(words); end++ {
			run := strings.Join(words[end-runLength:end], " ")
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

// LongMemEvalRanking scores a ranking of distinct units at rank k against the
// units that support the answer:
//
//	any  = 1 if a target is among the first k, else 0
//	all  = 1 if every target is among the first k, else 0; 1 without targets
//	ndcg = DCG(ranking) / DCG(targets first), DCG = r1 + Σ_{i=2..k} r_i / log2(i)
//
// r_i is 1 for a target at rank i, else 0. All three are ratios in [0, 1], higher
// is better; ndcg is 0 without targets. It follows eval_utils.py of LongMemEval,
// whose DCG weighs rank 2 as much as rank 1: the usual one has log2(i+1).
func LongMemEvalRanking(ranking, targets []string, k int) (hitAny, hitAll, ndcg float64) {
	k = max(k, 0)
	first := ranking[:min(k, len(ranking))]
	found, gain, ideal := 0, 0.0, 0.0
	for i, unit := range first {
		if slices.Contains(targets, unit) {
			found++
			gain += longMemEvalGain(i)
		}
	}
	for i := range min(k, len(targets)) {
		ideal += longMemEvalGain(i)
	}
	if found > 0 {
		hitAny, ndcg = 1, gain/ideal
	}
	if found == len(targets) {
		hitAll = 1
	}
	return hitAny, hitAll, ndcg
}

// longMemEvalGain is the gain of a target after i other units.
func longMemEvalGain(i int) float64 {
	if i == 0 {
		return 1
	}
	return 1 / math.Log2(float64(i+1))
}

// The official retrieval metrics of LongMemEval, by session and by user turn:
// recall of all targets, of any target, and NDCG, by [LongMemEvalRanking]. The
// ranking is that of the blocks; each contributes the units of its sources that
// no earlier block did, and k counts units.
//
// A turn's id is its session's id, a colon, its number, and u for the user or a
// for the assistant. By session, both kinds of turns count for their session. By
// turn, only the user's turns are units. Targets are the evidence turns of the
// user, or their sessions.
//
// Undefined for abstentions, for evidence with ids of another form, and if sources were
// guessed. The metrics without a suffix also leave out questions without a target, as
// run_retrieval.py does (which leaves 419 questions of S). Those with the suffix -470
// count them, with all 1, any 0 and ndcg 0, as print_retrieval_metrics.py does.
var (
	SessionRecallSpec    = longMemEvalRetrieval("session", "", sessionOf)
	TurnRecallSpec       = longMemEvalRetrieval("turn", "", userTurn)
	SessionRecall470Spec = longMemEvalRetrieval("session", "-470", sessionOf)
	TurnRecall470Spec    = longMemEvalRetrieval("turn", "-470", userTurn)
)

// longMemEvalRetrieval makes a metric of units; unit returns the unit of a
// turn's id, or "" if it has none.
func longMemEvalRetrieval(name, suffix string, unit func(turn string) string) *Spec {
	doc, dialect := "LongMemEval's recall of evidence by "+name, "@longmemeval"+suffix
	if suffix != "" {
		doc += ", including questions without a target"
	}
	return cuttable(Spec{
		Name:   name + "-recall" + dialect,
		Doc:    doc,
		Source: "LongMemEval (Wu et al., 2025): src/retrieval/eval_utils.py, run_retrieval.py, src/evaluation/print_retrieval_metrics.py",
		Columns: []Column{
			{Name: name + "-recall-all" + dialect, Scale: 100, Digits: 2, Binary: true},
			{Name: name + "-recall-any" + dialect, Scale: 100, Digits: 2, Binary: true},
			{Name: name + "-ndcg" + dialect, Scale: 100, Digits: 2},
		},
	}, func(i Item, k int) []Value {
		if i.Abstain || estimated(i.Blocks) || len(i.GoldEvidence) == 0 || slices.ContainsFunc(i.GoldEvidence, func(id string) bool { return !roleTurn.MatchString(id) }) {
			return make([]Value, 3)
		}
		said := slices.DeleteFunc(slices.Clone(i.GoldEvidence), func(id string) bool { return userTurn(id) == "" })
		targets := distinctUnits(nil, said, unit)
		if len(targets) == 0 && suffix != "-470" {
			return make([]Value, 3)
		}
		var ranking []string
		for _, b := range i.Blocks {
			ranking = distinctUnits(ranking, b.Sources, unit)
		}
		hitAny, hitAll, ndcg := LongMemEvalRanking(ranking, targets, k)
		return []Value{Def(hitAll), Def(hitAny), Def(ndcg)}
	})
}

// distinctUnits appends the units of turns that are not yet in the list.
func distinctUnits(units, turns []string, unit func(string) string) []string {
	for _, id := range turns {
		if u := unit(id); u != "" && !slices.Contains(units, u) {
			units = append(units, u)
		}
	}
	return units
}

var roleTurn = regexp.MustCompile(`^[^:]+:\d+[ua]$`)

// sessionOf returns the session of a turn by its id.
func sessionOf(turn string) string {
	session, _, _ := strings.Cut(turn, ":")
	return session
}

// userTurn returns the id of a turn that the user said, else "".
func userTurn(turn string) string {
	if strings.HasSuffix(turn, "u") {
		return turn
	}
	return ""
}

package metrics

import (
	"math"
	"slices"
	"strconv"
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
		cut.Columns = make([]Column, len(s.Columns))
		for i, c := range s.Columns {
			c.Name += at
			if c.Weight != "" {
				c.Weight += at
			}
			cut.Columns[i] = c
		}
		cut.Score = func(i Item) []Value { return score(i, k) }
		return &cut
	}
	return &s
}

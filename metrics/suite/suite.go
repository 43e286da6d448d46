// Package suite lists the metrics.
package suite

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/annotator"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
)

// coherence measures coreference by rules in all runs.
var coherence = metrics.NewCoherence(annotator.New())

// All returns the metrics in the order of tables.
func All() []*metrics.Spec {
	return []*metrics.Spec{
		metrics.SpanSpec,
		metrics.F1Mem0Spec,
		metrics.F1LoCoMoSpec,
		metrics.F1MemoryOSSpec,
		metrics.BLEU1Spec,
		metrics.RougeLSpec,
		metrics.ExactMatchSpec,
		metrics.FactualRecallSpec,
		metrics.ChoiceSpec,
		metrics.ChoiceStrictSpec,
		metrics.ChangesSpec,
		coherence,
		metrics.PassSpec,
		metrics.WordsSpec,
		metrics.JudgeSpec,
		metrics.PassJudgeSpec,
		metrics.UCSSpec,
		metrics.EvidenceRecallSpec,
		metrics.EvidenceRecallByTextSpec,
		metrics.SessionRecallSpec,
		metrics.SessionRecall470Spec,
		metrics.TurnRecallSpec,
		metrics.TurnRecall470Spec,
		metrics.HitDensitySpec,
		metrics.CoverageSpec,
		metrics.ChangesEvidenceSpec,
		metrics.ContextSpec,
		metrics.TokensSpec,
		metrics.TokensStagesSpec,
		metrics.TokensXMemorySpec,
		metrics.StructureSpec,
		metrics.StoredSpec,
		metrics.DegradedSpec,
		metrics.FailuresSpec,
	}
}

// Names returns the names of the metrics in the order of tables.
func Names() []string {
	return lists.Map(All(), func(s *metrics.Spec) string { return s.Name })
}

// Find returns the metric with the given name. A metric of evidence can be cut at a rank:
// "evidence-recall@5" is the recall of the first five blocks. The error for an
// unknown name suggests a similar one and lists all names.
func Find(name string) (*metrics.Spec, error) {
	for _, s := range All() {
		if s.Name == name {
			return s, nil
		}
	}
	if strings.ContainsRune(name, ':') {
		if s, err := metrics.FindJudged(name); err == nil {
			return s, nil
		}
	}
	if base, rank, ok := cutRank(name); ok {
		for _, s := range All() {
			if s.Name == base {
				return at(s, name, rank)
			}
		}
	}
	return nil, errors.New(suggest.Unknown("metric", name, Names()))
}

// cutRank splits a name before the rank at its end. The part after the last @
// is a rank if it looks like a number, and otherwise a dialect.
func cutRank(name string) (base, rank string, ok bool) {
	i := strings.LastIndexByte(name, '@')
	if i < 0 || i+1 == len(name) || strings.Trim(name[i+1:], "-+.0123456789") != "" {
		return "", "", false
	}
	return name[:i], name[i+1:], true
}

func at(s *metrics.Spec, name, rank string) (*metrics.Spec, error) {
	if s.At == nil {
		return nil, fmt.Errorf("metric %q: %s has no ranks to cut at", name, s.Name)
	}
	k, err := strconv.Atoi(rank)
	if err != nil || k < 1 || strconv.Itoa(k) != rank {
		return nil, fmt.Errorf("metric %q: rank is %s, want a whole number of at least 1", name, rank)
	}
	return s.At(k), nil
}

package metrics

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

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

package metrics_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

// The values follow the formulas of LongMemEval's eval_utils.py by hand:
// 1 + 1/log2(3) = 1.630930 of 2, and so on.
func TestLongMemEvalRanking(t *testing.T) {
	type want [3]float64 // any, all, ndcg
	for _, c := range []struct {
		ranking, targets string
		at               map[int]want
	}{
		{"A1 A2 s1 s2 s3", "A1 A2", map[int]want{1: {1, 0, 1}, 3: {1, 1, 1}, 5: {1, 1, 1}}},
		{"s1 A1 A2 s2 s3", "A1 A2", map[int]want{1: {0, 0, 0}, 3: {1, 1, 0.8154648767857287}, 5: {1, 1, 0.8154648767857287}}},
		{"A1 s1 s2 s3 A2", "A1 A2", map[int]want{1: {1, 0, 1}, 3: {1, 0, 0.5}, 5: {1, 1, 0.7153382790366965}}},
		{"s1 s2 s3 A1 A2", "A1 A2", map[int]want{1: {0, 0, 0}, 3: {0, 0, 0}, 5: {1, 1, 0.4653382790366965}}},
		{"s1 A1 s2", "A1", map[int]want{1: {0, 0, 0}, 3: {1, 1, 1}}},
		{"s1", "", map[int]want{1: {0, 1, 0}}},
		{"", "A1", map[int]want{0: {0, 0, 0}, 5: {0, 0, 0}}},
	} {
		for k, want := range c.at {
			var got [3]float64
			got[0], got[1], got[2] = metrics.LongMemEvalRanking(strings.Fields(c.ranking), strings.Fields(c.targets), k)
			if diff := cmp.Diff([3]float64(want), got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("%q at %d (-want +got):\n%s", c.ranking, k, diff)
			}
		}
	}
}

// TestLongMemEvalBounds wants ratios that grow with k where they are recalls, and
// that do not depend on the order of the targets.
func TestLongMemEvalBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.Permutation([]string{"a", "b", "c", "d", "e", "f"}).Draw(t, "ranking")
		targets := rapid.Permutation([]string{"a", "b", "c", "x"}).Draw(t, "targets")[:rapid.IntRange(0, 4).Draw(t, "n")]
		k := rapid.IntRange(0, 7).Draw(t, "k")
		hitAny, hitAll, ndcg := metrics.LongMemEvalRanking(units, targets, k)
		if ndcg < 0 || ndcg > 1+1e-12 || math.IsNaN(ndcg) {
			t.Fatalf("ndcg is %v", ndcg)
		}
		nextAny, nextAll, _ := metrics.LongMemEvalRanking(units, targets, k+1)
		if nextAny < hitAny || nextAll < hitAll {
			t.Fatal("recall falls with rank")
		}
		if len(targets) > 0 && hitAll > hitAny {
			t.Fatal("all targets are found and none is")
		}
	})
}

func TestLongMemEvalRetrieval(t *testing.T) {
	item := metrics.Item{
		GoldEvidence: []string{"s2:1u", "s2:3u", "s3:2a", "s4:1u"},
		Blocks: []metrics.Block{
			block("", 0, "s1:1u", "s2:2a"), block("", 0, "s2:3u", "s2:3u"), block("", 0), block("", 0, "s4:1u"), block("", 0, "s2:1u"),
		},
	}
	unlabelled := metrics.Item{GoldEvidence: []string{"s3:2a"}, Blocks: item.Blocks}
	of := func(all, hit, ndcg float64) []metrics.Value {
		return []metrics.Value{metrics.Def(all), metrics.Def(hit), metrics.Def(ndcg)}
	}
	undefined := make([]metrics.Value, 3)
	second := 1 / math.Log2(3)
	for _, c := range []struct {
		name string
		spec *metrics.Spec
		item metrics.Item
		want []metrics.Value
	}{
		// Sessions in order: s1, s2 (by an assistant's turn), s4; targets s2 and s4.
		{"sessions", metrics.SessionRecallSpec, item, of(1, 1, (1+second)/2)},
		{"two sessions", metrics.SessionRecallSpec.At(2), item, of(0, 1, 0.5)},
		// Turns of the user in order: s1:1u, s2:3u, s4:1u, s2:1u.
		{"turns", metrics.TurnRecallSpec, item, of(1, 1, (1+second+0.5)/(2+second))},
		{"three turns", metrics.TurnRecallSpec.At(3), item, of(0, 1, (1+second)/(2+second))},
		{"no labelled turn of the user", metrics.SessionRecallSpec, unlabelled, undefined},
		{"and counted", metrics.SessionRecall470Spec.At(5), unlabelled, of(1, 0, 0)},
		{"turns, and counted", metrics.TurnRecall470Spec, unlabelled, of(1, 0, 0)},
		{"nothing retrieved", metrics.SessionRecallSpec, metrics.Item{GoldEvidence: item.GoldEvidence}, of(0, 0, 0)},
		{"abstention", metrics.SessionRecall470Spec, metrics.Item{Abstain: true, GoldEvidence: item.GoldEvidence}, undefined},
		{"no evidence", metrics.SessionRecall470Spec, metrics.Item{Blocks: item.Blocks}, undefined},
		{"ids of another dataset", metrics.SessionRecall470Spec, metrics.Item{GoldEvidence: []string{"D1:3"}, Blocks: item.Blocks}, undefined},
		{"guessed", metrics.SessionRecallSpec, metrics.Item{GoldEvidence: item.GoldEvidence, Blocks: []metrics.Block{{Sources: []string{"s2:1u"}, Estimated: true}}}, undefined},
	} {
		try.Equal(t, c.name, c.want, c.spec.Score(c.item), cmpopts.EquateApprox(0, 1e-12))
	}
}

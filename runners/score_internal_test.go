package runners

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/internal/door/llm"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

// TestItem checks that a metric sees all of a gold answer.
func TestItem(t *testing.T) {
	folder := record.Folder(t.TempDir())
	set := &datasets.Set{Name: "toy"}
	entry := datasets.Entry{ID: "s", Requests: []datasets.Request{{
		ID: "q", Text: "which?", Options: []datasets.Option{{Key: "a", Text: "tea"}},
	}}}
	gold := datasets.Gold{
		Category: "1", Evidence: []string{"s1:2u"}, Sessions: []string{"s1", "s2"}, Name: "n", Abstain: true,
		Rubric: []string{"says that it is not known"}, Ordered: true, Explanation: "not said", Correct: "a",
	}
	try.Do(t, os.MkdirAll(filepath.Dir(folder.Gold("toy")), 0o755))
	set.SetGold("s", "q", gold)
	try.Do(t, record.WriteGold(folder.Gold("toy"), set, []datasets.Entry{entry}))
	g := try.Get(readGolds(folder, record.Dataset{Label: "toy"}))(t)
	got := g.item(key{"s", "q"})
	want := metrics.Item{
		Category: "1", Question: "which?", Abstain: true, GoldEvidence: gold.Evidence,
		Rubric: gold.Rubric, Ordered: true, Explanation: "not said", Options: []metrics.Option{{Key: "a", Text: "tea"}}, Correct: "a",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTextTokens(t *testing.T) {
	usage := map[string]map[string]llm.Usage{
		"query": {"reader": {Input: 100, Output: 10}, "embed": {Input: 7}},
		"judge": {"judge": {Input: 1000}},
	}
	for want, text := range map[int]map[string]int{110: nil, 120: {"reader": 90, "prober": 30}} {
		if got := textTokens(record.Record{Usage: usage, Text: text}); got != want {
			t.Errorf("with %v: %d tokens, want %d", text, got, want)
		}
	}
}

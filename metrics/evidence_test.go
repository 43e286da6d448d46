package metrics_test

import (
	"maps"
	"slices"
	"testing"

	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

// block makes a block with a text, tokens and sources.
func block(text string, tokens int, sources ...string) metrics.Block {
	return metrics.Block{Text: text, Tokens: tokens, Sources: sources}
}

func TestEvidenceRecall(t *testing.T) {
	blocks := []metrics.Block{
		block("", 0, "D1:1", "D1:2"), block("", 0), block("", 0, "D1:2", "D2:1"), block("", 0, "D9:9"),
	}
	for _, c := range []struct {
		gold   []string
		blocks []metrics.Block
		want   float64
		ok     bool
	}{
		{nil, blocks, 0, false},
		{[]string{"D1:1"}, nil, 0, true},
		{[]string{"D1:1"}, blocks, 1, true},
		{[]string{"D1:2", "D2:1", "D3:1", "D3:2"}, blocks, 0.5, true},
		{[]string{"D2:1", "D2:1", "D3:1"}, blocks, 0.5, true},
		{[]string{"D2:1"}, blocks[:2], 0, true},
	} {
		got, ok := metrics.EvidenceRecall(c.gold, c.blocks)
		if got != c.want || ok != c.ok {
			t.Errorf("EvidenceRecall(%q) = %v, %v, want %v, %v", c.gold, got, ok, c.want, c.ok)
		}
	}
}

func TestAt(t *testing.T) {
	item := metrics.Item{
		Gold: "red kite", GoldEvidence: []string{"a", "b"},
		Blocks: []metrics.Block{block("a red barn", 3, "a"), block("nothing", 1), block("a red kite", 3, "b")},
	}
	for _, c := range []struct {
		spec *metrics.Spec
		k    int
		want map[string]metrics.Value
	}{
		{metrics.EvidenceRecallSpec, 2, map[string]metrics.Value{"evidence-recall@2": metrics.Def(0.5)}},
		{metrics.EvidenceRecallSpec, 9, map[string]metrics.Value{"evidence-recall@9": metrics.Def(1)}},
		{metrics.HitDensitySpec, 2, map[string]metrics.Value{
			"hit-0@2": metrics.Def(0.5), "hit-1@2": metrics.Def(0.5), "hit-2@2": metrics.Def(0),
			"hit-3+@2": metrics.Def(0), "hit-blocks@2": metrics.Def(2),
		}},
	} {
		spec := c.spec.At(c.k)
		try.Equal(t, spec.Name, c.want, scores(spec, item))
		for _, col := range spec.Columns {
			if col.Weight != "" && !slices.ContainsFunc(spec.Columns, func(w metrics.Column) bool { return w.Name == col.Weight }) {
				t.Errorf("%s is weighted by %s, which is no column of %s", col.Name, col.Weight, spec.Name)
			}
		}
	}
	if len(item.Blocks) != 3 {
		t.Error("a metric at a rank cut the blocks of the item")
	}
}

// scores returns the values of an item by column.
func scores(spec *metrics.Spec, item metrics.Item) map[string]metrics.Value {
	m := make(map[string]metrics.Value)
	for i, v := range spec.Score(item) {
		m[spec.Columns[i].Name] = v
	}
	return m
}

func TestHitDensity(t *testing.T) {
	item := metrics.Item{
		Gold: "The red kite, a RED barn and the boat.", // content: red kite barn boat
		Blocks: []metrics.Block{
			block("They saw the sea.", 4),
			block("A kite! A kite, a kite.", 6),
			block("Red boat?", 2),
			block("the barn, the boat, the red", 8),
			block("kite barn boat red", 4),
			block("kites (boat) red-barn", 4), // whole words only
		},
	}
	want := map[string]metrics.Value{
		"hit-0": metrics.Def(2. / 6), "hit-1": metrics.Def(1. / 6), "hit-2": metrics.Def(1. / 6),
		"hit-3+": metrics.Def(2. / 6), "hit-blocks": metrics.Def(6),
	}
	try.Equal(t, "shares", want, scores(metrics.HitDensitySpec, item))
	undefined := make([]metrics.Value, 5)
	for what, i := range map[string]metrics.Item{
		"no blocks":        {Gold: "kite"},
		"stop words alone": {Gold: "She did not.", Blocks: item.Blocks},
		"an abstention":    {Gold: "kite", Abstain: true, Blocks: item.Blocks},
	} {
		try.Equal(t, what, undefined, metrics.HitDensitySpec.Score(i))
	}
}

func TestContext(t *testing.T) {
	item := metrics.Item{
		GoldEvidence: []string{"a", "b", "b", "c"},
		Blocks: []metrics.Block{
			block("She went to the lake on Sunday.", 100, "a"),                    // 2 runs of six words
			block("on Sunday she went to the lake with Ann", 200, "b", "a"),       // 4, none of them known
			block("We heard: she WENT to the lake on Sunday, again", 100, "z"),    // 5, 2 of them known
			block("to to to to to to to to", 100),                                 // 3, known from this block only
			block("too short a text for this", 0), block("four words in it", 500), // 1 and none
		},
	}
	want := map[string]metrics.Value{
		"context-tokens": metrics.Def(1000), "evidence-1k": metrics.Def(2), "repeated": metrics.Def(2. / 15),
	}
	try.Equal(t, "columns", want, scores(metrics.ContextSpec, item))
	if want := []string{"a", "b", "b", "c"}; !slices.Equal(item.GoldEvidence, want) {
		t.Errorf("the item's evidence became %q", item.GoldEvidence)
	}
	for _, tt := range []struct {
		name string
		item metrics.Item
		want []metrics.Value
	}{
		{"no blocks", metrics.Item{GoldEvidence: item.GoldEvidence}, make([]metrics.Value, 3)},
		{"no gold evidence, short blocks", metrics.Item{Blocks: item.Blocks[5:]}, []metrics.Value{metrics.Def(500), {}, {}}},
		{"no tokens", metrics.Item{GoldEvidence: item.GoldEvidence, Blocks: []metrics.Block{block("", 0, "a")}}, []metrics.Value{metrics.Def(0), {}, {}}},
	} {
		try.Equal(t, tt.name, tt.want, metrics.ContextSpec.Score(tt.item))
	}
}

func TestCoverage(t *testing.T) {
	blocks := []metrics.Block{
		block("nothing here", 10),
		block("a red thing", 20),
		block("a kite on a barn", 30),
		block("a red kite", 40),
		block("a red kite on a barn by the sea", 50),
	}
	def := metrics.Def
	no := metrics.Value{}
	for _, c := range []struct {
		gold   string
		blocks []metrics.Block
		want   []metrics.Value
	}{
		{"red kite barn", blocks, []metrics.Value{def(1), def(3), def(60)}},
		{"red kite barn", blocks[:4], []metrics.Value{def(1), def(3), def(60)}},
		{"red kite", blocks, []metrics.Value{def(1), def(3), def(60)}},
		{"red whale", blocks, []metrics.Value{def(0), def(5), def(150)}},
		{"red", nil, []metrics.Value{def(0), no, no}},
		{"it is", blocks, make([]metrics.Value, 3)},
	} {
		try.Equal(t, c.gold, c.want, metrics.CoverageSpec.Score(metrics.Item{Gold: c.gold, Blocks: c.blocks}))
	}
}

func TestTokens(t *testing.T) {
	item := metrics.Item{
		Failed: true,
		Tokens: metrics.Tokens{QueryInput: 400, QueryOutput: 12, JudgeInput: 90, JudgeOutput: 3, Ingest: 12.5, Text: 317},
	}
	want := map[string]metrics.Value{
		"tokens-query": metrics.Def(412), "tokens-input": metrics.Def(400), "tokens-output": metrics.Def(12),
		"tokens-ingest": metrics.Def(12.5), "tokens-judge": metrics.Def(93), "tokens@xmemory": metrics.Def(317),
	}
	got := scores(metrics.TokensSpec, item)
	maps.Copy(got, scores(metrics.TokensXMemorySpec, item))
	try.Equal(t, "tokens", want, got)
}

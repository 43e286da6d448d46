package nemori

import (
	"testing"

	"recallbench/methods/internal/episodes"
	"recallbench/methods/methodtest"
)

func TestConformance(t *testing.T) {
	hybrid := Defaults()
	hybrid.Search.Ranking = Hybrid
	words := Defaults()
	words.Search.Ranking, words.Search.Originals, words.Reader.Slots = BM25, 0, false
	direct := Defaults()
	direct.Construction.Semantics, direct.Score, direct.Search.Episodes = episodes.Direct, Cosine, 0
	for name, o := range map[string]Options{"defaults": Defaults(), "hybrid": hybrid, "bm25": words, "direct": direct} {
		t.Run(name, func(t *testing.T) { methodtest.Run(t, Spec, o) })
	}
}

package flatrag

import (
	"fmt"
	"slices"
	"testing"

	"recallbench/datasets"
	"recallbench/internal/testkit/try"
)

// TestBatches checks that a long history is embedded in batches, each text once, and
// found as if it had been embedded at once.
func TestBatches(t *testing.T) {
	e, o := new(letters), Defaults()
	o.Chunk = Chunk{Unit: Turns, Size: 1}
	m := &method{Options: o, embed: e}
	var turns []datasets.Turn
	for i := range 2*batchTexts + 5 {
		text := fmt.Sprintf("%b", i)
		if i%700 == 3 {
			text = "again"
		}
		turns = append(turns, datasets.Turn{ID: fmt.Sprint("t", i), Text: text})
	}
	built := try.Get(m.Build(t.Context(), datasets.Sample{Sessions: []datasets.Session{{Turns: turns}}}))(t)
	if unique := slices.Compact(slices.Sorted(slices.Values(e.seen))); len(unique) != len(e.seen) || len(unique) < 2*batchTexts {
		t.Errorf("%d texts are embedded, %d different ones", len(e.seen), len(unique))
	}
	hits, err := built.(*memory).index.search(t.Context(), "gain a", 3)
	if err != nil || len(hits) != 3 || hits[0].Index != 3 || hits[1].Index != 703 || hits[2].Index != 1403 {
		t.Errorf("%v, %v, want the texts 3, 703 and 1403", hits, err)
	}
}

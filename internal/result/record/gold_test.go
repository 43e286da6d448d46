package record_test

import (
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"recallbench/datasets"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
)

// The order of turns has no texts, and is left out of large datasets.
func TestWriteTurns(t *testing.T) {
	day := time.Date(2024, 3, 2, 0, 0, 0, 0, time.UTC)
	set := new(datasets.Set)
	set.Fill(datasets.Sample{ID: "talk", Sessions: []datasets.Session{
		{ID: "s2", Turns: []datasets.Turn{{ID: "b", Speaker: "Ann", Text: "Hello."}}},
		{ID: "s1", Time: day, Turns: []datasets.Turn{{ID: "a"}}},
	}})
	path := filepath.Join(t.TempDir(), "turns.jsonl")
	read := func() (all []record.Turn) {
		t.Helper()
		try.Do(t, record.WriteTurns(t.Context(), path, set, set.Entries))
		for turn := range try.Each(t, record.Values[record.Turn](path)) {
			all = append(all, turn)
		}
		return all
	}
	want := []record.Turn{{Sample: "talk", Turn: "b", Session: "s2", Speaker: "Ann"}, {Sample: "talk", Turn: "a", Session: "s1", Time: day}}
	if got := read(); !slices.Equal(got, want) {
		t.Errorf("turns %+v, want %+v", got, want)
	}
	long := make([]datasets.Turn, 100_000)
	for i := range long {
		long[i].ID = strconv.Itoa(i)
	}
	set.Fill(datasets.Sample{ID: "long", Sessions: []datasets.Session{{Turns: long}}})
	path = filepath.Join(t.TempDir(), "turns.jsonl")
	if got := read(); got != nil {
		t.Errorf("of a large dataset %d turns", len(got))
	}
}

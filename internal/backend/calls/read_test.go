package calls

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestOpenToRead replays from a folder in which nobody has recorded and checks
// that it stays as it was.
func TestOpenToRead(t *testing.T) {
	s := newSample(t, 3, 5)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "came.calls"), s.data, 0o444); err != nil {
		t.Fatal(err)
	}
	names := func() (names []string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	before := names()
	store, err := OpenToRead(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	g := NewRecorder(store, Replay).Generator(testModel, nil)
	for i, req := range s.requests {
		if got, err := g.Generate(t.Context(), req); err != nil || !got.Reused || !got.Recorded.Equal(s.replies[i].Recorded) {
			t.Errorf("replay of request %d: %+v, %v", i, got, err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if after := names(); !slices.Equal(before, after) {
		t.Errorf("the folder has %v after a replay, had %v", after, before)
	}
}

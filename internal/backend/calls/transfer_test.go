package calls

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/nli"
	"recallbench/internal/testkit/try"
)

// fill records n chat calls with a long prompt, an embedding and an entailment.
func fill(t *testing.T, s *Store, from, n int) {
	t.Helper()
	r := NewRecorder(s, Record)
	g := r.Generator(testModel, &model{})
	for i := range n {
		try.Get(g.Generate(t.Context(), ask(history(200)+fmt.Sprint("Question ", from+i))))(t)
	}
	try.Get(r.Embedder(testModel, 0, lengths{}).Embed(t.Context(), embed.Request{Kind: embed.Query, Texts: []string{strconv.Itoa(from)}}))(t)
	try.Get(r.Scorer(testModel, sums{}).Entail(t.Context(), []nli.Pair{{Premise: strconv.Itoa(from), Hypothesis: "h"}}))(t)
}

func export(t *testing.T, s *Store) []byte {
	t.Helper()
	all := try.Get(s.Recordings())(t)
	var b bytes.Buffer
	try.Do(t, Export(t.Context(), &b, all))
	return b.Bytes()
}

func put(tb testing.TB, path string, data []byte) string {
	tb.Helper()
	try.Do(tb, os.WriteFile(path, data, 0o644))
	return path
}

// entries are what can be read of a store, by id.
func entries(t *testing.T, s *Store) map[string]entry {
	t.Helper()
	all := try.Get(s.Recordings())(t)
	got := make(map[string]entry)
	for _, r := range all {
		e := try.Get(r.content())(t)
		got[r.Key.ID()] = e
	}
	return got
}

// TestExportImport moves recordings from one store to another, which then exports the same
// bytes.
func TestExportImport(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		s := openStore(t, dir)
		fill(t, s, 10*i, 11) // of which one is recorded again by the next
		s.Close()
	}
	one, two := openStore(t, dir), openStore(t, t.TempDir())
	data := export(t, one)
	file := put(t, filepath.Join(t.TempDir(), "paper.db"), data)
	in, err := two.Import(t.Context(), file)
	if err != nil || in.New != 37 || in.Newer != 0 || in.Known != 0 || !in.Whole() {
		t.Fatalf("imported %+v, error %v, want 37 new ones", in, err)
	}
	if diff := cmp.Diff(entries(t, one), entries(t, two)); diff != "" {
		t.Errorf("the imported recordings differ (-from +to):\n%s", diff)
	}
	if !bytes.Equal(data, export(t, two)) {
		t.Error("the same recordings were exported as other bytes")
	}
	if in, err = two.Import(t.Context(), file); err != nil || in.Known != 37 || in.New+in.Newer != 0 {
		t.Errorf("imported again: %+v, error %v", in, err)
	}
	fill(t, one, 0, 1)
	put(t, file, export(t, one))
	if in, err = two.Import(t.Context(), file); err != nil || in.Newer != 3 || in.Known != 34 {
		t.Errorf("imported with three recorded again: %+v, error %v", in, err)
	}
	if len(data) > 110<<10 {
		t.Errorf("33 prompts of 17 KB that share all but their end take %d bytes", len(data))
	}
}

// TestPrune deletes calls while another store writes, which remembers lines that are gone.
func TestPrune(t *testing.T) {
	dir := t.TempDir()
	s, other := openStore(t, dir), openStore(t, dir)
	fill(t, s, 0, 6)
	fill(t, other, 5, 3)
	want := entries(t, s)
	size := func() int64 { return try.Get(fileSize(filepath.Join(dir, fileName)))(t) }
	none := func(*Recording) bool { return false }
	if got, err := s.Prune(t.Context(), none, false); err != nil || got.Kept != 12 || got.Removed+got.Damaged != 0 {
		t.Errorf("%+v, error %v, want 12 kept", got, err)
	}
	if diff := cmp.Diff(want, entries(t, s)); diff != "" {
		t.Errorf("pruning changed recordings (-before +after):\n%s", diff)
	}
	chats := func(r *Recording) bool { return r.Kind == Chat }
	dry := try.Get(s.Prune(t.Context(), chats, true))(t)
	before := size()
	got, err := s.Prune(t.Context(), chats, false)
	if err != nil || got.Kept != 4 || got.Removed != 8 || dry.Kept != 4 || dry.Removed != 8 || got.After != size() || got.After >= before {
		t.Errorf("without chat: %+v, a dry run says %+v, error %v; %d bytes before", got, dry, err, before)
	}
	fill(t, other, 5, 3)
	if c, err := s.Verify(t.Context()); err != nil || len(c.Damages) > 0 || c.Recordings != 7 {
		t.Errorf("recorded after pruning: %+v, error %v", c, err)
	}
}

// TestFind finds recordings by the beginning of their keys.
func TestFind(t *testing.T) {
	s := openStore(t, t.TempDir())
	fill(t, s, 0, 20)
	all, err := s.Recordings()
	if err != nil || len(all) != 22 {
		t.Fatalf("%d recordings, error %v", len(all), err)
	}
	for i, r := range all {
		if i > 0 && r.Time.After(all[i-1].Time) {
			t.Error("the newest does not stand first")
		}
		key := r.Key.String()
		for _, prefix := range []string{key, r.Key.ID(), key[:40], key[:7] + "g"} {
			found, err := s.Find(prefix)
			if want := prefix != key[:7]+"g"; err != nil || (len(found) == 1) != want || want && found[0].Key != r.Key {
				t.Errorf("%s: found %d, error %v", prefix, len(found), err)
			}
		}
	}
	if found, err := s.Find(""); err != nil || len(found) != 22 {
		t.Errorf("the empty prefix finds %d, error %v", len(found), err)
	}
}

// TestOpenToRead replays from a folder in which nobody has recorded and checks
// that it stays as it was.
func TestOpenToRead(t *testing.T) {
	from := openStore(t, t.TempDir())
	fill(t, from, 0, 3)
	dir := t.TempDir()
	put(t, filepath.Join(dir, "came.db"), export(t, from))
	try.Do(t, os.Chmod(dir, 0o555))
	defer os.Chmod(dir, 0o755) //nolint:errcheck // for the cleanup
	store := try.Get(OpenToRead(dir, slog.New(slog.DiscardHandler)))(t)
	g := NewRecorder(store, Replay).Generator(testModel, nil)
	for i := range 3 {
		if got, err := g.Generate(t.Context(), ask(history(200)+fmt.Sprint("Question ", i))); err != nil || !got.Reused || got.Recorded.IsZero() {
			t.Errorf("replay of request %d: %+v, %v", i, got, err)
		}
	}
	try.Do(t, store.Close())
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("the folder has %v after a replay, error %v", left, err)
	}
}

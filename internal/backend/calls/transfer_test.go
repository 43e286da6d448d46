package calls

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/nli"
)

// fill records n chat calls with a long prompt, an embedding and an entailment.
func fill(t *testing.T, s *Store, from, n int) {
	t.Helper()
	r := NewRecorder(s, Record)
	g := r.Generator(testModel, &model{})
	for i := range n {
		if _, err := g.Generate(t.Context(), ask(history(200)+fmt.Sprint("Question ", from+i))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Embedder(testModel, embed.Info{}, lengths{}).Embed(t.Context(), embed.Request{Kind: embed.Query, Texts: []string{strconv.Itoa(from)}}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Scorer(testModel, sums{}).Entail(t.Context(), []nli.Pair{{Premise: strconv.Itoa(from), Hypothesis: "h"}}); err != nil {
		t.Fatal(err)
	}
}

func export(t *testing.T, s *Store) []byte {
	t.Helper()
	all, err := s.Recordings()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Export(t.Context(), &b, all); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A view is what can be read of a recording.
type view struct {
	Kind  Kind
	Time  time.Time
	Call  *Call
	Reply Reply
}

func views(t *testing.T, s *Store) map[string]view {
	t.Helper()
	all, err := s.Recordings()
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]view)
	for _, r := range all {
		c, err := r.Call()
		if err != nil {
			t.Fatal(err)
		}
		reply, err := r.Reply()
		if err != nil {
			t.Fatal(err)
		}
		outline, err := r.Outline()
		if err != nil || outline.Role != c.Role || len(outline.Texts) != len(c.Texts) {
			t.Errorf("outline %+v of %+v, error %v", outline, c, err)
		}
		got[r.Key().String()] = view{r.Kind(), r.Time(), c, reply}
	}
	return got
}

// kept compares what is kept of calls.
var kept = cmpopts.IgnoreUnexported(Call{})

// TestExportImport moves recordings from a store of several segments to
// another, which then exports the same bytes.
func TestExportImport(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		s := openStore(t, dir)
		fill(t, s, 10*i, 11) // of which one is recorded again by the next
		s.Close()
	}
	one, two := openStore(t, dir), openStore(t, t.TempDir())
	data := export(t, one)
	file := filepath.Join(t.TempDir(), "paper.calls")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	in, err := two.Import(t.Context(), file, false)
	if err != nil || in.New != 37 || in.Newer != 0 || in.Known != 0 || !in.Whole {
		t.Fatalf("imported %+v, error %v, want 37 new ones", in, err)
	}
	if diff := cmp.Diff(views(t, one), views(t, two), kept); diff != "" {
		t.Errorf("the imported recordings differ (-from +to):\n%s", diff)
	}
	if !bytes.Equal(data, export(t, two)) {
		t.Error("the same recordings were exported as other bytes")
	}
	if in, err = two.Import(t.Context(), file, false); err != nil || in.Known != 37 || in.New+in.Newer != 0 {
		t.Errorf("imported again: %+v, error %v", in, err)
	}
	fill(t, one, 0, 1)
	if err := os.WriteFile(file, export(t, one), 0o644); err != nil {
		t.Fatal(err)
	}
	if in, err = two.Import(t.Context(), file, false); err != nil || in.Newer != 3 || in.Known != 34 {
		t.Errorf("imported with three recorded again: %+v, error %v", in, err)
	}
	if len(data) > 40<<10 {
		t.Errorf("33 prompts of 17 KB that share all but their end take %d bytes", len(data))
	}
}

// TestImportDamaged cuts and changes an exported file at every 7th byte.
func TestImportDamaged(t *testing.T) {
	from := openStore(t, t.TempDir())
	fill(t, from, 0, 3)
	data := export(t, from)
	file := filepath.Join(t.TempDir(), "paper.calls")
	to := openStore(t, t.TempDir())
	for i := 0; i < len(data); i += 7 {
		flipped := bytes.Clone(data)
		flipped[i] ^= 4
		for _, damaged := range [][]byte{data[:i], flipped} {
			if err := os.WriteFile(file, damaged, 0o644); err != nil {
				t.Fatal(err)
			}
			in, err := to.Import(t.Context(), file, false)
			if err != nil || in.Whole {
				t.Fatalf("byte %d: imported %+v, error %v", i, in, err)
			}
			if all, err := to.Recordings(); err != nil || len(all) > 0 {
				t.Fatalf("byte %d: %d recordings of a damaged file were imported, error %v", i, len(all), err)
			}
		}
	}
	in, err := to.Import(t.Context(), file, true)
	if err != nil || in.New < 3 {
		t.Errorf("imported in part: %+v, error %v", in, err)
	}
	for k, v := range views(t, to) {
		if diff := cmp.Diff(views(t, from)[k], v, kept); diff != "" {
			t.Errorf("of a damaged file another recording was imported (-from +to):\n%s", diff)
		}
	}
	if _, err := to.Import(t.Context(), file+"x", false); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: error %v", err)
	}
}

func TestPrune(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		s := openStore(t, dir)
		fill(t, s, i, 4)
		s.Close()
	}
	none := func(*Recording) (bool, error) { return false, nil }
	log := slog.New(slog.DiscardHandler)
	if err := os.WriteFile(filepath.Join(dir, ".x.calls.1.unfinished"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, dir)
	want := views(t, s)
	if _, err := Prune(t.Context(), dir, log, none, false); !errors.Is(err, ErrInUse) {
		t.Errorf("a store in use: error %v", err)
	}
	s.Close()
	dry, err := Prune(t.Context(), dir, log, none, true)
	if err != nil || len(segments(t, dir)) != 3 {
		t.Fatalf("a dry run: %+v, error %v, %d files", dry, err, len(segments(t, dir)))
	}
	got, err := Prune(t.Context(), dir, log, none, false)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(dry, got); diff != "" {
		t.Errorf("what a dry run says differs (-dry +done):\n%s", diff)
	}
	if got.Kept != 12 || got.Superseded != 6 || got.After >= got.Before || len(segments(t, dir)) != 1 {
		t.Errorf("%+v with %d files, want 12 kept and 6 superseded", got, len(segments(t, dir)))
	}
	s = openStore(t, dir)
	if diff := cmp.Diff(want, views(t, s), kept); diff != "" {
		t.Errorf("pruning changed recordings (-before +after):\n%s", diff)
	}
	s.Close()
	got, err = Prune(t.Context(), dir, log, func(r *Recording) (bool, error) { return r.Kind() == Chat, nil }, false)
	if err != nil || got.Kept != 6 || got.Removed != 6 {
		t.Errorf("without chat: %+v, error %v", got, err)
	}
	got, err = Prune(t.Context(), dir, log, func(*Recording) (bool, error) { return true, nil }, false)
	if left, _ := os.ReadDir(dir); err != nil || got.After != 0 || len(left) != 1 {
		t.Errorf("without all: %+v, error %v, %d files left, want the lock alone", got, err, len(left))
	}
}

// TestManyFiles opens a store of more segments than are kept open.
func TestManyFiles(t *testing.T) {
	dir := t.TempDir()
	const n = 3 * maxOpen
	for i := range n {
		s := openStore(t, t.TempDir())
		fill(t, s, i, 1)
		if err := os.Rename(segments(t, s.dir)[0], filepath.Join(dir, strconv.Itoa(i)+extension)); err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
	s := openStore(t, dir)
	g := NewRecorder(s, Replay).Generator(testModel, nil)
	for i := range n {
		if _, err := g.Generate(t.Context(), ask(history(200)+fmt.Sprint("Question ", i*7%n))); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.files.open) > maxOpen {
		t.Errorf("%d files are open, want at most %d", len(s.files.open), maxOpen)
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
		if i > 0 && r.Time().After(all[i-1].Time()) {
			t.Error("the newest does not stand first")
		}
		key := r.Key().String()
		for _, prefix := range []string{key, r.Key().ID(), key[:40], key[:7] + "g"} {
			found, err := s.Find(prefix)
			if want := prefix != key[:7]+"g"; err != nil || (len(found) == 1) != want || want && found[0].Key() != r.Key() {
				t.Errorf("%s: found %d, error %v", prefix, len(found), err)
			}
		}
	}
	if found, err := s.Find(""); err != nil || len(found) != 22 {
		t.Errorf("the empty prefix finds %d, error %v", len(found), err)
	}
}

// TestCancelled stops long work.
func TestCancelled(t *testing.T) {
	s := openStore(t, t.TempDir())
	fill(t, s, 0, 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Verify(ctx); !errors.Is(err, ctx.Err()) {
		t.Errorf("verify: error %v", err)
	}
	all, err := s.Recordings()
	if err != nil {
		t.Fatal(err)
	}
	if err := Export(ctx, io.Discard, all); !errors.Is(err, ctx.Err()) {
		t.Errorf("export: error %v", err)
	}
}

// TestOpenWaits opens a store while it is being pruned.
func TestOpenWaits(t *testing.T) {
	dir := t.TempDir()
	lock := flock.New(filepath.Join(dir, ".lock"))
	if ok, err := lock.TryLock(); err != nil || !ok {
		t.Fatalf("locked %v, error %v", ok, err)
	}
	waiting, opened := make(chan struct{}), make(chan error)
	go func() {
		s, err := Open(dir, slog.New(signal{slog.DiscardHandler, waiting}))
		if err == nil {
			err = s.Close()
		}
		opened <- err
	}()
	<-waiting // it says so before it waits
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Error(err)
	}
}

// A signal closes a channel at the first message.
type signal struct {
	slog.Handler
	first chan struct{}
}

func (s signal) Enabled(context.Context, slog.Level) bool { return true }
func (s signal) Handle(context.Context, slog.Record) error {
	close(s.first)
	return nil
}

package calls

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/nli"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
)

// A sample is a file with recordings of all kinds.
type sample struct {
	data     []byte
	requests []llm.Request
	replies  []llm.Reply
}

func newSample(tb testing.TB, n, lines int) sample {
	tb.Helper()
	s := openStore(tb, tb.TempDir())
	r := NewRecorder(s, Record)
	var all sample
	g := r.Generator(testModel, &model{})
	for i := range n {
		req := ask(history(lines) + fmt.Sprint("Question ", i))
		reply, err := g.Generate(tb.Context(), req)
		try.Do(tb, err)
		all.requests, all.replies = append(all.requests, req), append(all.replies, reply)
	}
	_, err := r.Embedder(testModel, 0, lengths{}).Embed(tb.Context(), embed.Request{Kind: embed.Query, Texts: []string{"a", "bcd"}})
	try.Do(tb, err)
	if _, err = r.Scorer(testModel, sums{}).Entail(tb.Context(), []nli.Pair{{Premise: "p", Hypothesis: "h"}}); err != nil {
		tb.Fatal(err)
	}
	try.Do(tb, s.Close())
	if all.data, err = os.ReadFile(filepath.Join(s.dir, fileName)); err != nil {
		tb.Fatal(err)
	}
	return all
}

// damaged reads a store whose file has the given bytes in every way there is. It returns how
// many of the requests hit, and whether verify found damage. It fails the test where a reply
// is another than was recorded.
func (s *sample) damaged(tb testing.TB, name string, data []byte) (hits int, found bool) {
	tb.Helper()
	dir := tb.TempDir()
	try.Do(tb, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	store := try.Get(OpenToRead(dir, slog.New(slog.DiscardHandler)))(tb)
	defer store.Close()
	r := NewRecorder(store, Replay)
	r.explain.Do(func() {}) // what is near is another test's
	g := r.Generator(testModel, nil)
	for i, req := range s.requests {
		got, err := g.Generate(tb.Context(), req)
		if err != nil {
			continue
		}
		hits++
		got.Reused = false
		if diff := cmp.Diff(s.replies[i], got); diff != "" {
			tb.Fatalf("a damaged store gave another reply (-recorded +replayed):\n%s", diff)
		}
	}
	all, _ := store.Recordings()
	for _, r := range all {
		if e, err := r.content(); err == nil {
			if _, _, err := restore(e.Identity, e.Texts, r.Key); err != nil {
				tb.Fatalf("a damaged store gave another request for %s", r.Key.ID())
			}
		}
	}
	id := try.Get(newIdentity(testModel))(tb)
	store.nearest(chat(id, ask("who?")))
	store.dimension(id)
	c, err := store.Verify(tb.Context())
	return hits, err != nil || len(c.Damages) > 0
}

// TestDamaged flips bits, cuts the file off, and fills ranges with zeros, with noise and with
// what stands elsewhere. Whatever is lost is found by verify, and no reply is another than was
// recorded.
func TestDamaged(t *testing.T) {
	longtest.SkipRace(t)
	s := newSample(t, 40, 60)
	random := rand.New(rand.NewPCG(1, 1))
	lost := 0
	for i := range longtest.N(60, 2000) {
		data := bytes.Clone(s.data)
		at := random.IntN(len(data))
		n := 1 + random.IntN(min(400, len(data)-at))
		switch i % 5 {
		case 0:
			data[at] ^= 1 << random.IntN(8)
		case 1:
			clear(data[at : at+n])
		case 2:
			for j := at; j < at+n; j++ {
				data[j] = byte(random.Uint32())
			}
		case 3:
			copy(data[at:at+n], s.data[random.IntN(len(s.data)):])
		default:
			data = data[:at]
		}
		name := []string{fileName, "came.db"}[i%2]
		hits, found := s.damaged(t, name, data)
		if hits < len(s.requests) {
			lost++
		}
		if hits < len(s.requests) && !found {
			t.Errorf("damage %d at byte %d cost %d of %d recordings, and verify found nothing", i, at, len(s.requests)-hits, len(s.requests))
		}
	}
	if lost == 0 {
		t.Error("no damage cost a recording")
	}
}

// withWrongReply has another reply to the request 7.
func (s *sample) withWrongReply() []byte {
	return bytes.ReplaceAll(s.data, []byte("You asked: Question 7"), []byte("You asked: Question 8"))
}

// TestDamageSaid names the file and the recording, which reuse asks for again and prune
// deletes.
func TestDamageSaid(t *testing.T) {
	s := newSample(t, 40, 60)
	dir := t.TempDir()
	path := filepath.Join(dir, fileName)
	try.Do(t, os.WriteFile(path, s.withWrongReply(), 0o644))
	store := openStore(t, dir)
	c, err := store.Verify(t.Context())
	if err != nil || len(c.Damages) != 1 || c.Damages[0].File != fileName || c.Damages[0].ID != s.replies[7].Call || c.Recordings != 42 {
		t.Errorf("verify: %+v, error %v", c, err)
	}
	p, err := store.Prune(t.Context(), func(*Recording) bool { return false }, false)
	if err != nil || p.Kept != 42 || p.Damaged != 1 {
		t.Errorf("pruned %+v, error %v", p, err)
	}
	m := &model{}
	for range 2 {
		reply, err := NewRecorder(openStore(t, dir), Reuse).Generator(testModel, m).Generate(t.Context(), s.requests[7])
		if err != nil || reply.Text != s.replies[7].Text {
			t.Errorf("asked again: %+v, %v", reply, err)
		}
	}
	if m.asked != 1 {
		t.Errorf("%d calls for one recording that is damaged, want 1", m.asked)
	}
}

// TestImportDamaged adds nothing of a file that is not whole.
func TestImportDamaged(t *testing.T) {
	s := newSample(t, 40, 60)
	path := put(t, filepath.Join(t.TempDir(), "paper.db"), s.withWrongReply())
	to := openStore(t, t.TempDir())
	in, err := to.Import(t.Context(), path)
	if all, listErr := to.Recordings(); err != nil || listErr != nil || in.Whole() || len(all) > 0 {
		t.Errorf("imported %+v, error %v; %d recordings, error %v", in, err, len(all), listErr)
	}
	for _, data := range [][]byte{nil, []byte("noise"), s.data[:len(s.data)/2]} {
		put(t, path, data)
		if in, err := to.Import(t.Context(), path); err != nil || in.Whole() {
			t.Errorf("%d bytes: imported %+v, error %v", len(data), in, err)
		}
	}
	if _, err := to.Import(t.Context(), path+"x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: error %v", err)
	}
}

package calls

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/nli"
	"recallbench/internal/testkit/longtest"
)

// A sample is a store with recordings of all kinds, and where they end in its
// only segment.
type sample struct {
	data     []byte
	requests []llm.Request
	replies  []llm.Reply
	ends     []int64 // of the chat recordings
}

func newSample(tb testing.TB, n, lines int) sample {
	tb.Helper()
	dir := tb.TempDir()
	s := openStore(tb, dir)
	r := NewRecorder(s, Record)
	var all sample
	g := r.Generator(testModel, &model{})
	for i := range n {
		req := ask(history(lines) + fmt.Sprint("Question ", i))
		reply, err := g.Generate(tb.Context(), req)
		if err != nil {
			tb.Fatal(err)
		}
		all.requests, all.replies = append(all.requests, req), append(all.replies, reply)
		all.ends = append(all.ends, s.writer.encoder.offset)
		if i == 0 {
			_, err := r.Embedder(testModel, embed.Info{}, lengths{}).Embed(tb.Context(), embed.Request{Kind: embed.Query, Texts: []string{"a", "bcd"}})
			if err != nil {
				tb.Fatal(err)
			}
			_, err = r.Scorer(testModel, sums{}).Entail(tb.Context(), []nli.Pair{{Premise: "p", Hypothesis: "h"}})
			if err != nil {
				tb.Fatal(err)
			}
		}
	}
	paths := segments(tb, dir)
	if len(paths) != 1 {
		tb.Fatalf("%d segments, want 1", len(paths))
	}
	data, err := os.ReadFile(paths[0])
	if err != nil {
		tb.Fatal(err)
	}
	all.data = data
	return all
}

// replayed opens a store whose only segment is data and asks all requests
// again. It returns the indices of those that hit, and fails the test where
// a reply is another than was recorded.
func (s *sample) replayed(tb testing.TB, dir string, data []byte) (hits []int) {
	tb.Helper()
	if err := os.WriteFile(filepath.Join(dir, "s"+extension), data, 0o644); err != nil {
		tb.Fatal(err)
	}
	store, err := open(dir, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		tb.Fatal(err)
	}
	defer store.Close()
	r := NewRecorder(store, Replay)
	r.explain.Do(func() {}) // what is near is another test's
	g := r.Generator(testModel, nil)
	for i, req := range s.requests {
		got, err := g.Generate(tb.Context(), req)
		if err != nil {
			continue
		}
		hits = append(hits, i)
		got.Reused = false
		if diff := cmp.Diff(s.replies[i], got); diff != "" {
			tb.Fatalf("a damaged store gave another reply (-recorded +replayed):\n%s", diff)
		}
	}
	return hits
}

// TestCutAnywhere cuts a store off at every byte: what was whole is there.
func TestCutAnywhere(t *testing.T) {
	s := newSample(t, 3, 5)
	dir := t.TempDir()
	for cut := 0; cut <= len(s.data); cut += longtest.N(7, 1) {
		whole := 0
		for whole < len(s.ends) && s.ends[whole] <= int64(cut) {
			whole++
		}
		if got := s.replayed(t, dir, s.data[:cut]); len(got) != whole {
			t.Fatalf("cut at %d of %d bytes: recordings %v are there, want the first %d", cut, len(s.data), got, whole)
		}
	}
}

func TestCutLarge(t *testing.T) {
	s := newSample(t, 60, 900)
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 1))
	for range 40 {
		cut := random.IntN(len(s.data))
		whole, _ := slices.BinarySearchFunc(s.ends, int64(cut)+1, func(end, at int64) int { return int(end - at) })
		if got := s.replayed(t, dir, s.data[:cut]); len(got) != whole {
			t.Fatalf("cut at %d of %d bytes: recordings %v are there, want the first %d", cut, len(s.data), got, whole)
		}
	}
}

// TestFlippedBits flips a bit of each seventh byte, or of every one: no reply is another than what was
// recorded, at most one recording is lost, and verify finds the damage.
func TestFlippedBits(t *testing.T) {
	s := newSample(t, 3, 5)
	dir := t.TempDir()
	for i := 0; i < len(s.data); i += longtest.N(7, 1) {
		data := bytes.Clone(s.data)
		data[i] ^= 1 << (i % 8)
		if got := s.replayed(t, dir, data); len(got) < len(s.requests)-1 {
			t.Fatalf("a bit of byte %d cost more than a recording: %v are left", i, got)
		}
		if i%5 != 0 {
			continue
		}
		store, err := open(dir, slog.New(slog.DiscardHandler), nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := store.Verify(t.Context())
		if err != nil || len(c.Damages) == 0 && c.CutOff == 0 {
			t.Fatalf("a bit of byte %d was flipped, and verify found %+v, error %v", i, c, err)
		}
		store.Close()
	}
}

// TestOverwritten fills ranges with noise, with zeros and with pieces of other
// frames.
func TestOverwritten(t *testing.T) {
	s := newSample(t, 6, 5)
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(2, 2))
	for i := range longtest.N(60, 300) {
		data := bytes.Clone(s.data)
		from := random.IntN(len(data))
		n := 1 + random.IntN(min(400, len(data)-from))
		switch i % 3 {
		case 0:
			clear(data[from : from+n])
		case 1:
			for j := from; j < from+n; j++ {
				data[j] = byte(random.Uint32())
			}
		default:
			copy(data[from:from+n], s.data[random.IntN(len(s.data)):])
		}
		s.replayed(t, dir, data)
		readAll(t, dir)
	}
}

// readAll reads a store in every way there is. Errors are what is expected of
// noise; panics are not.
func readAll(t *testing.T, dir string) {
	t.Helper()
	store, err := open(dir, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	all, err := store.Recordings()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		_, _ = r.Call()
		_, _ = r.Reply()
	}
	if _, err := store.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	id, err := newIdentity(testModel)
	if err != nil {
		t.Fatal(err)
	}
	store.nearest(chat(id, ask("who?")))
	store.dimension(id)
}

// TestForged reads frames whose sums are right and whose content is noise, as
// somebody could make them.
func TestForged(t *testing.T) {
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(4, 4))
	var e encoder
	request := e.request([]string{`{"model":"m"}`, `{"form":1,"call":"chat","texts":[{"role":"user"}]}`, history(40)})
	reply := (&Reply{Chat: replyTo("who?"), Vector: []float32{1, 2}, Score: 0.5}).encode()
	for range 300 {
		var data []byte
		for n := range 3 {
			q, a := bytes.Clone(request), bytes.Clone(reply)
			for range random.IntN(4) {
				q[random.IntN(len(q))] = byte(random.Uint32())
				a[random.IntN(len(a))] = byte(random.Uint32())
			}
			h := header{
				kind: chatFrame + byte(n), key: Key{byte(n)}, reply: uint32(len(a)), replySum: checksum(a),
				request: uint32(len(q)), requestSum: checksum(q),
			}
			data = append(append(h.append(data), a...), q...)
		}
		if err := os.WriteFile(filepath.Join(dir, "s"+extension), data, 0o644); err != nil {
			t.Fatal(err)
		}
		readAll(t, dir)
	}
}

// FuzzScan scans any bytes: what it finds lies one behind the other, and with
// what is left at the end makes up all of them.
func FuzzScan(f *testing.F) {
	h := header{kind: chatFrame, reply: 3, request: 2}
	frame := append(h.append(nil), "aaabb"...)
	f.Add(slices.Concat(frame, frame))
	f.Add(slices.Concat(frame, []byte("noise"), frame[:80]))
	f.Add(slices.Concat([]byte(magic), frame, frame[1:], frame))
	f.Fuzz(func(t *testing.T, data []byte) {
		at := int64(0)
		end, err := scan(bytes.NewReader(data), 0, int64(len(data)), func(f found) error {
			if f.offset != at {
				t.Errorf("what is found at %d stands behind %d", f.offset, at)
			}
			if at += f.length; f.length == 0 {
				at += f.header.size()
			}
			return nil
		})
		if err != nil || at != end || end > int64(len(data)) {
			t.Errorf("the scan ends at %d with %d bytes found of %d, error %v", end, at, len(data), err)
		}
	})
}

// FuzzFrame decodes any bytes as a reply and as a request.
func FuzzFrame(f *testing.F) {
	var e encoder
	f.Add((&Reply{Chat: replyTo("who?"), Vector: []float32{1, 2}, Score: 0.5}).encode(), e.request([]string{`{"model":"m"}`, `{"form":1}`, history(9)}))
	f.Fuzz(func(t *testing.T, reply, request []byte) {
		if r, err := decodeReply(reply); err == nil {
			again, err := decodeReply(r.encode())
			if diff := cmp.Diff(r, again, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); err != nil || diff != "" {
				t.Errorf("a reply came back as another, error %v:\n%s", err, diff)
			}
		}
		p, err := unpack(request)
		if err != nil {
			return
		}
		if texts, err := new(Store).join(nil, 0, &p); err == nil {
			_, _, _ = restore(texts) // whatever it is
		}
	})
}

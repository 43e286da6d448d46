package calls

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/try"
)

// twoStores opens a folder twice, as two processes would. Where locks belong to
// processes, the two cannot tell each other apart.
func twoStores(t *testing.T) [2]*Store {
	t.Helper()
	if runtime.GOOS != "linux" && runtime.GOOS != "windows" {
		t.Skip("a process has one claim to a key here, however often it opens the store")
	}
	dir := t.TempDir()
	return [2]*Store{openStore(t, dir), openStore(t, dir)}
}

// TestClaims has one or two processes ask 40 times for 20 things at the same time; in the
// mode record each asks anew.
func TestClaims(t *testing.T) {
	for _, tt := range []struct {
		mode          Mode
		stores        int
		asked, reused int64
	}{{Reuse, 1, 20, 20}, {Record, 1, 20, 20}, {Reuse, 2, 20, 60}, {Record, 2, 40, 40}} {
		synctest.Test(t, func(t *testing.T) {
			var asked, reused atomic.Int64
			stores := twoStores(t)
			for _, s := range stores[:tt.stores] {
				g := NewRecorder(s, tt.mode).Generator(testModel, slow(&asked, func(int64) (llm.Reply, error) {
					return llm.Reply{Text: "x"}, nil
				}))
				for i := range 40 {
					go func() {
						reply, err := g.Generate(t.Context(), ask(strconv.Itoa(i%20)))
						if err != nil || reply.Text != "x" {
							t.Errorf("reply %+v, error %v", reply, err)
						}
						if reply.Reused {
							reused.Add(1)
						}
					}()
				}
				synctest.Wait()
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if asked.Load() != tt.asked || reused.Load() != tt.reused {
				t.Errorf("%+v: %d calls were made, and %d were reused", tt, asked.Load(), reused.Load())
			}
		})
	}
}

// TestClaimerFails has the first caller fail, give up or panic: the second one, of another
// process or of the same one, makes the call itself. Within a process a fault is shared.
func TestClaimerFails(t *testing.T) {
	for name, tt := range map[string]struct {
		end    func(cancel func()) (llm.Reply, error)
		shared bool
	}{
		"fails":             {func(func()) (llm.Reply, error) { return llm.Reply{}, fault.New(fault.Rejected, "no") }, true},
		"gives up":          {func(cancel func()) (llm.Reply, error) { cancel(); return llm.Reply{}, context.Canceled }, false},
		"panics":            {func(func()) (llm.Reply, error) { panic("a bug") }, false},
		"gets no good text": {func(func()) (llm.Reply, error) { return llm.Reply{}, nil }, true},
	} {
		for _, alone := range []bool{false, !tt.shared} {
			synctest.Test(t, func(t *testing.T) {
				stores := twoStores(t)
				ctx, cancel := context.WithCancel(t.Context())
				var asked atomic.Int64
				model := slow(&asked, func(n int64) (llm.Reply, error) {
					if n == 1 {
						return tt.end(cancel)
					}
					return llm.Reply{Text: "x"}, nil
				})
				g, other := NewRecorder(stores[0], Reuse).Generator(testModel, model), NewRecorder(stores[1], Reuse).Generator(testModel, model)
				if alone {
					other = g
				}
				go func() {
					defer func() { _ = recover() }()
					_, _ = g.Generate(ctx, ask("who?")) // as told
				}()
				synctest.Wait()
				if reply, err := other.Generate(t.Context(), ask("who?")); err != nil || reply.Text != "x" || reply.Reused || asked.Load() != 2 {
					t.Errorf("the first %s, alone %t: reply %+v after %d calls, error %v", name, alone, reply, asked.Load(), err)
				}
			})
		}
	}
}

// TestClaimedBatches has processes embed batches that share texts, in orders in
// which each has what the other one wants next.
func TestClaimedBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var texts atomic.Int64
		for p, s := range twoStores(t) {
			e := NewRecorder(s, Reuse).Embedder(testModel, 0, slowVectors{&texts})
			for i := range 20 {
				go func() {
					var r embed.Request
					for j := range 10 {
						r.Texts = append(r.Texts, strconv.Itoa((i*3+j*(1+i%3))%12))
					}
					if p == 1 {
						slices.Reverse(r.Texts)
					}
					reply, err := e.Embed(t.Context(), r)
					if err != nil {
						t.Error(err)
						return
					}
					for j, text := range r.Texts {
						if got := reply.Vectors[j][0]; got != float32(text[0]) {
							t.Errorf("the vector of %q begins with %v", text, got)
						}
					}
				}()
			}
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if texts.Load() != 12 {
			t.Errorf("%d texts were embedded, want 12", texts.Load())
		}
	})
}

// TestRemote lets one process record in a folder of a network file system, and
// names it to the second one.
func TestRemote(t *testing.T) {
	stores := twoStores(t)
	for _, s := range stores {
		s.remote = func(string) (string, error) { return "nfs", nil }
	}
	try.Do(t, stores[0].Share())
	g := NewRecorder(stores[0], Reuse).Generator(testModel, &model{})
	if _, err := g.Generate(t.Context(), ask("who?")); err != nil {
		t.Error(err)
	}
	err := stores[1].Share()
	if err == nil || !strings.Contains(err.Error(), "is on nfs, where only one process") {
		t.Errorf("the second process: error %v, want one that names the file system", err)
	}
	if _, err := NewRecorder(stores[1], Reuse).Generator(testModel, &model{}).Generate(t.Context(), ask("what?")); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a call of the second process: error %v", err)
	}
	if reply, err := NewRecorder(stores[1], Replay).Generator(testModel, nil).Generate(t.Context(), ask("who?")); err != nil || !reply.Reused {
		t.Errorf("a replay beside it: reply %+v, error %v", reply, err)
	}
	if err := stores[0].Close(); err != nil {
		t.Error(err)
	}
	third := openStore(t, stores[0].dir)
	third.remote = stores[0].remote
	if err := third.Share(); err != nil {
		t.Errorf("after the first has ended: %v", err)
	}
}

// A claim of a process that was killed expires; one of a process that is there lives on.
func TestClaimsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stores := twoStores(t)
		key := []Key{{1}}
		claim := func(s *Store) int {
			t.Helper()
			free := try.Get(s.claim(t.Context(), key))(t)
			return len(free)
		}
		if n := claim(stores[0]); n != 1 {
			t.Fatal("a free key cannot be claimed")
		}
		time.Sleep(10 * claimLife)
		if n := claim(stores[1]); n != 0 {
			t.Error("a claim ended that its process renews")
		}
		stores[0].forget(key) // as if the process was gone
		time.Sleep(claimLife - claimRenewal - time.Second)
		if n := claim(stores[1]); n != 0 {
			t.Error("a claim ended before its time")
		}
		time.Sleep(claimRenewal + 2*time.Second)
		if n := claim(stores[1]); n != 1 {
			t.Error("a claim is held by nobody and does not end")
		}
	})
}

// TestWriterFails ends what waits for its turn when a recording cannot be
// written: it would be paid for and lost.
func TestWriterFails(t *testing.T) {
	s := openStore(t, t.TempDir())
	waiting := make(chan struct{})
	g := NewRecorder(s, Record).Generator(testModel, llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
		if r.Messages[1].Content == "what?" {
			return llm.Reply{Text: "x"}, nil
		}
		close(waiting)
		<-ctx.Done() // as a limit of calls in flight does
		return llm.Reply{}, context.Cause(ctx)
	}))
	failed := make(chan error)
	go func() {
		<-waiting
		s.Close()
		_, err := g.Generate(t.Context(), ask("what?"))
		failed <- err
	}()
	_, err := g.Generate(t.Context(), ask("who?"))
	for _, err := range []error{err, <-failed} {
		if !errors.Is(err, fs.ErrClosed) || fault.KindOf(err) != fault.Unavailable {
			t.Errorf("error %v, want that of the writer", err)
		}
	}
}

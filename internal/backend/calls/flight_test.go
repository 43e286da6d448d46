package calls

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
)

// slow answers after a second, the nth call as do says.
func slow(asked *atomic.Int64, do func(n int64) (llm.Reply, error)) llm.Generator {
	return llm.GeneratorFunc(func(ctx context.Context, _ llm.Request) (llm.Reply, error) {
		n := asked.Add(1)
		select {
		case <-time.After(time.Second):
			return do(n)
		case <-ctx.Done():
			return llm.Reply{}, ctx.Err()
		}
	})
}

// TestFirstGivesUp cancels the caller whose call others wait for.
func TestFirstGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		g := NewRecorder(openStore(t, t.TempDir()), Reuse).Generator(testModel, slow(&asked, func(int64) (llm.Reply, error) {
			return llm.Reply{Text: "x"}, nil
		}))
		first, cancel := context.WithCancel(t.Context())
		go func() {
			if _, err := g.Generate(first, ask("who?")); !errors.Is(err, context.Canceled) {
				t.Errorf("the first: error %v", err)
			}
		}()
		synctest.Wait()
		for range 5 {
			go func() {
				if reply, err := g.Generate(t.Context(), ask("who?")); err != nil || reply.Text != "x" {
					t.Errorf("another: reply %+v, error %v", reply, err)
				}
			}()
		}
		brief, end := context.WithTimeout(t.Context(), time.Millisecond)
		defer end()
		go func() {
			if _, err := g.Generate(brief, ask("who?")); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("one that waits briefly: error %v", err)
			}
		}()
		time.Sleep(500 * time.Millisecond)
		cancel()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if asked.Load() != 2 {
			t.Errorf("%d calls, want 2", asked.Load())
		}
	})
}

// TestFirstFails shares a fault of the call, but not that a request's own limit
// is reached.
func TestFirstFails(t *testing.T) {
	for kind, calls := range map[fault.Kind]int64{fault.Rejected: 1, fault.Limit: 3} {
		synctest.Test(t, func(t *testing.T) {
			var asked atomic.Int64
			g := NewRecorder(openStore(t, t.TempDir()), Reuse).Generator(testModel, slow(&asked, func(int64) (llm.Reply, error) {
				return llm.Reply{}, fault.New(kind, "no")
			}))
			for range 3 {
				go func() {
					if _, err := g.Generate(t.Context(), ask("who?")); fault.KindOf(err) != kind {
						t.Errorf("error %v, want %s", err, kind)
					}
				}()
			}
			time.Sleep(5 * time.Second)
			synctest.Wait()
			if asked.Load() != calls {
				t.Errorf("%s: %d calls, want %d", kind, asked.Load(), calls)
			}
		})
	}
}

type slowVectors struct{ texts *atomic.Int64 }

func (s slowVectors) Embed(_ context.Context, r embed.Request) (embed.Reply, error) {
	s.texts.Add(int64(len(r.Texts)))
	time.Sleep(time.Second)
	var reply embed.Reply
	for _, t := range r.Texts {
		reply.Vectors = append(reply.Vectors, []float32{float32(t[0])})
	}
	return reply, nil
}
func (slowVectors) Dim() int { return 0 }

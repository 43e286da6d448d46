package limit

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"recallbench/internal/backend/interrupt"
	"recallbench/internal/door/fault"
)

// An interrupt lets attempts in flight end, starts none that wait or failed, and
// cuts off what takes too long.
func TestInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := account(t, func(s *Settings) { s.Max = 3 })
		ctx, period := interrupt.With(t.Context())
		var mu sync.Mutex
		ends := make(map[string]error)
		done := make(chan struct{})
		sent := 0
		for _, tt := range []struct {
			name string
			took time.Duration
			err  error
		}{
			{"in time", 5 * time.Second, nil},
			{"fails", 5 * time.Second, fault.New(fault.Server, "")},
			{"too late", time.Minute, nil},
			{"in the queue", 0, nil},
		} {
			go func() {
				_, err := a.Do(ctx, 0, func(ctx context.Context) (int, error) {
					sent++
					select {
					case <-time.After(tt.took):
						return 0, tt.err
					case <-ctx.Done():
						return 0, context.Cause(ctx)
					}
				})
				mu.Lock()
				ends[tt.name] = err
				mu.Unlock()
				done <- struct{}{}
			}()
			synctest.Wait()
		}
		if n := period.Interrupt(); n != 3 {
			t.Errorf("%d calls in flight, want 3", n)
		}
		for range 3 {
			<-done
		}
		if n := period.Cut(); n != 1 {
			t.Errorf("%d calls cut off, want 1", n)
		}
		<-done
		for name, err := range ends {
			if ok := err == nil; ok != (name == "in time") || !ok && !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error %v", name, err)
			}
		}
		if sent != 3 {
			t.Errorf("%d attempts, want 3", sent)
		}
	})
}

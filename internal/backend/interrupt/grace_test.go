package interrupt

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A call in flight outlives the interrupt and ends with the cut; a new one does
// not begin.
func TestInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, p := With(t.Context())
		inner, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		call, ended := Call(inner)
		quick, quickEnded := Call(ctx)
		if n := p.Interrupt(); n != 2 || !p.Interrupted() {
			t.Errorf("%d calls in flight, want 2", n)
		}
		synctest.Wait()
		if ctx.Err() == nil || call.Err() != nil || quick.Err() != nil {
			t.Errorf("interrupted: command %v, calls %v and %v", ctx.Err(), call.Err(), quick.Err())
		}
		quickEnded()
		late, lateEnded := Call(ctx)
		if !errors.Is(late.Err(), context.Canceled) {
			t.Errorf("a call that begins later has the error %v", late.Err())
		}
		lateEnded()
		if n := p.Cut(); n != 1 {
			t.Errorf("%d calls are cut off, want 1", n)
		}
		synctest.Wait()
		if cause := context.Cause(call); cause == nil || cause.Error() != "interrupted" || !errors.Is(cause, context.Canceled) {
			t.Errorf("cut off with %v", cause)
		}
		ended()
		if n := p.Cut(); n != 0 {
			t.Errorf("%d calls left, want none", n)
		}
	})
}

// Anything else that ends a command ends its calls at once.
func TestOtherEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		ctx, _ := With(t.Context())
		failed, fail := context.WithCancelCause(ctx)
		brief, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		a, endA := Call(failed)
		b, endB := Call(brief)
		defer endA()
		defer endB()
		fail(broken)
		synctest.Wait()
		if !errors.Is(context.Cause(a), broken) || b.Err() != nil {
			t.Errorf("after a failure: %v and %v", context.Cause(a), b.Err())
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !errors.Is(context.Cause(b), context.DeadlineExceeded) {
			t.Errorf("after its time: %v", context.Cause(b))
		}
	})
}

// Package interrupt interrupts a command in two steps. At first nothing new begins,
// and calls in flight continue, because their replies are paid for. Then they are
// cut off.
package interrupt

import (
	"context"
	"errors"
	"sync"
)

// interruptedError is the cause of what was interrupted. It counts as
// [context.Canceled].
type interruptedError struct{}

func (interruptedError) Error() string        { return "interrupted" }
func (interruptedError) Is(target error) bool { return target == context.Canceled }

// A Period is the time between the two steps. It is safe for concurrent use.
type Period struct {
	interrupt context.CancelCauseFunc
	cut       chan struct{}

	mu          sync.Mutex
	interrupted bool
	over        bool
	calls       int // in flight
}

type contextKey struct{}

// With returns the context of a command, which [Period.Interrupt] ends.
func With(parent context.Context) (context.Context, *Period) {
	ctx, cancel := context.WithCancelCause(parent)
	p := &Period{interrupt: cancel, cut: make(chan struct{})}
	return context.WithValue(ctx, contextKey{}, p), p
}

// Interrupt ends the command's context, but not those of calls in flight, and
// returns their number.
func (p *Period) Interrupt() (calls int) {
	p.mu.Lock()
	p.interrupted = true
	calls = p.calls
	p.mu.Unlock()
	p.interrupt(interruptedError{})
	return calls
}

// Interrupted reports whether the command was interrupted.
func (p *Period) Interrupted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.interrupted
}

// Cut ends the contexts of calls that are still in flight, and returns their
// number.
func (p *Period) Cut() (calls int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over {
		p.over = true
		close(p.cut)
	}
	return p.calls
}

// enter counts a call, unless none may begin.
func (p *Period) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.interrupted {
		p.calls++
	}
	return !p.interrupted
}

func (p *Period) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls--
}

// Call returns the context of a call that begins now. It ends as ctx does,
// except that if the command of ctx is interrupted it only ends with
// [Period.Cut]. The returned function reports that the call has ended; it must
// be called once.
func Call(ctx context.Context) (call context.Context, ended func()) {
	p, _ := ctx.Value(contextKey{}).(*Period)
	if p == nil || !p.enter() {
		return ctx, func() {}
	}
	call, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		cause := context.Cause(ctx)
		if errors.Is(cause, interruptedError{}) {
			select {
			case <-p.cut:
			case <-call.Done():
			}
		}
		cancel(cause)
	})
	return call, func() {
		stop()
		cancel(nil)
		p.leave()
	}
}

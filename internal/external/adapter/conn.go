package adapter

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"recallbench/internal/door/fault"
	"recallbench/internal/text/termsafe"
)

// A Conn is a connection to an adapter. It is safe for concurrent use.
type Conn interface {
	// Call sends a request and decodes the result. A result with a Check method
	// is checked. The error is a *[Error] if the adapter says what went wrong,
	// else a *[fault.Error], or that of ctx.
	Call(ctx context.Context, method string, params, result any) error
	// Ended says why the connection can no longer be used; nil while it can.
	Ended() error
	// Close ends the adapter in an orderly way, and finally by force.
	Close() error
}

// An Error is an adapter's report of a failed request, as it stands on the wire.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Details `json:"data"`
}

// Details are what a report may say in addition.
type Details struct {
	Kind  string  `json:"kind"`        // "rate_limit", "not_ready", ...; empty for none
	Wait  float64 `json:"retry_after"` // seconds, see [Details.RetryAfter]
	Trace string  `json:"trace"`
	// Applied is false if the adapter says that the request changed nothing.
	Applied *bool `json:"applied"`
}

// RetryAfter is how long the adapter asks to wait, at most an hour.
func (d Details) RetryAfter() time.Duration {
	return time.Duration(min(max(d.Wait, 0), 3600) * float64(time.Second))
}

// The kinds that adapters name, as far as the harness treats them apart.
const (
	KindRateLimit     = "rate_limit"
	KindUnavailable   = "unavailable"
	KindTimeout       = "timeout"
	KindNotReady      = "not_ready"
	KindModel         = "model"
	KindUnknownMemory = "unknown_memory"
)

// maxMessage bounds what of an adapter's message and trace is kept, in bytes.
const maxMessage = 2000

// Error implements error.
func (e *Error) Error() string {
	kind := cmp.Or(e.Kind, fmt.Sprintf("error %d", e.Code))
	text := kind + ": " + e.Message
	if lines := strings.Split(strings.TrimSpace(e.Trace), "\n"); lines[len(lines)-1] != "" && !strings.Contains(e.Message, lines[len(lines)-1]) {
		text += " (" + strings.TrimSpace(lines[len(lines)-1]) + ")"
	}
	return text
}

// Unwrap returns the fault behind the error; nil if it is the method's own.
func (e *Error) Unwrap() error {
	kind, ok := map[string]fault.Kind{
		KindRateLimit: fault.RateLimit, KindUnavailable: fault.Server, KindTimeout: fault.Timeout, KindNotReady: fault.NotReady,
		"refused": fault.Refused, "schema": fault.Schema, "unsupported": fault.Rejected, "bad_request": fault.Rejected,
	}[e.Kind]
	if !ok {
		return nil
	}
	return &fault.Error{Kind: kind, Message: e.Message, RetryAfter: e.RetryAfter()}
}

// Again reports whether the request may be sent again, given whether it only
// reads: a request that adds is sent again only if nothing of it was applied.
func (e *Error) Again(reads bool) bool {
	switch e.Kind {
	case KindRateLimit, KindUnavailable, KindTimeout:
		return reads || e.Applied != nil && !*e.Applied
	default:
		return false
	}
}

// clip keeps the end of a long text, where traces say what happened.
func clip(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) > maxMessage {
		s = "..." + strings.ToValidUTF8(s[len(s)-maxMessage:], "")
	}
	return s
}

// settle turns a reply into a result, which is checked, or an error.
func settle(method string, m message, result any) error {
	if m.Error != nil {
		m.Error.Message, m.Error.Trace = clip(m.Error.Message), clip(m.Error.Trace)
		return fmt.Errorf("%s: %w", method, m.Error)
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		return fault.New(fault.AdapterProtocol, "the result of %s is not of its type: %v; it begins: %s", method, err, beginning(m.Result))
	}
	if c, ok := result.(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			return fault.New(fault.AdapterProtocol, "%s: %v", method, err)
		}
	}
	return nil
}

// beginning returns the first characters of data for a message, on one line.
func beginning(data []byte) string {
	const most = 120
	return termsafe.Excerpt(string(data[:min(len(data), 4*most)]), most)
}

// A late is the end of a call whose time, which it is, was up.
type late time.Duration

func (late) Error() string { return "the time is up" }

// Within returns the context of a call that may take some time, not counting the time
// in which the adapter waits for models: waiting, which may be nil, reports whether it
// does. The caller calls stop.
func Within(ctx context.Context, limit time.Duration, waiting func() bool) (_ context.Context, stop context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	step := min(max(limit/20, time.Millisecond), time.Second)
	go func() {
		tick := time.NewTicker(step)
		defer tick.Stop()
		for left := limit; left > 0; {
			select {
			case <-tick.C:
				if waiting == nil || !waiting() {
					left -= step
				}
			case <-ctx.Done():
				return
			}
		}
		cancel(late(limit))
	}()
	return ctx, func() { cancel(nil) }
}

// ended returns why the context of a call to a method ended: a fault where its time was
// up, else the error of ctx.
func ended(ctx context.Context, method string) error {
	if limit, ok := errors.AsType[late](context.Cause(ctx)); ok {
		return fault.New(fault.AdapterTimeout, "no reply to %s in %s", method, time.Duration(limit))
	}
	return ctx.Err()
}

// Foreign returns how many lines on the reply output were not messages.
func Foreign(c Conn) int {
	p, ok := c.(*peer)
	if !ok {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.foreign
}

// HangUp closes the input of a process, as if the harness had ended, and reports
// whether it exits. Anything other than a process counts as gone.
func HangUp(c Conn) bool {
	p, ok := c.(interface{ hangUp() bool })
	return !ok || p.hangUp()
}

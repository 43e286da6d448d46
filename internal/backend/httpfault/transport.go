package httpfault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"recallbench/internal/door/fault"
	"recallbench/internal/text/redact"
)

// maxIdle is the number of idle connections that are kept to a server, so that
// as many calls in flight find one open.
const maxIdle = 256

// httpClient returns a client that follows no redirects: another server would
// get the prompt, and headers with keys that the standard library does not
// recognize. It is a copy of the given client; for nil, one with limits on
// connections and reply headers.
func httpClient(given *http.Client) *http.Client {
	var c http.Client
	if given != nil {
		c = *given
	} else if t, ok := http.DefaultTransport.(*http.Transport); ok {
		t = t.Clone()
		t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, maxIdle
		t.MaxResponseHeaderBytes = maxHeader
		c.Transport = t
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// FromTransport returns the fault behind an error of sending a request or of
// reading its reply: the cancellation of ctx unchanged, so that errors.Is finds
// context.Canceled and its cause, a deadline or another timeout as
// fault.Timeout, anything else as fault.Connection. A *fault.Error stays
// unchanged. The redactor may be nil.
func FromTransport(ctx context.Context, err error, r *redact.Redactor) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e
	}
	if canceled := ctx.Err(); errors.Is(canceled, context.Canceled) {
		cause := context.Cause(ctx)
		switch {
		case errors.Is(cause, context.DeadlineExceeded):
			return fault.New(fault.Timeout, "no complete reply in time")
		case errors.Is(cause, canceled):
			return cause
		default:
			return fmt.Errorf("%w: %w", canceled, cause)
		}
	}
	if strings.Contains(err.Error(), "response headers exceeded") {
		return fault.New(fault.TooLong, "the header of the reply is longer than %d bytes", maxHeader)
	}
	// The outer error repeats the address, which may hold a key.
	if ue, ok := errors.AsType[*url.Error](err); ok {
		err = ue.Err
	}
	e := &fault.Error{Kind: fault.Connection, Message: r.Line(err.Error())}
	if r.Text(err.Error()) == err.Error() {
		e.Err = err
	}
	var timeout net.Error
	switch {
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded):
		e.Kind, e.Message = fault.Timeout, "no complete reply in time"
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Kind = fault.Timeout
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.Message = "the connection ended before the reply was complete"
	}
	return e
}

// RetryAfter returns how long a server asks to wait: retry-after-ms in
// milliseconds, else Retry-After in seconds or as a date. A date is read
// against the Date of the same reply, so that clock differences do no harm, and
// against our clock if there is none. It is 0 if the server says nothing,
// nothing readable, or a time in the past.
func RetryAfter(header http.Header) time.Duration {
	if wait, ok := number(header.Get("Retry-After-Ms"), time.Millisecond); ok {
		return wait
	}
	text := strings.TrimSpace(header.Get("Retry-After"))
	if wait, ok := number(text, time.Second); ok {
		return wait
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return max(0, until.Sub(now))
}

// number reads a non-negative number of units. If a duration cannot represent
// it, the result is the largest duration.
func number(text string, unit time.Duration) (time.Duration, bool) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(x) || x < 0 {
		return 0, false
	}
	if x >= float64(math.MaxInt64)/float64(unit) {
		return math.MaxInt64, true
	}
	return time.Duration(x * float64(unit)), true
}

// Package fault describes how a model call failed, in the same terms for every
// door, so that limits, recordings and records agree on its meaning.
package fault

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Kind says what went wrong. Records have it as the kind of an error.
type Kind string

// The kinds of faults of one call. The first group is temporary, so the call is
// retried.
const (
	RateLimit  Kind = "rate-limit" // 429
	Server     Kind = "server"     // 5xx, 408, 409
	Timeout    Kind = "timeout"    // no complete reply in time
	Connection Kind = "connection" // refused, reset or cut off
	BadReply   Kind = "bad-reply"  // not JSON, or without required parts

	Rejected Kind = "rejected" // any other 4xx: the request is invalid
	Refused  Kind = "refused"  // a content filter or the model declined
	Empty    Kind = "empty"    // a reply without text
	TooLong  Kind = "too-long" // a reply of more bytes than the request allows
	Schema   Kind = "schema"   // text that does not fit the requested schema
	Limit    Kind = "limit"    // a limit of the request was reached
)

// The kinds of faults of memories that run outside of the program.
const (
	AdapterCrash    Kind = "adapter-crash"    // its process ended, or its connection was lost
	AdapterTimeout  Kind = "adapter-timeout"  // it did not answer, or did not read
	AdapterProtocol Kind = "adapter-protocol" // its messages violate the protocol
	NotReady        Kind = "not-ready"        // what was added cannot be found
	NotIsolated     Kind = "not-isolated"     // one memory finds the content of another
)

// The kinds of faults that every further call would have too: the run stops and
// can be resumed.
const (
	Auth        Kind = "auth"        // 401, 403: no key, or not the right one
	NoModel     Kind = "no-model"    // 404: no such model or address
	NoLogprobs  Kind = "no-logprobs" // no log-probabilities although requested: the model or its server has none
	Quota       Kind = "quota"       // the account has nothing left to spend
	Unavailable Kind = "unavailable" // many calls in a row failed without a success
	Budget      Kind = "budget"      // the run's own budget is spent
	Miss        Kind = "replay-miss" // a replay without a recording
)

// An Error is a failed call.
type Error struct {
	Kind   Kind
	Status int // of HTTP; 0 if there was no reply
	// Code is the server's own code, such as context_length_exceeded; empty if it
	// has none.
	Code string
	// Message says what happened, in one line and without any key.
	Message string
	// Remedy says how to fix it, in the same way; empty if unknown, or if Message says
	// it.
	Remedy string
	// RetryAfter is how long the server asks to wait; 0 if it does not say.
	RetryAfter time.Duration
	Attempts   int   // how often the call was tried; 0 counts as 1
	Err        error // the cause; nil if the message says everything
}

// New returns an error of a kind.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// Error implements error.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Kind))
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.Message != "" {
		b.WriteString(": ")
		b.WriteString(e.Message)
	}
	if e.Remedy != "" {
		b.WriteString("; ")
		b.WriteString(e.Remedy)
	}
	if e.Attempts > 1 {
		fmt.Fprintf(&b, "; tried %d times", e.Attempts)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Passes reports whether the fault is temporary, so that a retry makes sense.
func (k Kind) Passes() bool {
	switch k {
	case RateLimit, Server, Timeout, Connection, BadReply:
		return true
	default:
		return false
	}
}

// Garbled reports whether the server replied with something that is not a reply
// to the request: the server is broken, or the wrong one.
func (k Kind) Garbled() bool { return k == BadReply || k == TooLong }

// Stops reports whether every further call would have the fault too, so that
// the run has to stop.
func (k Kind) Stops() bool {
	switch k {
	case Auth, NoModel, NoLogprobs, Quota, Unavailable, Budget, Miss:
		return true
	default:
		return false
	}
}

// KindOf returns the kind of the first *Error in err's chain; empty if there is
// none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}

// A List collects what is wrong with something that a person wrote.
type List []error

// Want adds a fault unless ok.
func (l *List) Want(ok bool, format string, args ...any) {
	if !ok {
		*l = append(*l, fmt.Errorf(format, args...))
	}
}

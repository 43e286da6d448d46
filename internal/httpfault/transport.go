package httpfault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"

	"recallbench/internal/fault"
)

// FromTransport returns what an error of sending a request or of reading its
// reply stands for: the cancellation of ctx as it is, so that errors.Is finds
// context.Canceled and its cause, a deadline or another timeout as
// fault.Timeout, anything else as fault.Connection. An error that is a
// *fault.Error already stays one. The redactor may be nil.
func FromTransport(ctx context.Context, err error, r *Redactor) error {
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
			return fault.New(fault.Timeout, "no whole reply in time")
		case errors.Is(cause, canceled):
			return cause
		default:
			return fmt.Errorf("%w: %w", canceled, cause)
		}
	}
	// The outer error repeats the address, which may hold a key.
	if ue, ok := errors.AsType[*url.Error](err); ok {
		err = ue.Err
	}
	e := &fault.Error{Kind: fault.Connection, Message: r.Line(err.Error())}
	if r.Redact(err.Error()) == err.Error() {
		e.Err = err
	}
	var timeout net.Error
	switch {
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded):
		e.Kind, e.Message = fault.Timeout, "no whole reply in time"
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Kind = fault.Timeout
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.Message = "the connection ended before the reply was whole"
	}
	return e
}

package gateway

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"recallbench/internal/door/fault"
	"recallbench/internal/text/redact"
)

// A problem is a call that failed, as its caller is told.
type problem struct {
	status  int
	code    string
	message string
}

// errNoModel is the cause of a chat call that nothing can answer.
var errNoModel = errors.New("no chat model stands behind the entry")

// problemOf returns what a caller is told of an error of the doors. Whatever it is,
// the doors have tried what makes sense, so the caller should not try again.
func problemOf(err error) problem {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		e = &fault.Error{Kind: fault.Server, Message: err.Error()} // the door could not be opened, say
	}
	p, known := problems[e.Kind]
	if !known {
		p = problem{status: http.StatusBadGateway, code: "upstream_error"}
	}
	p.message = redact.Guess(e.Error())
	switch {
	case !ok && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)):
		p = problem{http.StatusServiceUnavailable, "recallbench_stopped", "what the call was for has ended"}
	case errors.Is(err, errNoModel):
		p.status, p.code = http.StatusNotImplemented, "recallbench_no_model"
	case e.Kind.Stops():
		p.status, p.code = http.StatusServiceUnavailable, "recallbench_stopped"
		if e.Kind == fault.Miss {
			p.message = "replay-miss: the run has no recording of this call" // the run says which is nearest: its text is not the caller's
		}
	case e.Kind == fault.Rejected:
		p.code, p.message = cmp.Or(e.Code, p.code), redact.Guess(e.Message)
		if 400 <= e.Status && e.Status < 500 {
			p.status = e.Status
		}
	}
	return p
}

// problems are what callers are told of faults that do not stop a run.
var problems = map[fault.Kind]problem{
	fault.RateLimit: {status: http.StatusTooManyRequests, code: "rate_limit_exceeded"},
	fault.Limit:     {status: http.StatusTooManyRequests, code: "recallbench_limit"},
	fault.Timeout:   {status: http.StatusGatewayTimeout, code: "upstream_timeout"},
	fault.Refused:   {status: http.StatusBadRequest, code: "content_filter"},
	fault.Rejected:  {status: http.StatusBadRequest, code: "invalid_request"},
}

// body returns the JSON of a problem.
func (p problem) body() any {
	kind := "invalid_request_error"
	if p.status >= 500 {
		kind = "server_error"
	}
	return object{"error": object{"message": p.message, "type": kind, "param": nil, "code": p.code}}
}

// send writes a problem as a reply.
func (p problem) send(w http.ResponseWriter) {
	w.Header().Set("X-Should-Retry", "false")
	send(w, p.status, p.body())
}

// send writes JSON as a reply.
func send(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encode(v)) // the caller may be gone
}

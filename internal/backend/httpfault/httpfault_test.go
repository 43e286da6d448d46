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
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/fault"
	"recallbench/internal/text/redact"
)

func TestFromResponse(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
		want   string
	}{
		{400, `{"error": {"message": "no such field", "type": "invalid_request_error"}}`, "rejected (HTTP 400): no such field"},
		{401, `{"error": {"message": "wrong key"}}`, "auth (HTTP 401): wrong key"},
		{402, `{"error": {"message": "Insufficient Balance"}}`, "quota (HTTP 402): Insufficient Balance"},
		{403, `[{"error": {"code": 403, "message": "not yours"}}]`, "auth (HTTP 403): not yours"},
		{404, `{"detail": "Not Found"}`, "no-model (HTTP 404): Not Found"},
		{408, "", "server (HTTP 408): request timeout"},
		{409, "{}", "server (HTTP 409): {}"},
		{413, `{"error": "batch size 40 > 32", "error_type": "Validation"}`, "rejected (HTTP 413): batch size 40 > 32"},
		{422, `{"message": "too long"}`, "rejected (HTTP 422): too long"},
		{429, `{"error": {"message": "slow down", "code": "rate_limit_exceeded"}}`, "rate-limit (HTTP 429): slow down"},
		{500, "<html>\n<h1>Bad  \x00 day</h1>", "server (HTTP 500): <html> <h1>Bad day</h1>"},
		{503, "\xff\xfe", "server (HTTP 503): \ufffd"},
		{529, `"overloaded"`, `server (HTTP 529): "overloaded"`},
		{302, "", "rejected (HTTP 302): found"},
	} {
		if got := FromResponse(tt.status, nil, []byte(tt.body), nil).Error(); got != tt.want {
			t.Errorf("%d %q: got %q, want %q", tt.status, tt.body, got, tt.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the clock stands at midnight, 1 January 2000
		for _, tt := range []struct {
			retry, millis, date string
			want                time.Duration
		}{
			{want: 0},
			{retry: "7", want: 7 * time.Second},
			{retry: " 0.25 ", want: 250 * time.Millisecond},
			{retry: "7", millis: "1500", want: 1500 * time.Millisecond},
			{retry: "7", millis: "soon", want: 7 * time.Second},
			{retry: "-7", want: 0},
			{retry: "NaN", want: 0},
			{retry: "1e300", want: math.MaxInt64},
			{retry: "Sat, 01 Jan 2000 00:00:30 GMT", want: 30 * time.Second},
			{retry: "Fri, 31 Dec 1999 00:00:30 GMT", want: 0},
			{retry: "Mon, 01 Jan 2040 00:00:09 GMT", date: "Mon, 01 Jan 2040 00:00:05 GMT", want: 4 * time.Second},
			{retry: "Mon, 01 Jan 1990 00:00:09 GMT", date: "Mon, 01 Jan 1990 00:00:05 GMT", want: 4 * time.Second},
			{retry: "tomorrow", want: 0},
		} {
			header := make(http.Header)
			for name, value := range map[string]string{"retry-after": tt.retry, "retry-after-ms": tt.millis, "date": tt.date} {
				if value != "" {
					header.Set(name, value)
				}
			}
			if got := RetryAfter(header); got != tt.want {
				t.Errorf("%v: got %v, want %v", header, got, tt.want)
			}
		}
	})
}

func TestFromTransport(t *testing.T) {
	r := redact.New("secret-key")
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	for _, tt := range []struct {
		err  error
		want fault.Error
	}{
		{
			&url.Error{Op: "Post", URL: "http://host/secret-key", Err: refused},
			fault.Error{Kind: fault.Connection, Message: "dial tcp: connection refused", Err: refused},
		},
		{
			errors.New("proxy\nsays secret-key"),
			fault.Error{Kind: fault.Connection, Message: "proxy says [key]"},
		},
		{
			io.ErrUnexpectedEOF,
			fault.Error{Kind: fault.Connection, Message: "the connection ended before the reply was complete", Err: io.ErrUnexpectedEOF},
		},
		{
			&url.Error{Op: "Post", URL: "http://host", Err: context.DeadlineExceeded},
			fault.Error{Kind: fault.Timeout, Message: "no complete reply in time", Err: context.DeadlineExceeded},
		},
		{
			&net.DNSError{Err: "took long", Name: "host", IsTimeout: true},
			fault.Error{Kind: fault.Timeout, Message: "lookup host: took long", Err: &net.DNSError{Err: "took long", Name: "host", IsTimeout: true}},
		},
		{
			fmt.Errorf("read: %w", fault.New(fault.BadReply, "too long")),
			fault.Error{Kind: fault.BadReply, Message: "too long"},
		},
	} {
		got, ok := errors.AsType[*fault.Error](FromTransport(t.Context(), tt.err, r))
		if !ok {
			t.Errorf("%v: no fault", tt.err)
			continue
		}
		if diff := cmp.Diff(tt.want, *got, cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) })); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.err, diff)
		}
	}
	if err := FromTransport(t.Context(), nil, r); err != nil {
		t.Errorf("no error is %v", err)
	}
}

func TestFromTransportOfContext(t *testing.T) {
	cut, why := errors.New("use of closed network connection"), errors.New("interrupted")
	for name, tt := range map[string]struct {
		cause error // of the context's end
		is    error // of the result, beside its cause
		kind  fault.Kind
	}{
		"canceled":              {nil, context.Canceled, ""},
		"canceled with a cause": {why, context.Canceled, ""},
		"of a parent's time":    {context.DeadlineExceeded, nil, fault.Timeout},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(tt.cause)
		err := FromTransport(ctx, cut, nil)
		if fault.KindOf(err) != tt.kind || tt.is != nil && !errors.Is(err, tt.is) || tt.kind == "" && tt.cause != nil && !errors.Is(err, tt.cause) {
			t.Errorf("%s: %v", name, err)
		}
	}
	expired, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	if err := FromTransport(expired, cut, nil); fault.KindOf(err) != fault.Timeout {
		t.Errorf("a call without time is %v", err)
	}
}

package openai

import (
	"context"
	"net/http"
	"net/http/httptrace"

	"github.com/openai/openai-go/v3/option"

	"recallbench/internal/httpfault"
)

// A response is a whole reply of a server, whatever its status. It counts against
// the budget of all replies until it is released.
type response struct {
	status int
	header http.Header
	body   *httpfault.Body
	fresh  bool // it came by a connection that no request had used before
}

func (r *response) ok() bool { return r.status >= 200 && r.status < 300 }

// send sends a request and reads the reply within a bound. Its error is that of
// the way to the server and back; a reply that reports an error is for
// [server.refusal]. Without an error the response is to be released.
func (s *server) send(ctx context.Context, method, path string, body []byte, bound httpfault.Bound) (*response, error) {
	var (
		reply   response
		readErr error
	)
	trace := httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) { reply.fresh = !c.Reused }}
	ctx = httptrace.WithClientTrace(ctx, &trace)
	read := func(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		resp, err := next(r)
		if err != nil {
			return resp, err
		}
		reply.status, reply.header = resp.StatusCode, resp.Header
		reply.body, readErr = httpfault.ReadBody(ctx, resp, bound)
		_ = resp.Body.Close() // it was read
		resp.Body = http.NoBody
		return resp, nil
	}
	var params any
	if body != nil {
		params = body
	}
	// The client's own errors repeat replies, so what the middleware saw counts.
	err := s.client.Execute(ctx, method, path, params, nil, option.WithMiddleware(read))
	switch {
	case reply.status == 0 && err != nil:
		return nil, s.lost(ctx, err)
	case readErr != nil && (reply.ok() || ctx.Err() != nil):
		reply.body.Release()
		return nil, s.lost(ctx, readErr)
	}
	// What came of a reply that reports an error says enough.
	return &reply, nil
}

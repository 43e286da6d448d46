package openai

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/http/httptrace"

	"recallbench/internal/backend/httpfault"
)

// A response is a whole reply of a server, whatever its status.
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
	var reply response
	trace := httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) { reply.fresh = !c.Reused }}
	ctx = httptrace.WithClientTrace(ctx, &trace)
	req, err := http.NewRequestWithContext(ctx, method, s.url.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return nil, s.lost(ctx, err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	maps.Copy(req.Header, s.header)
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, s.lost(ctx, cmp.Or(ctx.Err(), err))
	}
	defer resp.Body.Close()
	reply.status, reply.header = resp.StatusCode, resp.Header
	reply.body, err = httpfault.ReadBody(ctx, resp, bound)
	if err != nil && (reply.ok() || ctx.Err() != nil) {
		reply.body.Release()
		return nil, s.lost(ctx, err)
	}
	// Whatever was read of a reply that reports an error says enough.
	return &reply, nil
}

package openai

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/openai/openai-go/v3/option"

	"recallbench/internal/fault"
)

// maxReply is the largest reply that is read, in bytes. The vectors of a large
// batch of texts have some ten million.
const maxReply = 32 << 20

// maxIdle is the number of idle connections that are kept to a server, so that
// as many calls in flight find one open.
const maxIdle = 256

// httpClient returns a client that follows no redirects: another server would
// get the prompt, and the headers with keys that the standard library does not
// know as such.
func httpClient(given *http.Client) *http.Client {
	var c http.Client
	if given != nil {
		c = *given
	} else if t, ok := http.DefaultTransport.(*http.Transport); ok {
		t = t.Clone()
		t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, maxIdle
		c.Transport = t
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// A response is a whole reply of a server, whatever its status.
type response struct {
	status int
	header http.Header
	body   []byte
}

func (r *response) ok() bool { return r.status >= 200 && r.status < 300 }

// send sends a request and reads the reply. Its error is that of the way to
// the server and back; a reply that reports an error is for [server.refusal].
func (s *server) send(ctx context.Context, method, path string, body []byte) (*response, error) {
	var (
		reply   response
		readErr error
	)
	read := func(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		resp, err := next(r)
		if err != nil {
			return resp, err
		}
		reply.status, reply.header = resp.StatusCode, resp.Header
		reply.body, readErr = readBody(resp)
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
		return nil, s.lost(ctx, readErr)
	}
	// What came of a reply that reports an error says enough.
	return &reply, nil
}

// readBody reads a body within bounds.
func readBody(resp *http.Response) ([]byte, error) {
	if resp.ContentLength > maxReply {
		return nil, tooLong()
	}
	// The length is the server's word, so it is believed up to a point only.
	var b bytes.Buffer
	b.Grow(int(min(max(resp.ContentLength, 0), 64<<10)) + bytes.MinRead)
	n, err := b.ReadFrom(io.LimitReader(resp.Body, maxReply+1))
	if n > maxReply {
		return nil, tooLong()
	}
	return b.Bytes(), err
}

func tooLong() error {
	return fault.New(fault.BadReply, "the reply is longer than %d MiB", maxReply>>20)
}

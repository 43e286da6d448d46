package adapter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"recallbench/internal/door/fault"
	"recallbench/internal/external/wire"
	"recallbench/internal/text/redact"
)

// A client posts requests to a service.
type client struct {
	url, key string
	maxLine  int // bytes of a body
	http     *http.Client
	next     atomic.Int64
	closed   atomic.Bool
}

// Dial returns a connection to a service that is already running. The key, which may
// be empty, is sent as the header Authorization.
func Dial(address, key string) Conn {
	return &client{url: address, key: key, maxLine: wire.MaxLine, http: &http.Client{
		Transport:     &http.Transport{DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Ended implements [Conn].
func (c *client) Ended() error {
	if c.closed.Load() {
		return fault.New(fault.AdapterCrash, "the connection was closed")
	}
	return nil
}

// Close implements [Conn]. The service keeps running.
func (c *client) Close() error {
	c.closed.Store(true)
	c.http.CloseIdleConnections()
	return nil
}

// Call implements [Conn].
func (c *client) Call(ctx context.Context, method string, params, result any) error {
	id := c.next.Add(1)
	m, err := c.post(ctx, request(id, method, params))
	if err != nil {
		if ctx.Err() == nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		gone, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelGrace)
		defer cancel()
		_, _ = c.post(gone, request(nil, wire.Cancel, wire.CancelParams{ID: id})) // a notification has no reply
		return ended(ctx, method)
	}
	var got int64
	if err := json.Unmarshal(m.ID, &got); err != nil || got != id || m.JSONRPC != jsonrpcVersion || (m.Error == nil) == (m.Result == nil) {
		return fault.New(fault.AdapterProtocol, "%s: the body is not a reply to request %d", method, id)
	}
	return settle(method, m, result)
}

func (c *client) post(ctx context.Context, m any) (reply message, err error) {
	body, err := json.Marshal(m)
	if err != nil {
		return reply, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return reply, err
	}
	r.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		r.Header.Set("Authorization", c.key)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err // without the address
		}
		return reply, &fault.Error{Kind: fault.Connection, Message: err.Error(), Err: err}
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, int64(c.maxLine)+1))
	data = redact.Clean(data) // models are asked with what it says
	switch {
	case err != nil:
		return reply, &fault.Error{Kind: fault.Connection, Message: "the reply was cut off: " + err.Error(), Err: err}
	case len(data) > c.maxLine:
		return reply, fault.New(fault.AdapterProtocol, "a body of more than %d bytes", c.maxLine)
	case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable:
		e := &Error{Code: resp.StatusCode, Message: "HTTP " + resp.Status, Details: Details{Kind: KindUnavailable}}
		if resp.StatusCode == http.StatusTooManyRequests {
			e.Kind = KindRateLimit
		}
		e.Wait, _ = strconv.ParseFloat(resp.Header.Get("Retry-After"), 64) // no number is no time
		return reply, e
	case resp.StatusCode != http.StatusOK:
		return reply, fault.New(fault.AdapterProtocol, "HTTP %s, want 200: %s", resp.Status, beginning(data))
	}
	if err := json.Unmarshal(data, &reply); err != nil {
		return reply, fault.New(fault.AdapterProtocol, "the body is no JSON-RPC message: %s", beginning(data))
	}
	return reply, nil
}

// refusedFor is how long a service may refuse connections, as while it starts anew.
const refusedFor = 3 * time.Second

// Ready calls a method of a service until it answers. One that cannot be reached is
// given up.
func Ready(ctx context.Context, c Conn, method string, params, result any) error {
	for start := time.Now(); ; {
		err := c.Call(ctx, method, params, result)
		if err == nil || fault.KindOf(err) != fault.Connection || time.Since(start) > refusedFor {
			return err
		}
		select {
		case <-ctx.Done():
			return ended(ctx, method)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

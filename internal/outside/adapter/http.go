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
	"sync"
	"sync/atomic"
	"time"

	"recallbench/internal/door/fault"
	"recallbench/internal/outside/wire"
	"recallbench/internal/text/redact"
)

// A Service says how an adapter is reached over HTTP.
type Service struct {
	URL     string
	Key     string // sent as the header Authorization; empty for none
	MaxLine int    // bytes of a body; 0 is wire.MaxLine
	Log     *Log
}

// CheckURL reports an address that no service can have: it is absolute, http or
// https, without user and query.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return fmt.Errorf("url: %w", err)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("url is %q, want one such as http://127.0.0.1:8700/rpc", address)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("url is %q, want it without user, query and fragment; a key is given under key", u.Redacted())
	}
	return nil
}

// A client posts requests to a service.
type client struct {
	Service
	http *http.Client
	next atomic.Int64
	mu   sync.Mutex
	err  error
}

// Dial returns a connection to a service that others have started.
func Dial(s Service) Conn {
	if s.MaxLine == 0 {
		s.MaxLine = wire.MaxLine
	}
	return &client{Service: s, http: &http.Client{
		Transport:     &http.Transport{DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Ended implements [Conn].
func (c *client) Ended() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Call implements [Conn].
func (c *client) Call(ctx context.Context, method string, params, result any) error {
	id := c.next.Add(1)
	body, err := json.Marshal(map[string]any{"jsonrpc": jsonrpc, "id": id, "method": method, "params": params})
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	call, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	up, stop := watch(ctx)
	defer stop()
	go func() {
		select {
		case <-up:
			cancel(fault.New(fault.AdapterTimeout, "no reply to %s in %s", method, limit(ctx)))
		case <-call.Done():
		}
	}()
	m, err := c.post(call, body)
	if err != nil {
		if cause, ok := errors.AsType[*fault.Error](context.Cause(call)); ok {
			err = cause
		}
		if call.Err() != nil {
			c.cancel(id) //nolint:contextcheck // that of the call is over
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%s: %w", method, err)
	}
	var got int64
	if err := json.Unmarshal(m.ID, &got); err != nil || got != id || m.JSONRPC != jsonrpc || (m.Error == nil) == (m.Result == nil) {
		return fault.New(fault.AdapterProtocol, "%s: the body is no reply to request %d", method, id)
	}
	return settle(method, m, result)
}

// cancel tells the service that a request is given up.
func (c *client) cancel(id int64) {
	ctx, cancel := context.WithTimeout(context.Background(), cancelGrace)
	defer cancel()
	body, err := json.Marshal(map[string]any{"jsonrpc": jsonrpc, "method": wire.Cancel, "params": wire.CancelParams{ID: id}})
	if err == nil {
		_, _ = c.post(ctx, body) // a notification has no reply
	}
}

func (c *client) post(ctx context.Context, body []byte) (m message, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		return m, err
	}
	r.Header.Set("Content-Type", "application/json")
	if c.Key != "" {
		r.Header.Set("Authorization", c.Key)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err // without the address
		}
		return m, &fault.Error{Kind: fault.Connection, Message: err.Error(), Err: err}
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, int64(c.MaxLine)+1))
	data = redact.Clean(data) // models are asked with what it says
	switch {
	case err != nil:
		return m, &fault.Error{Kind: fault.Connection, Message: "the reply was cut off: " + err.Error(), Err: err}
	case len(data) > c.MaxLine:
		return m, fault.New(fault.AdapterProtocol, "a body of more than %d bytes", c.MaxLine)
	case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable:
		kind := KindUnavailable
		if resp.StatusCode == http.StatusTooManyRequests {
			kind = KindRateLimit
		}
		wait, _ := strconv.ParseFloat(resp.Header.Get("Retry-After"), 64) // no number is no time
		return m, &Error{Code: resp.StatusCode, Kind: kind, Message: "HTTP " + resp.Status, RetryAfter: time.Duration(min(max(wait, 0), 3600) * float64(time.Second))}
	case resp.StatusCode != http.StatusOK:
		return m, fault.New(fault.AdapterProtocol, "HTTP %s, want 200: %s", resp.Status, beginning(data))
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fault.New(fault.AdapterProtocol, "the body is no JSON-RPC message: %s", beginning(data))
	}
	return m, nil
}

// Close implements [Conn]. The service goes on.
func (c *client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = fault.New(fault.AdapterCrash, "the connection was closed")
	}
	c.http.CloseIdleConnections()
	return nil
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
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

package adapter

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
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
	mcp     bool // speaks MCP's streamable HTTP
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
	http    *http.Client
	next    atomic.Int64
	mu      sync.Mutex
	err     error
	session string // of MCP; empty until the server names one
	version string // of MCP; empty until the server names one
}

// Dial returns a connection to a service that others have started.
func Dial(s Service) Conn { return dial(s) }

func dial(s Service) *client {
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
	if c.mcp {
		c.say(ctx, "notifications/cancelled", map[string]any{"requestId": id})
		return
	}
	c.say(ctx, wire.Cancel, wire.CancelParams{ID: id})
}

// say sends a notification. It has no reply, and what follows shows whether it was
// heard.
func (c *client) say(ctx context.Context, method string, params any) {
	body, err := json.Marshal(map[string]any{"jsonrpc": jsonrpc, "method": method, "params": params})
	if err == nil {
		_, _ = c.post(ctx, body)
	}
}

func (c *client) post(ctx context.Context, body []byte) (m message, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		return m, err
	}
	r.Header.Set("Content-Type", "application/json")
	session := c.identify(r)
	resp, err := c.http.Do(r)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err // without the address
		}
		return m, &fault.Error{Kind: fault.Connection, Message: err.Error(), Err: err}
	}
	defer resp.Body.Close()
	data, err := c.read(resp)
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
	case resp.StatusCode == http.StatusNotFound && session != "":
		c.lose("the MCP server has forgotten the session")
		return m, c.Ended()
	case resp.StatusCode != http.StatusOK:
		return m, fault.New(fault.AdapterProtocol, "HTTP %s, want 200: %s", resp.Status, beginning(data))
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fault.New(fault.AdapterProtocol, "the body is no JSON-RPC message: %s", beginning(data))
	}
	return m, nil
}

// identify shows the credential and the session of MCP, which it returns.
func (c *client) identify(r *http.Request) string {
	if c.Key != "" {
		r.Header.Set("Authorization", c.Key)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mcp {
		r.Header.Set("Accept", "application/json, text/event-stream")
	}
	if c.version != "" {
		r.Header.Set("Mcp-Protocol-Version", c.version)
	}
	if c.session != "" {
		r.Header.Set(sessionHeader, c.session)
	}
	return c.session
}

// sessionHeader names an MCP session.
const sessionHeader = "Mcp-Session-Id"

// read returns the body of a reply; of a stream of events, the one that replies.
func (c *client) read(resp *http.Response) ([]byte, error) {
	body := io.LimitReader(resp.Body, int64(c.MaxLine)+1)
	if !c.mcp {
		return io.ReadAll(body)
	}
	if id := resp.Header.Get(sessionHeader); id != "" {
		c.mu.Lock()
		c.session = id
		c.mu.Unlock()
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return io.ReadAll(body)
	}
	all := bufio.NewReader(body)
	var event []byte
	read := 0
	for {
		line, err := all.ReadBytes('\n')
		read += len(line)
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			event = append(event, data...)
		} else if len(bytes.TrimSpace(line)) == 0 {
			var m message
			if json.Unmarshal(event, &m) == nil && m.Method == "" && m.ID != nil {
				return event, nil
			}
			event = nil
		}
		switch {
		case read > c.MaxLine:
			return make([]byte, read), nil // too large, as any body would be
		case err != nil:
			return nil, fmt.Errorf("the events end without a reply: %w", err)
		}
	}
}

// lose ends the connection for a reason.
func (c *client) lose(reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = fault.New(fault.AdapterCrash, "%s", reason)
	}
}

// Close implements [Conn]. A service that others have started goes on.
func (c *client) Close() error {
	c.end()
	c.lose("the connection was closed")
	c.http.CloseIdleConnections()
	return nil
}

// end tells an MCP server that its session is over.
func (c *client) end() {
	ctx, cancel := context.WithTimeout(context.Background(), cancelGrace)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodDelete, c.URL, http.NoBody)
	if err != nil || c.identify(r) == "" {
		return
	}
	if resp, err := c.http.Do(r); err == nil {
		_ = resp.Body.Close() // what it says changes nothing
	}
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

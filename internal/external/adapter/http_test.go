package adapter

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"recallbench/internal/door/fault"
	"recallbench/internal/external/wire"
)

// serve starts a service that answers with what reply makes of a message.
func serve(tb testing.TB, reply func(w http.ResponseWriter, m message)) Conn {
	tb.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		var m message
		if err != nil || json.Unmarshal(data, &m) != nil || r.Header.Get("Authorization") != "secret" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		reply(w, m)
	}))
	tb.Cleanup(s.Close)
	c := Dial(s.URL+"/rpc", "secret")
	c.(*client).maxLine = 1 << 16
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

func TestService(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, m message) {
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":{"blocks":[{"text":"found"}]}}`)
	})
	for range 3 {
		if found, err := search(t.Context(), c); err != nil || len(found.Blocks) != 1 {
			t.Errorf("got %+v, %v", found, err)
		}
	}
	if err := c.Close(); err != nil || c.Ended() == nil {
		t.Errorf("after the end: %v, %v", err, c.Ended())
	}
}

func TestServiceFaults(t *testing.T) {
	for _, tt := range []struct {
		name  string
		reply func(w http.ResponseWriter, m message)
		kind  fault.Kind
		text  string
	}{
		{"busy", func(w http.ResponseWriter, _ message) {
			w.Header().Set("Retry-After", "2")
			w.WriteHeader(http.StatusTooManyRequests)
		}, fault.RateLimit, "429"},
		{"down", func(w http.ResponseWriter, _ message) { w.WriteHeader(http.StatusServiceUnavailable) }, fault.Server, "503"},
		{"moved", func(w http.ResponseWriter, _ message) {
			w.Header().Set("Location", "http://example.org/")
			w.WriteHeader(http.StatusFound)
		}, fault.AdapterProtocol, "302"},
		{"text", func(w http.ResponseWriter, _ message) { _, _ = io.WriteString(w, "hello") }, fault.AdapterProtocol, "no JSON-RPC message: hello"},
		{"other id", func(w http.ResponseWriter, _ message) {
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":77,"result":{}}`)
		}, fault.AdapterProtocol, "not a reply to request 1"},
		{"large", func(w http.ResponseWriter, _ message) { _, _ = io.WriteString(w, strings.Repeat("x", 1<<17)) }, fault.AdapterProtocol, "more than 65536 bytes"},
		{"cut", func(w http.ResponseWriter, _ message) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "{")
		}, fault.Connection, "cut off"},
	} {
		c := serve(t, tt.reply)
		if _, err := search(t.Context(), c); fault.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: got %v, want %s with %q", tt.name, err, tt.kind, tt.text)
		}
	}
}

// TestServiceCancelled checks that a call that is given up is cancelled there too.
func TestServiceCancelled(t *testing.T) {
	cancelled := make(chan struct{})
	release := make(chan struct{})
	c := serve(t, func(_ http.ResponseWriter, m message) {
		if m.Method == wire.Cancel {
			close(cancelled)
			return
		}
		<-release
	})
	defer close(release)
	ctx, stop := Within(t.Context(), 50*time.Millisecond, nil)
	defer stop()
	if _, err := search(ctx, c); fault.KindOf(err) != fault.AdapterTimeout {
		t.Errorf("got %v", err)
	}
	<-cancelled
}

// refusing is a service that nobody serves.
const refusing = "http://127.0.0.1:1/rpc"

// TestReady gives up a service that cannot be reached in seconds, and at once after an
// interrupt.
func TestReady(t *testing.T) {
	for _, tt := range []struct {
		interrupt time.Duration
		kind      fault.Kind
		after     time.Duration
	}{
		{time.Hour, fault.Connection, refusedFor},
		{time.Second, "", time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(tt.interrupt, cancel)
			start := time.Now()
			err := Ready(ctx, Dial(refusing, ""), wire.Initialize, wire.InitializeParams{}, nil)
			if took := time.Since(start); fault.KindOf(err) != tt.kind || err == nil || took < tt.after || took > tt.after+time.Second {
				t.Errorf("interrupted after %s: after %s: %v", tt.interrupt, took, err)
			}
			cancel()
		})
	}
}

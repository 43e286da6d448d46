package openai

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recallbench/internal/testkit/modelserver"
)

// TestConnections holds 256 calls in flight, three times over, and counts the
// connections: a pool that is too small opens them anew for nearly every call.
func TestConnections(t *testing.T) {
	const calls = 256
	var opened atomic.Int64
	s := httptest.NewUnstartedServer(modelserver.NewHandler(modelserver.Options{Latency: 30 * time.Millisecond}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	c := mustChat(t, Config{BaseURL: s.URL + "/v1", Model: "m"})
	for range 3 {
		var wg sync.WaitGroup
		for i := range calls {
			wg.Go(func() {
				question := strconv.Itoa(i)
				if got, err := c.Generate(t.Context(), ask(question)); err != nil || got.Text != modelserver.Answer(question) {
					t.Errorf("question %s: got %q, %v", question, got.Text, err)
				}
			})
		}
		wg.Wait()
	}
	// A connection that is being opened while another gets free is one more.
	if n := opened.Load(); n > calls+calls/4 {
		t.Errorf("%d connections for %d calls in flight", n, calls)
	}
}

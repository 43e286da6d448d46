package openai

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

const testKey = "sk-test-4711/abc+def"

// newChat returns a chat with a server of these options.
func newChat(tb testing.TB, o modelserver.Options, q Quirks) (*Chat, *modelserver.Server) {
	tb.Helper()
	s := modelserver.New(tb, o)
	return mustChat(tb, Config{BaseURL: s.URL, Key: testKey, Model: "m", Quirks: q}), s
}

func mustChat(tb testing.TB, c Config) *Chat {
	tb.Helper()
	chat := try.Get(NewChat(c))(tb)
	return chat
}

// canned serves the same reply for ever.
func canned(tb testing.TB, status int, header http.Header, body string) string {
	tb.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		maps.Copy(w.Header(), header)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	tb.Cleanup(s.Close)
	return s.URL
}

// A roundTrip is a server without a socket.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A recorder keeps what a server was sent.
type recorder struct {
	mu      sync.Mutex
	paths   []string
	bodies  []string
	headers []http.Header
}

func (r *recorder) observe(req *http.Request, body []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.paths = append(r.paths, req.URL.Path)
	r.bodies = append(r.bodies, string(body))
	r.headers = append(r.headers, req.Header.Clone())
}

// ask is a request of one question.
func ask(question string) llm.Request {
	return llm.Request{Role: "reader", Messages: []llm.Message{{Role: llm.User, Content: question}}}
}

// faultOf returns the fault of an error, which has to be one.
func faultOf(t *testing.T, err error) *fault.Error {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		t.Fatalf("%v is no fault", err)
	}
	return e
}

// sameJSON compares a body with the JSON that is wanted, whatever the order of its
// members.
func sameJSON(t *testing.T, want, got string) {
	t.Helper()
	if w, g := canonical(t, want), canonical(t, got); w != g {
		t.Errorf("sent\n%s\nwant\n%s", g, w)
	}
}

func canonical(t *testing.T, text string) string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	try.Do(t, dec.Decode(&v))
	return string(try.Get(json.Marshal(v))(t))
}

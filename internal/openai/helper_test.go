package openai

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"recallbench/internal/fault"
	"recallbench/internal/llm"
	"recallbench/internal/modelserver"
)

const testKey = "sk-test-4711/abc+def"

// newChat returns a chat with a server of these options.
func newChat(t testing.TB, o modelserver.Options, q Quirks) (*Chat, *modelserver.Server) {
	t.Helper()
	s := modelserver.New(t, o)
	return mustChat(t, Config{BaseURL: s.URL, Key: testKey, Model: "m", Quirks: q}), s
}

func mustChat(t testing.TB, c Config) *Chat {
	t.Helper()
	chat, err := NewChat(c)
	if err != nil {
		t.Fatal(err)
	}
	return chat
}

// canned serves the same reply for ever.
func canned(t testing.TB, status int, header http.Header, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for name, values := range header {
			w.Header()[name] = values
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

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

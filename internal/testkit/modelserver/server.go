// Package modelserver simulates a provider of models for tests: chat
// completions, plain completions, embeddings and the list of models of
// OpenAI-compatible servers, and entailment as in text-embeddings-inference.
//
// Every reply is a function of its request that a test can compute by itself
// ([Answer], [Embedding]), so a test sees not only that a reply came
// but that it was the right one. [Options] make the server slow, selective about
// parameters, or faulty: attempts hit a [Fault] at a given rate. Whether an attempt
// does, and which, depends on a seed, the bytes of the request and how often they
// have come, not on the order of requests, so a test with many calls in flight can
// be repeated. [Server.Stats] reports what happened.
//
// Only tests use this package. It imports no package of the module, so that it
// cannot agree with a client's mistake.
package modelserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// maxBody is the largest request that is read, in bytes.
const maxBody = 64 << 20

// DefaultModel is the model that a server lists when [Options] name none.
const DefaultModel = "test-model"

// Options describe the server's behaviour. The zero value is a fast server that
// answers everything.
type Options struct {
	// Models are the models of the server; another one is a 404. Without any it accepts
	// every name, and lists [DefaultModel].
	Models []string
	// Context is how many tokens of prompt and reply the list of models says that
	// each takes; 0 says nothing.
	Context int
	// Key is the required bearer token; empty accepts all.
	Key string
	// Latency is how long an answer takes.
	Latency time.Duration
	// Cap is how many requests may be in flight; those above it get a 429. 0 is
	// no limit.
	Cap int

	// Rate is the share of attempts that hit one of Faults, from 0 to 1.
	Rate   float64
	Faults []Fault
	Seed   uint64
	// Times limits how many attempts with the same bytes may hit a fault; 0 is
	// no limit.
	Times int
	// RetryAfter is the wait that replies of the status 429 ask for where they
	// do; 0 is a second. Below a second it goes into retry-after-ms.
	RetryAfter time.Duration

	// The quirks of servers and models.

	NoTemperature           bool // refuse temperature, as OpenAI's reasoning models do
	WantMaxCompletionTokens bool // refuse max_tokens likewise
	NoResponseFormat        bool // refuse response_format
	NoLogprobs              bool // leave out log-probabilities
	NoUsage                 bool // report no usage
	NoCompletions           bool // have no /v1/completions
	NoDimensions            bool // refuse dimensions of embeddings
	// Reasoning is how many tokens of reasoning, none shown, come before each chat
	// reply.
	Reasoning int
	// Dim is the length of embeddings; 0 is 64.
	Dim int

	// Script answers chats instead of [Answer]: it returns the message of the reply,
	// with its tool calls. If ok is false, or without a script, the server answers by
	// itself. It is called concurrently.
	Script func(path string, body []byte) (message json.RawMessage, ok bool)

	// Observe sees every request before it is processed; nil for nobody. It is
	// called concurrently.
	Observe func(r *http.Request, body []byte)
}

// A Server is a running server.
type Server struct {
	// URL is the address to use as a base URL, such as http://127.0.0.1:1234/v1.
	URL string
	// Root is the address without /v1, for /predict.
	Root string

	o        Options
	http     *httptest.Server
	closing  chan struct{}
	close    func()
	inFlight atomic.Int64

	mu       sync.Mutex
	stats    Stats
	attempts map[identity]int
}

// New starts a server on a free port of the local host. It closes when the test ends.
func New(tb testing.TB, o Options) *Server {
	tb.Helper()
	s := &Server{o: o, closing: make(chan struct{}), attempts: make(map[identity]int)}
	s.close = sync.OnceFunc(func() { close(s.closing) })
	s.stats.Faults, s.stats.Replies = make(map[Fault]int), make(map[string]int)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("POST /v1/chat/completions", s.serve(s.chat))
	if !o.NoCompletions {
		mux.HandleFunc("POST /v1/completions", s.serve(s.completions))
	}
	mux.HandleFunc("POST /v1/embeddings", s.serve(s.embeddings))
	mux.HandleFunc("POST /predict", s.serve(s.predict))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, r.URL.Path, &problem{http.StatusNotFound, invalid, "unknown_url", "", "Unknown request URL: " + r.Method + " " + r.URL.Path})
	})
	s.http = httptest.NewUnstartedServer(mux)
	s.http.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.http.Start()
	s.Root, s.URL = s.http.URL, s.http.URL+"/v1"
	tb.Cleanup(s.Close)
	return s
}

// Close ends the server. It cuts off what is in flight, hung connections too,
// and waits for it.
func (s *Server) Close() {
	s.close()
	s.http.CloseClientConnections()
	s.http.Close()
	s.Idle()
}

// A request is what a handler answers.
type request struct {
	path  string
	body  []byte
	key   string // what came as bearer token
	fault Fault  // met by this attempt
}

// serve wraps a handler with what all have in common: the key, the cap, faults
// and latency. A handler returns the reply as JSON or what is wrong.
func (s *Server) serve(answer func(request) ([]byte, *problem)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			return // the client is gone, or sends without end
		}
		if s.o.Observe != nil {
			s.o.Observe(r, body)
		}
		if !s.authorised(w, r) {
			return
		}
		now := s.inFlight.Add(1)
		defer s.inFlight.Add(-1)
		if s.o.Cap > 0 && now > int64(s.o.Cap) {
			s.note(func(st *Stats) { st.Arrived++; st.Capped++ })
			s.tooMany(w, r.URL.Path)
			return
		}
		req := request{path: r.URL.Path, body: body, key: bearer(r)}
		id := identify(req)
		req.fault = s.meet(id, req.path, int(now))
		reply, wrong := answer(req)
		if !slices.Contains(early, req.fault) && !s.wait(r.Context(), s.o.Latency) {
			panic(http.ErrAbortHandler) // a return would be a reply
		}
		switch {
		case s.spoil(w, r, req, reply):
		case wrong != nil:
			s.note(func(st *Stats) { st.Refused++ })
			fail(w, req.path, wrong)
		default:
			if req.fault == EchoKey {
				w.Header().Set("X-Echo", req.key)
			}
			if send(w, reply) && req.fault != ContentFilter {
				s.note(func(st *Stats) { st.Answered++; st.Replies[id.String()]++ })
			}
		}
	}
}

// wait waits for a time, less where the client goes or the server closes; then
// it returns false.
func (s *Server) wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-s.closing:
	}
	return false
}

// bearer returns the bearer token of a request.
func bearer(r *http.Request) string {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return token
}

func (s *Server) authorised(w http.ResponseWriter, r *http.Request) bool {
	if s.o.Key == "" || bearer(r) == s.o.Key {
		return true
	}
	s.note(func(st *Stats) { st.Arrived++; st.Refused++ })
	fail(w, r.URL.Path, &problem{http.StatusUnauthorized, invalid, "invalid_api_key", "", "Incorrect API key provided: " + bearer(r) + "."})
	return false
}

// known reports whether the server has a model.
func (s *Server) known(model string) bool {
	return len(s.o.Models) == 0 || slices.Contains(s.o.Models, model)
}

func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	if s.o.Observe != nil {
		s.o.Observe(r, nil)
	}
	if !s.authorised(w, r) {
		return
	}
	names := s.o.Models
	if len(names) == 0 {
		names = []string{DefaultModel}
	}
	var list []any
	for _, name := range names {
		model := map[string]any{"id": name, "object": "model", "owned_by": "test"}
		if s.o.Context > 0 {
			model["max_model_len"] = s.o.Context
		}
		list = append(list, model)
	}
	send(w, encode(map[string]any{"object": "list", "data": list}))
}

// encode returns v, which always has a form in JSON.
func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("modelserver: " + err.Error())
	}
	return data
}

// send writes a reply; it returns false if the client is gone.
func send(w http.ResponseWriter, reply []byte) bool {
	w.Header().Set("Content-Type", "application/json")
	_, err := w.Write(reply)
	return err == nil
}

// Stats count what happened to a server's requests, those for the list of
// models left out.
type Stats struct {
	Arrived  int           // attempts that came
	Answered int           // attempts that got the right answer, as far as the server can tell
	Refused  int           // attempts turned down for what they asked or for their key
	Capped   int           // attempts above the cap
	Faults   map[Fault]int // attempts that met each fault
	// Replies counts the answers by the [identity] of their requests.
	Replies map[string]int
	// MaxInFlight is the largest number of requests that were worked on at
	// once.
	MaxInFlight int
}

// Stats returns what happened so far.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stats
	st.Faults, st.Replies = maps.Clone(st.Faults), maps.Clone(st.Replies)
	return st
}

// Idle waits until no request is worked on: one whose client has gone may still
// be, and be counted later.
func (s *Server) Idle() {
	for s.inFlight.Load() > 0 {
		time.Sleep(time.Millisecond)
	}
}

func (s *Server) note(change func(*Stats)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.stats)
}

// An identity stands for the path and the bytes of a request.
type identity [16]byte

func (id identity) String() string { return hex.EncodeToString(id[:]) }

func identify(r request) identity {
	h := sha256.New()
	h.Write([]byte(r.path))
	h.Write([]byte{0})
	h.Write(r.body)
	return identity(h.Sum(nil))
}

// A problem is what an error reply says.
type problem struct {
	status                     int
	kind, code, param, message string
}

// invalid is the kind of most problems.
const invalid = "invalid_request_error"

// refused is the problem of a request that names a parameter that will not do.
func refused(param, code, message string) *problem {
	return &problem{http.StatusBadRequest, invalid, code, param, message}
}

func noModel(name string) *problem {
	return &problem{http.StatusNotFound, invalid, "model_not_found", "", "The model `" + name + "` does not exist or you do not have access to it."}
}

// decode reads the body of a request.
func (r request) decode(v any) *problem {
	if err := json.Unmarshal(r.body, v); err != nil {
		return refused("", "", "We could not parse the JSON body of your request: "+err.Error())
	}
	return nil
}

// fail replies with an error in the words of the server that has the path.
func fail(w http.ResponseWriter, path string, p *problem) {
	said := map[string]any{"message": p.message, "type": p.kind, "param": nil, "code": nil}
	if p.param != "" {
		said["param"] = p.param
	}
	if p.code != "" {
		said["code"] = p.code
	}
	body := map[string]any{"error": said}
	if path == "/predict" {
		body = map[string]any{"error": p.message, "error_type": p.kind}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(p.status)
	_, _ = w.Write(encode(body)) // the client may be gone
}

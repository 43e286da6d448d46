// Package server serves runs to the page of `bench view`: the page itself, and below
// /api/ what it shows, as JSON. It answers nobody but that page, see [Config.Token],
// and changes nothing.
package server

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"recallbench/internal/publish/catalog"
	"recallbench/internal/publish/live"
	"recallbench/internal/result/treeview"
	"recallbench/internal/text/redact"
)

// maxBody is the most bytes that the body of a request may have.
const maxBody = 1 << 20

// Config says what is served.
type Config struct {
	// Token is what the page shows to be let in.
	Token string
	// Hosts are the authorities that browsers call the server by, such as
	// 127.0.0.1:7878; it answers under no other.
	Hosts   []string
	Catalog *catalog.Catalog
	// Open returns what is shown of the runs in some folders.
	Open func(dirs []string) (Book, error)
	// Contrast holds sides against a base and returns the rows as `bench compare --format
	// json` prints them. No columns stand for the first of each metric.
	Contrast func(base Side, sides []Side, columns []string, by string) ([]byte, error)
	// Calls returns what models were asked and replied for a request.
	Calls func(b Book, n int) (any, error)
	// Prompts compares what models were asked for two requests.
	Prompts func(b Book, n, other int) (any, error)
	// Hub follows runs that go on.
	Hub *live.Hub
	// Page is what stands at / and below /a/; it holds no data.
	Page http.Handler
	// Mounts answer below a path of /api/, such as "chat" or "run/{key}/notes", behind
	// the same checks. Those whose path ends in /events stream.
	Mounts map[string]http.Handler
	Log    *slog.Logger
	Now    func() time.Time
}

// A Book is what pages show of some runs. Requests are numbered from 0, in the same
// way while Rev is the same.
type Book interface {
	Rev() string
	Len() int
	// Part returns the index, tables, figures or settings as JSON.
	Part(name string) ([]byte, error)
	// Request returns what there is of a request, as JSON.
	Request(n int) ([]byte, error)
	// Structure returns what the memory that a request was asked of held.
	Structure(n int) (any, error)
	// Search returns the numbers of the requests whose texts have all words, which are in
	// lower case.
	Search(words []string) ([]int, error)
}

// NewToken returns a token that nobody can guess: 32 random bytes.
func NewToken() string {
	b := make([]byte, 32)
	rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}

// A Server serves runs over HTTP.
type Server struct {
	Config
	books   books
	heavy   chan struct{} // what takes long
	streams chan struct{} // of events
}

// New returns a server.
func New(c Config) *Server {
	s := &Server{Config: c, heavy: make(chan struct{}, 2), streams: make(chan struct{}, maxStreams)}
	s.books.open = c.Open
	return s
}

// Handler returns what answers requests, with all checks.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/runs", s.runs)
	mux.HandleFunc("GET /api/run/{key}/request/{n}", s.request)
	mux.HandleFunc("GET /api/run/{key}/calls/{n}", s.of(s.Calls))
	mux.HandleFunc("GET /api/run/{key}/structure/{n}", s.of(Book.Structure))
	mux.HandleFunc("GET /api/run/{key}/prompts/{n}", s.prompts)
	mux.HandleFunc("GET /api/run/{key}/contrast", s.contrast)
	mux.HandleFunc("GET /api/run/{key}/search", s.search)
	mux.HandleFunc("GET /api/run/{key}/live", s.live)
	mux.Handle("GET /api/events", s.streaming(http.HandlerFunc(s.events)))
	for _, part := range []string{"index", "overview", "tables", "figures", "settings", "turns"} {
		mux.HandleFunc("GET /api/run/{key}/"+part, func(w http.ResponseWriter, r *http.Request) { s.part(w, r, part) })
	}
	for path, h := range s.Mounts {
		if strings.HasSuffix(path, "/events") {
			h = s.streaming(h)
		}
		mux.Handle("/api/"+path, h)
	}
	mux.HandleFunc("/api/", func(w http.ResponseWriter, _ *http.Request) { fail(w, http.StatusNotFound, "no such page of data") })
	mux.Handle("/", s.Page)
	checked := newGuard(s.Config).wrap(catch(s.Log, methods(mux)))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { checked.ServeHTTP(cleanWriter{w}, r) })
}

// A cleanWriter answers without secrets.
type cleanWriter struct{ http.ResponseWriter }

func (w cleanWriter) Write(p []byte) (int, error) {
	return redact.Writer{Writer: w.ResponseWriter}.Write(p)
}

// Unwrap is for [http.ResponseController].
func (w cleanWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// HTTP returns a server with the limits that its clients have.
func (s *Server) HTTP() *http.Server {
	return &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 120 * time.Second, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
	}
}

// methods answers as this server does where only another method has a handler.
func methods(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern == "/api/" {
			for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
				other := r.Clone(r.Context())
				other.Method = method
				if _, pattern := mux.Handler(other); pattern != "/api/" && method != r.Method {
					w.Header().Set("Allow", method)
					fail(w, http.StatusMethodNotAllowed, "method %s, want %s", r.Method, method)
					return
				}
			}
		}
		mux.ServeHTTP(w, r)
	})
}

// fail answers with an error, and returns false.
func fail(w http.ResponseWriter, status int, format string, args ...any) bool {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// Who asked may be gone.
	_ = json.NewEncoder(w).Encode(map[string]string{"error": fmt.Sprintf(format, args...)})
	return false
}

// send answers with JSON.
func send(w http.ResponseWriter, data []byte) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data) // who asked may be gone
}

func sendValue(w http.ResponseWriter, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		failWith(w, err)
		return
	}
	send(w, data)
}

// A statusError is an error with the status that it is answered with.
type statusError struct {
	status int
	error
}

func (e *statusError) Unwrap() error { return e.error }

func statusf(status int, format string, args ...any) error {
	return &statusError{status, fmt.Errorf(format, args...)}
}

// failWith answers with an error: what is wrong with a run that was asked for is 422,
// unless the error says otherwise.
func failWith(w http.ResponseWriter, err error) {
	status := http.StatusUnprocessableEntity
	if errors.Is(err, treeview.ErrNoTree) {
		status = http.StatusNotFound
	}
	if e, ok := errors.AsType[*statusError](err); ok {
		status = e.status
	}
	fail(w, status, "%v", err)
}

func newID() string {
	b := make([]byte, 4)
	rand.Read(b)
	return hex.EncodeToString(b)
}

func stack() []byte { return debug.Stack() }

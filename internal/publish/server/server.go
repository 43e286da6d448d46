// Package server serves runs to the page of `bench view`: the page itself, and below
// /api/ what it shows, as JSON. It answers nobody but that page, see [Config.Token],
// and changes nothing.
package server

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"recallbench/internal/publish/catalog"
	"recallbench/internal/publish/htmlreport"
	"recallbench/internal/publish/live"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/result/treeview"
	"recallbench/internal/text/redact"
)

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
	// Hub follows runs in progress.
	Hub *live.Hub
	// Notes takes notes about runs, and Chat serves chats below /api/chat; nil for none.
	Notes *note.Book
	Chat  http.Handler
	Log   *slog.Logger
}

// A Book is what pages show of some runs. Requests are numbered from 0, in the same
// way while Rev is the same.
type Book interface {
	Rev() string
	Len() int
	// Part returns the index, tables, figures or settings as JSON, and the overview by a
	// column.
	Part(name, column string) ([]byte, error)
	// Request returns what there is of a request, as JSON.
	Request(n int) ([]byte, error)
	// Calls returns what models were asked and replied for a request.
	Calls(n int) (any, error)
	// Prompts compares what models were asked for two requests.
	Prompts(n, other int) (any, error)
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
	heavy   chan struct{} // what takes long, two at once
	streams chan struct{} // of events
}

// New returns a server.
func New(c Config) *Server {
	return &Server{Config: c, heavy: make(chan struct{}, 2), streams: make(chan struct{}, maxStreams)}
}

// HTTP returns a server with the limits that its clients have.
func (s *Server) HTTP() *http.Server {
	return &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 120 * time.Second, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
	}
}

// Handler returns what answers requests, with all checks.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	get(mux, "runs", s.runs)
	for _, name := range htmlreport.Parts() {
		get(mux, "run/{key}/"+name, func(r *http.Request) (any, error) { return s.part(r, name) })
	}
	get(mux, "run/{key}/request/{n}", s.of(func(book Book, n int, _ *http.Request) (any, error) {
		data, err := book.Request(n)
		return json.RawMessage(data), err
	}))
	get(mux, "run/{key}/calls/{n}", s.of(func(book Book, n int, _ *http.Request) (any, error) { return book.Calls(n) }))
	get(mux, "run/{key}/structure/{n}", s.of(func(book Book, n int, _ *http.Request) (any, error) { return book.Structure(n) }))
	get(mux, "run/{key}/prompts/{n}", s.of(prompts))
	get(mux, "run/{key}/contrast", s.contrast)
	get(mux, "run/{key}/search", s.search)
	get(mux, "run/{key}/live", s.live)
	mux.Handle("GET /api/events", s.streaming(http.HandlerFunc(s.events)))
	if s.Notes != nil {
		mux.Handle("/api/run/{key}/notes", s.ofFolder(s.Notes.Serve))
		mux.Handle("/api/run/{key}/queues", s.ofFolder(s.Notes.ServeQueues))
	}
	if s.Chat != nil {
		mux.Handle("/api/chat", s.Chat)
		mux.Handle("/api/chat/", s.Chat)
		mux.Handle("/api/chat/{id}/events", s.streaming(s.Chat))
	}
	get(mux, "", func(*http.Request) (any, error) { return nil, statusf(http.StatusNotFound, "no such page of data") })
	s.page(mux)
	checked := s.guard(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { checked.ServeHTTP(cleanWriter{w}, r) })
}

// page serves what stands at / and below /a/: the shell of all pages, with script and
// styles at addresses that change with what they hold.
func (*Server) page(mux *http.ServeMux) {
	shell, err := htmlreport.Shell()
	if err != nil {
		panic(err) // it is embedded
	}
	for _, a := range append(htmlreport.Assets(), htmlreport.Asset{Path: "/{$}", Type: "text/html; charset=utf-8", Data: shell}) {
		mux.HandleFunc("GET "+a.Path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", a.Type)
			if a.Path != "/{$}" {
				w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			}
			_, _ = w.Write(a.Data) // who asked may be gone
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fail(w, http.StatusNotFound, "no such page; open /") })
}

// ofFolder serves something of the run of a key.
func (s *Server) ofFolder(serve func(http.ResponseWriter, *http.Request, record.Folder)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		dir, ok := s.Catalog.Folder(r.PathValue("key"))
		if !ok {
			failWith(w, errNoRun)
			return
		}
		serve(w, r, record.Folder(dir))
	})
}

// A cleanWriter answers without secrets.
type cleanWriter struct{ http.ResponseWriter }

func (w cleanWriter) Write(p []byte) (int, error) {
	return redact.Writer{Writer: w.ResponseWriter}.Write(p)
}

// Unwrap is for [http.ResponseController].
func (w cleanWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// get answers requests for data at a path with what read returns, as JSON.
func get(mux *http.ServeMux, path string, read func(r *http.Request) (any, error)) {
	mux.HandleFunc("/api/"+path, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", http.MethodGet)
			fail(w, http.StatusMethodNotAllowed, "method %s, want GET", r.Method)
			return
		}
		v, err := read(r)
		var data []byte
		if err == nil {
			data, err = json.Marshal(v)
		}
		if err != nil {
			failWith(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(data) // who asked may be gone
	})
}

// A statusError is an error with the status that it is answered with.
type statusError struct {
	status int
	error
}

func statusf(status int, format string, args ...any) error {
	return &statusError{status, fmt.Errorf(format, args...)}
}

// failWith answers with an error: what is wrong with a run that was asked for is 422,
// unless the error says otherwise.
func failWith(w http.ResponseWriter, err error) {
	status := http.StatusUnprocessableEntity
	if e, ok := errors.AsType[*statusError](err); ok {
		status = e.status
	} else if errors.Is(err, treeview.ErrNoTree) {
		status = http.StatusNotFound
	}
	fail(w, status, "%v", err)
}

// fail answers with an error, and returns false.
func fail(w http.ResponseWriter, status int, format string, args ...any) bool {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if status != http.StatusNotModified {
		// Who asked may be gone.
		_ = json.NewEncoder(w).Encode(map[string]string{"error": fmt.Sprintf(format, args...)})
	}
	return false
}

// headers are those of every answer: the page loads what this server serves, turns no
// text into markup, and needs none of the features that it can be refused.
var headers = map[string]string{
	"Content-Security-Policy":      htmlreport.ServerPolicy,
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), serial=(), usb=()",
	"Cache-Control":                "no-store",
}

// maxBody is the most bytes that the body of a request may have.
const maxBody = 1 << 20

// guard lets only the page of this server ask. The checks come in an order: the name
// that the browser called the server by, for every path; then, for data, where the
// request comes from, the token, and the type of the body.
func (s *Server) guard(next http.Handler) http.Handler {
	next = http.NewCrossOriginProtection().Handler(next)
	token := sha256.Sum256([]byte(s.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		if !slices.ContainsFunc(s.Hosts, func(host string) bool { return strings.EqualFold(host, r.Host) }) {
			fail(w, http.StatusMisdirectedRequest, "this server goes by other names: %s", strings.Join(s.Hosts, ", "))
			return
		}
		if strings.HasPrefix(r.URL.Path, "/api/") && !admit(w, r, token) {
			return
		}
		next.ServeHTTP(w, r)
	})
}

// admit checks a request for data, and answers one that it refuses.
func admit(w http.ResponseWriter, r *http.Request, want [sha256.Size]byte) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return fail(w, http.StatusForbidden, "the request comes from another site; open the address that bench view prints")
	}
	if origin, there := r.Header["Origin"]; there && !strings.EqualFold(strings.Join(origin, " "), "http://"+r.Host) {
		return fail(w, http.StatusForbidden, "the request comes from a page of another origin; open the address that bench view prints")
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(token))
	switch {
	case !strings.EqualFold(scheme, "Bearer") || token == "":
		w.Header().Set("WWW-Authenticate", "Bearer")
		return fail(w, http.StatusUnauthorized, "no token; open the address that bench view printed")
	case subtle.ConstantTimeCompare(sum[:], want[:]) != 1:
		w.Header().Set("WWW-Authenticate", "Bearer")
		return fail(w, http.StatusUnauthorized, "wrong token; open the address that bench view printed when it started")
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodDelete:
	case http.MethodPost:
		if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
			return fail(w, http.StatusUnsupportedMediaType, "the body's Content-Type is %q, want application/json", r.Header.Get("Content-Type"))
		}
	default:
		w.Header().Set("Allow", "GET, HEAD, POST, DELETE")
		return fail(w, http.StatusMethodNotAllowed, "method %s, want GET or POST", r.Method)
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	return true
}

package gateway

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"recallbench/internal/text/redact"
)

// The bounds of what bodies take, in bytes. Of those that are large, or may be, some
// are in memory at a time.
const (
	maxBody  = 64 << 20
	large    = 1 << 20
	maxLarge = 8
)

// A Server answers the model calls of memories. It is safe for concurrent use.
type Server struct {
	log    *slog.Logger
	now    func() time.Time
	addr   string // host and port
	nobody string
	http   *http.Server
	proxy  *forwarder

	handlers sync.WaitGroup
	large    chan struct{} // has room for the large bodies that are in memory

	mu       sync.Mutex
	memories map[string]*Memory // by key
	outs     map[string]*Out    // by key
}

// Start starts a server on a free port of the local host. [Server.Close] ends it.
func Start(log *slog.Logger, now func() time.Time) (*Server, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.New("gateway: no port of the local host: " + err.Error())
	}
	s := &Server{
		log: log, now: now, addr: l.Addr().String(), nobody: newKey(), proxy: newForwarder(),
		large: make(chan struct{}, maxLarge), memories: make(map[string]*Memory), outs: make(map[string]*Out),
	}
	s.http = &http.Server{
		Handler: s, ReadHeaderTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(cleaned{log.Handler()}, slog.LevelDebug),
	}
	s.handlers.Go(func() { _ = s.http.Serve(l) }) // ends with Close
	return s, nil
}

// cleaned is a handler of what the HTTP server logs, which may hold a key.
type cleaned struct{ slog.Handler }

func (c cleaned) Handle(ctx context.Context, r slog.Record) error {
	r.Message = "gateway: " + redact.Guess(r.Message)
	return c.Handler.Handle(ctx, r)
}

// newKey returns a random key.
func newKey() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return "sk-rb-" + hex.EncodeToString(b[:])
}

// URL is the address to use as a base URL, such as http://127.0.0.1:1234/v1.
func (s *Server) URL() string { return "http://" + s.addr + "/v1" }

// NobodysKey is a key that belongs to no memory, for a process that has several: its
// calls fail with a hint.
func (s *Server) NobodysKey() string { return s.nobody }

// Close ends the server and what is under way.
func (s *Server) Close() error {
	err := s.http.Close()
	s.mu.Lock()
	var open []*Memory
	for _, m := range s.memories {
		open = append(open, m)
	}
	s.mu.Unlock()
	for _, m := range open {
		m.Close()
	}
	s.proxy.close()
	s.handlers.Wait()
	return err
}

// Open makes a key for a memory. [Memory.Close] revokes it.
func (s *Server) Open(models Models) *Memory {
	m := &Memory{
		server: s, models: models, key: newKey(),
		phases: make(map[string]*Phase), asked: make(map[string]bool), replaced: make(map[string]int),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.memories[m.key] = m
	return m
}

func (s *Server) revoke(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.memories, key)
	delete(s.outs, key)
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.handlers.Add(1)
	defer s.handlers.Done()
	switch {
	case r.Method == http.MethodConnect, r.URL.Host != "" && r.URL.Host != s.addr:
		s.forward(w, r)
	case !s.ours(r.Host):
		problem{http.StatusForbidden, "invalid_host", "this is " + s.addr + " and answers no other name"}.send(w)
	default:
		s.serve(w, r)
	}
}

// ours reports whether a header Host names the server: what a page in a browser was
// lured to does not.
func (s *Server) ours(host string) bool {
	_, port, _ := strings.Cut(s.addr, ":")
	return host == s.addr || host == "localhost:"+port
}

// served lists the paths, for messages.
const served = "POST /v1/chat/completions, POST /v1/embeddings, POST /v1/responses, GET /v1/models, GET /v1/models/{id}"

// serve answers a call of a model.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	path, key := r.URL.Path, bearer(r)
	if rest, ok := strings.CutPrefix(path, "/k/"); ok {
		key, path, _ = strings.Cut(rest, "/")
		path = "/" + path
	}
	s.mu.Lock()
	m := s.memories[key]
	s.mu.Unlock()
	if m == nil {
		p := problem{http.StatusUnauthorized, "invalid_api_key", "the key is of no memory that is open"}
		if key == s.nobody {
			p.message = "the key is that of a process with several memories; use models.key of memory/open"
		}
		p.send(w)
		return
	}
	x := &exchange{memory: m, w: w, r: r}
	// Azure's paths name the model.
	if rest, ok := strings.CutPrefix(path, "/openai/deployments/"); ok {
		x.deployment, path, _ = strings.Cut(rest, "/")
		path = "/v1/" + path
	}
	id, single := strings.CutPrefix(path, "/v1/models/")
	switch {
	case r.Method == http.MethodPost && path == "/v1/chat/completions":
		x.answer(x.chat)
	case r.Method == http.MethodPost && path == "/v1/responses":
		x.answer(x.response)
	case r.Method == http.MethodPost && path == "/v1/embeddings":
		x.answer(x.embeddings)
	case r.Method == http.MethodGet && path == "/v1/models":
		x.models()
	case r.Method == http.MethodGet && single:
		x.model(id)
	default:
		problem{http.StatusNotFound, "unknown_url", "no such path; there are " + served}.send(w)
	}
}

// bearer returns the key that a request brings in a header.
func bearer(r *http.Request) string {
	if key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return key
	}
	return r.Header.Get("api-key")
}

// An exchange is a request of a memory and its reply.
type exchange struct {
	memory     *Memory
	deployment string // the model that the path names; empty for none
	w          http.ResponseWriter
	r          *http.Request
}

// answer reads the body, and has it answered in the phase that it belongs to.
func (x *exchange) answer(by func(p *Phase, leave func(), body []byte) error) {
	release := func() {}
	if n := x.r.ContentLength; n < 0 || n > large {
		s := x.memory.server
		select {
		case s.large <- struct{}{}:
		case <-x.r.Context().Done():
			return
		}
		release = sync.OnceFunc(func() { <-s.large })
	}
	defer func() { release() }()
	var body bytes.Buffer
	body.Grow(int(min(max(x.r.ContentLength, 0), large)) + bytes.MinRead)
	if _, err := body.ReadFrom(http.MaxBytesReader(x.w, x.r.Body, maxBody)); err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			problem{http.StatusRequestEntityTooLarge, "too_large", "the body has more than 64 MiB"}.send(x.w)
		}
		return // the caller is gone
	}
	if body.Len() <= large {
		release()
	}
	p, leave, err := x.memory.enter(x.r.Header.Get("X-Recallbench-Request"))
	if err != nil {
		problemOf(err).send(x.w)
		return
	}
	leave = sync.OnceFunc(leave)
	defer leave()
	if err := by(p, leave, body.Bytes()); err != nil && !errors.Is(err, errGone) {
		problemOf(err).send(x.w)
	}
}

// again reports whether the caller's client says that it tries a request again.
func (x *exchange) again() bool {
	n := x.r.Header.Get("X-Stainless-Retry-Count")
	return n != "" && n != "0"
}

// named notes the name of the model that was asked for, and refuses it where another
// one is wanted. It returns the name of the reply.
func (x *exchange) named(p *Phase, asked, own string) (string, error) {
	if x.deployment != "" {
		asked = x.deployment
	}
	x.memory.note(asked)
	if asked == "" {
		return own, nil
	}
	if x.memory.models.Strict && asked != own {
		return "", p.refuse(asked, own)
	}
	return asked, nil
}

// models lists the models of the entry.
func (x *exchange) models() {
	var list []any
	for _, name := range []string{x.memory.models.ChatName, x.memory.models.EmbedName} {
		if name != "" {
			list = append(list, modelOf(name))
		}
	}
	send(x.w, http.StatusOK, map[string]any{"object": "list", "data": list})
}

// model describes one.
func (x *exchange) model(id string) {
	if m := x.memory.models; m.Strict && id != m.ChatName && id != m.EmbedName {
		problem{http.StatusNotFound, "model_not_found", "no such model; have " + m.ChatName + " and " + m.EmbedName}.send(x.w)
		return
	}
	send(x.w, http.StatusOK, modelOf(id))
}

func modelOf(name string) any {
	return map[string]any{"id": name, "object": "model", "created": created, "owned_by": "recallbench"}
}

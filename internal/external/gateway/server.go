package gateway

import (
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
)

// A Server answers the model calls of memories. It is safe for concurrent use.
type Server struct {
	log  *slog.Logger
	now  func() time.Time
	addr string // host and port
	http *http.Server

	proxyKey string

	handlers sync.WaitGroup

	mu       sync.Mutex
	memories map[string]*Memory // by key
	hosts    map[string]int     // other hosts that were asked for, by host and port
}

// Start starts a server on a free port of the local host. [Server.Close] ends it.
func Start(log *slog.Logger, now func() time.Time) (*Server, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.New("gateway: no port of the local host: " + err.Error())
	}
	s := &Server{
		log: log, now: now, addr: l.Addr().String(),
		memories: make(map[string]*Memory), hosts: make(map[string]int), proxyKey: newKey(),
	}
	s.http = &http.Server{
		Handler: s, ReadHeaderTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug), // what callers do, which may hold a key
	}
	s.handlers.Go(func() { _ = s.http.Serve(l) }) // ends with Close
	return s, nil
}

// newKey returns a random key.
func newKey() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return "sk-rb-" + hex.EncodeToString(b[:])
}

// URL is the address to use as a base URL, such as http://127.0.0.1:1234/v1.
func (s *Server) URL() string { return "http://" + s.addr + "/v1" }

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
	s.handlers.Wait()
	return err
}

// Open makes a key for a memory. [Memory.Close] revokes it.
func (s *Server) Open(models Models) *Memory {
	m := &Memory{server: s, models: models, key: newKey()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.memories[m.key] = m
	return m
}

func (s *Server) revoke(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.memories, key)
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.handlers.Add(1)
	defer s.handlers.Done()
	switch {
	case r.Method == http.MethodConnect, r.URL.Host != "" && r.URL.Host != s.addr:
		s.refuse(w, r)
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
	path := r.URL.Path
	key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.mu.Lock()
	m := s.memories[key]
	s.mu.Unlock()
	if m == nil {
		problem{http.StatusUnauthorized, "invalid_api_key", "the key is of no memory that is open"}.send(w)
		return
	}
	x := &exchange{memory: m, w: w, r: r}
	switch {
	case r.Method == http.MethodPost && path == "/v1/chat/completions":
		x.answer(x.asks(readChat, (*completion).body)) //nolint:contextcheck // the context is that of the request
	case r.Method == http.MethodPost && path == "/v1/responses":
		x.answer(x.asks(readResponse, asResponse)) //nolint:contextcheck // the context is that of the request
	case r.Method == http.MethodPost && path == "/v1/embeddings":
		x.answer(x.embeddings)
	case r.Method == http.MethodGet && path == "/v1/models":
		list := []any{}
		for _, name := range []string{m.models.ChatName, m.models.EmbedName} {
			if name != "" {
				list = append(list, modelOf(name))
			}
		}
		send(w, http.StatusOK, map[string]any{"object": "list", "data": list})
	case r.Method == http.MethodGet && strings.HasPrefix(path, "/v1/models/"):
		send(w, http.StatusOK, modelOf(strings.TrimPrefix(path, "/v1/models/")))
	default:
		x.fail(http.StatusNotFound, "unknown_url", "no such path; there are "+served)
	}
}

// modelOf describes a model.
func modelOf(name string) any {
	return map[string]any{"id": name, "object": "model", "created": created, "owned_by": "recallbench"}
}

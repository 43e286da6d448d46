package gateway

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"recallbench/internal/door/fault"
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
	open := slices.Collect(maps.Values(s.memories))
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

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.handlers.Add(1)
	defer s.handlers.Done()
	switch {
	case r.Method == http.MethodConnect, r.URL.Host != "" && r.URL.Host != s.addr:
		s.refuse(w, r)
	case r.Host != s.addr && r.Host != strings.Replace(s.addr, "127.0.0.1", "localhost", 1): // what a page in a browser was lured to
		problem{http.StatusForbidden, "invalid_host", "this is " + s.addr + " and answers no other name"}.send(w)
	default:
		s.serve(w, r)
	}
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
	switch {
	case r.Method == http.MethodPost && path == "/v1/chat/completions":
		m.answer(w, r, func(p *Phase, body []byte) (any, error) {
			b, err := readChat(body, p.role)
			return m.completed(r, p, b, err, (*completion).body)
		})
	case r.Method == http.MethodPost && path == "/v1/responses":
		m.answer(w, r, func(p *Phase, body []byte) (any, error) {
			b, err := readResponse(body, p.role)
			return m.completed(r, p, b, err, asResponse)
		})
	case r.Method == http.MethodPost && path == "/v1/embeddings":
		m.answer(w, r, func(p *Phase, body []byte) (any, error) { return m.embeddings(r, p, body) })
	case r.Method == http.MethodGet && path == "/v1/models":
		list := []any{}
		for _, name := range []string{m.models.ChatName, m.models.EmbedName} {
			if name != "" {
				list = append(list, modelOf(name))
			}
		}
		send(w, http.StatusOK, object{"object": "list", "data": list})
	case r.Method == http.MethodGet && strings.HasPrefix(path, "/v1/models/"):
		send(w, http.StatusOK, modelOf(strings.TrimPrefix(path, "/v1/models/")))
	default:
		m.answer(w, r, func(p *Phase, _ []byte) (any, error) {
			return p.refuse(&fault.Error{Kind: fault.Rejected, Status: http.StatusNotFound, Code: "unknown_url", Message: "no such path; there are " + served})
		})
	}
}

// maxBody bounds the body of a request, in bytes.
const maxBody = 64 << 20

// answer reads the body, and has it answered in the phase that it belongs to.
func (m *Memory) answer(w http.ResponseWriter, r *http.Request, by func(p *Phase, body []byte) (any, error)) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		by = func(p *Phase, _ []byte) (any, error) {
			return p.refuse(&fault.Error{Kind: fault.Rejected, Status: http.StatusRequestEntityTooLarge, Code: "too_large", Message: "the body has more than 64 MiB"})
		}
	} else if err != nil {
		return // the caller is gone
	}
	var reply any
	p, leave, err := m.enter()
	if err == nil {
		reply, err = by(p, body)
		leave()
	}
	switch chunks, streamed := reply.(events); {
	case errors.Is(err, errGone):
	case err != nil:
		problemOf(err).send(w)
	case streamed:
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-cache")
		for _, chunk := range chunks {
			_, _ = fmt.Fprintf(w, "data: %s\n\n", encode(chunk)) // the caller may be gone
		}
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	default:
		send(w, http.StatusOK, reply)
	}
}

// completed answers what was read of a body: with events where it asks for a stream, else
// with a completion as the interface has it.
func (m *Memory) completed(r *http.Request, p *Phase, b *chatBody, err error, whole func(*completion) any) (any, error) {
	if err != nil {
		return p.refuse(err)
	}
	c, err := m.complete(r, p, b)
	switch {
	case err != nil:
		return nil, err
	case b.stream:
		return c.chunks(b.usage), nil
	default:
		return whole(c), nil
	}
}

// refuse refuses a request that reaches no door, of which the phase knows all the same.
func (p *Phase) refuse(err error) (any, error) {
	p.judge(err)
	return nil, err
}

// modelOf describes a model.
func modelOf(name string) any {
	return object{"id": name, "object": "model", "created": created, "owned_by": "recallbench"}
}

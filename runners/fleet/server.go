package fleet

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"recallbench/runners"
)

// holdTime is how long a request is held before the worker is told to ask again.
const holdTime = 5 * time.Second

// pings are how either side of a silent connection looks whether the other is there.
var pings = &http.HTTP2Config{SendPingTimeout: 5 * time.Second, PingTimeout: 5 * time.Second, MaxConcurrentStreams: 1 << 10}

// Listen accepts workers at an address such as ":4222". Before [Coordinator.Run] they are
// told to ask again, and after it that the run is over.
func (c *Coordinator) Listen(address string) error {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", address)
	if err != nil {
		return fmt.Errorf("cannot listen for workers: %w; want an address of this machine, such as :4222", err)
	}
	c.init()
	c.URL = "tls://" + listener.Addr().String()
	c.server = &http.Server{
		Handler: c, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10, HTTP2: pings,
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{c.Keys.certificate}},
		ErrorLog:  slog.NewLogLogger(c.Log.Handler(), slog.LevelDebug),
	}
	go func() { _ = c.server.ServeTLS(listener, "", "") }() // until Close
	return nil
}

// lateTime is how long workers that have connected and not asked yet, or that came before
// the run began, may take to ask.
const lateTime = 2 * time.Second

// Close ends the connections of workers.
func (c *Coordinator) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), lateTime)
	defer cancel()
	for left := true; left && ctx.Err() == nil; time.Sleep(againTime / 10) {
		c.mu.Lock()
		left = len(c.early) > 0
		c.mu.Unlock()
	}
	_ = c.server.Shutdown(ctx) // who is later looks for a coordinator
	return c.server.Close()
}

// init makes the handlers of requests.
func (c *Coordinator) init() {
	c.mux, c.changed = http.NewServeMux(), make(chan struct{})
	c.sessions, c.failures, c.files = make(map[string]*session), make(map[runners.Unit][]string), make(map[string]*os.File)
	c.early = make(map[string]bool)
	handle(c, opJoin, c.join)
	handle(c, opFile, c.readFile)
	handle(c, opLease, c.lease)
	handle(c, opRenew, c.renew)
	handle(c, opDeliver, c.deliver)
	handle(c, opEnd, c.endUnit)
	handle(c, opTry, c.tryCall)
	handle(c, opReserve, c.reserve)
	handle(c, opSettle, c.settle)
	handle(c, opCalls, func(_ context.Context, s *session, request []byte) (any, error) {
		return c.calls.Answer(s.ctx, s.owner, request) //nolint:contextcheck // calls are answered as long as the session continues
	})
	handle(c, opLeave, func(_ context.Context, s *session, _ struct{}) (any, error) {
		c.Log.Info("a worker has left", "worker", s.shown.Name)
		c.leave(s, true)
		return nil, nil
	})
}

// ServeHTTP handles requests that have the token.
func (c *Coordinator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if subtle.ConstantTimeCompare([]byte(token), []byte(c.Keys.Token)) != 1 {
		http.Error(w, "the token is not that of the run", statusToken)
		return
	}
	c.mu.Lock()
	begun, closed := c.begun, c.closed
	if id := r.Header.Get(sessionHeader); begun {
		delete(c.early, id)
	} else {
		c.early[id] = true
	}
	if begun && !closed {
		c.serving.Add(1)
		defer c.serving.Done()
	}
	c.mu.Unlock()
	switch {
	case !begun:
		http.Error(w, "the run starts soon", http.StatusServiceUnavailable)
	case closed:
		http.Error(w, errOver.Error(), statusOver)
	default:
		c.mux.ServeHTTP(w, r)
	}
}

// Errors that an answer has a status for.
var (
	errWait    = errors.New("ask again")
	errUnknown = errors.New("there is no such session")
)

// handle has do answer what a request asks, which may take [Coordinator.hold]. It fails
// with errWait where that is too short.
func handle[T any](c *Coordinator, op string, do func(context.Context, *session, T) (any, error)) {
	c.mux.HandleFunc("POST /"+op, func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), c.hold)
		defer cancel()
		var answer any
		var body T
		s, err := c.session(r.Header.Get(sessionHeader), op)
		if err == nil {
			err = read(w, r, &body)
		}
		if err == nil {
			answer, err = do(ctx, s, body)
		}
		c.reply(w, s, op, answer, err)
	})
}

// read decodes the body of a request.
func read(w http.ResponseWriter, r *http.Request, body any) error {
	if r.ContentLength < 0 || r.ContentLength > maxMessage {
		return fmt.Errorf("a message of %d bytes, want at most %d", r.ContentLength, maxMessage)
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(time.Minute)) // a recorder of tests has none
	data := make([]byte, r.ContentLength)
	if _, err := io.ReadFull(r.Body, data); err != nil {
		return fmt.Errorf("a truncated message: %w", err)
	}
	if err := decode(data, body); err != nil {
		return fmt.Errorf("an invalid message: %w", err)
	}
	return nil
}

// reply answers a request of a session, which is nil where there is none.
func (c *Coordinator) reply(w http.ResponseWriter, s *session, op string, answer any, err error) {
	var data []byte
	if err == nil {
		data, err = encode(answer)
	}
	if err == nil && len(data) > maxMessage {
		err = fmt.Errorf("the response to %s has %d bytes, want at most %d", op, len(data), maxMessage)
	}
	switch {
	case err == nil:
	case errors.Is(err, errWait), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		w.WriteHeader(statusWait)
	case errors.Is(err, errUnknown):
		w.WriteHeader(statusUnknown)
	case errors.Is(err, errOver):
		w.WriteHeader(statusOver)
	default:
		c.refused(s, op, err)
		w.WriteHeader(statusRefused)
		data, _ = encode(toWire(err)) // strings and numbers do
	}
	_, _ = w.Write(data) // where it does not arrive, the worker asks again
}

// openFiles opens the files of the user for workers, by the path in the config. They
// stay open, so that nobody takes them away.
func (c *Coordinator) openFiles(own map[string]string) error {
	for option, path := range own {
		sum, err := hashOf(path)
		if err == nil {
			c.files[sum], err = os.Open(path)
		}
		if err != nil {
			return fmt.Errorf("a file for workers: %w", err)
		}
		c.welcome.Files = append(c.welcome.Files, sentFile{option, path, sum})
	}
	return nil
}

// maxChunk is how many bytes of a file are sent at a time.
const maxChunk = 4 << 20

// readFile returns what a file of the user has from an offset on.
func (c *Coordinator) readFile(_ context.Context, _ *session, q fileRequest) (any, error) {
	file := c.files[q.SHA256]
	if file == nil || q.Offset < 0 {
		return nil, fmt.Errorf("no file with SHA-256 %.64q from byte %d", q.SHA256, q.Offset)
	}
	data := make([]byte, maxChunk)
	n, err := file.ReadAt(data, q.Offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return data[:n], nil
}

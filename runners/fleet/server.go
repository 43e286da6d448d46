package fleet

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"recallbench/runners"
)

// holdTime is how long a request is held before the worker is told to ask again.
const holdTime = 5 * time.Second

// Bounds of what workers may ask at the same time, and of the bodies that are held for
// them in bytes.
const (
	maxAsked = 1 << 14
	maxHeld  = 16 * maxMessage
)

// How often either side of a silent connection looks whether the other is there, and how
// long that may take.
var pings = &http.HTTP2Config{SendPingTimeout: 5 * time.Second, PingTimeout: 5 * time.Second, MaxConcurrentStreams: 1 << 10}

// Listen reaches workers at an address such as ":4222". Until [Coordinator.Run] they are
// told to ask again, and after it that the run is over.
func (c *Coordinator) Listen(address string) error {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", address)
	if err != nil {
		return fmt.Errorf("workers cannot be reached: %w", err)
	}
	c.init()
	c.URL = "tls://" + listener.Addr().String()
	c.server = &http.Server{
		Handler: c, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10, HTTP2: pings,
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{c.Keys.certificate}},
		ErrorLog:  slog.NewLogLogger(c.Log.Handler(), slog.LevelDebug),
		ConnState: func(_ net.Conn, s http.ConnState) {
			switch s {
			case http.StateNew:
				c.connections.Add(1)
			case http.StateClosed, http.StateHijacked:
				c.connections.Add(-1)
			}
		},
	}
	go func() { _ = c.server.ServeTLS(listener, "", "") }() // until Close
	return nil
}

// Close ends the connections of workers.
func (c *Coordinator) Close() error { return c.server.Close() }

// init makes the handlers of requests.
func (c *Coordinator) init() {
	c.ready, c.mux = make(chan struct{}), http.NewServeMux()
	c.sessions, c.tries = make(map[string]*session), make(map[runners.Unit][]attempt)
	c.changed = make(chan struct{})
	c.mux.HandleFunc("GET /files/{sum}", c.sendFile)
	handle(c, opJoin, c.join)
	handle(c, opLease, c.lease)
	handle(c, opRenew, c.renew)
	handle(c, opDeliver, c.deliver)
	handle(c, opEnd, c.endUnit)
	handle(c, opKept, c.kept)
	handle(c, opCalls, func(_ context.Context, s *session, request []byte) (any, error) {
		return c.calls.Answer(s.ctx, s.owner, request)
	})
	handle(c, opTry, c.tryCall)
	handle(c, opReserve, c.reserve)
	handle(c, opSettle, c.settle)
	handle(c, opLeave, func(_ context.Context, s *session, _ struct{}) (any, error) {
		c.Log.Info("a worker has left", "worker", s.shown.Name)
		c.leave(s, true)
		return nil, nil
	})
}

// ServeHTTP lets those in who have the token, as many as there is room for.
func (c *Coordinator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if subtle.ConstantTimeCompare([]byte(token), []byte(c.Keys.Token)) != 1 {
		http.Error(w, "the token is not that of the run", statusToken)
		return
	}
	select {
	case <-c.ready:
	default:
		http.Error(w, "the run begins soon", http.StatusServiceUnavailable)
		return
	}
	c.mu.Lock()
	closed, busy := c.closed, c.asked >= maxAsked
	if !closed && !busy {
		c.asked++
		c.serving.Add(1)
	}
	c.mu.Unlock()
	switch {
	case closed:
		http.Error(w, errOver.Error(), statusOver)
		return
	case busy:
		http.Error(w, errBusy.Error(), http.StatusServiceUnavailable)
		return
	}
	defer func() {
		c.mu.Lock()
		c.asked--
		c.mu.Unlock()
		c.serving.Done()
	}()
	c.mux.ServeHTTP(w, r)
}

// Errors that an answer has a status for.
var (
	errWait    = errors.New("ask again")
	errBusy    = errors.New("too many requests")
	errUnknown = errors.New("there is no such session")
)

// handle has do answer what a request asks, which may take [Coordinator.hold]. It fails
// with errWait where that is too short.
func handle[T any](c *Coordinator, op string, do func(context.Context, *session, T) (any, error)) {
	c.mux.HandleFunc("POST /"+op, func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), c.hold)
		defer cancel()
		var body T
		s, err := c.session(r.Header.Get(sessionHeader), op)
		if err == nil {
			err = c.read(w, r, &body)
		}
		var answer any = struct{}{}
		if err == nil {
			answer, err = do(ctx, s, body)
		}
		c.reply(w, s, op, answer, err)
	})
}

// read decodes the body of a request.
func (c *Coordinator) read(w http.ResponseWriter, r *http.Request, body any) error {
	size := r.ContentLength
	if size < 0 || size > maxMessage {
		return fmt.Errorf("a message of %d bytes, want at most %d", size, maxMessage)
	}
	if c.held.Add(size) > maxHeld {
		c.held.Add(-size)
		return errBusy
	}
	defer c.held.Add(-size)
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(time.Minute)) // a recorder of tests has none
	data := make([]byte, size)
	if _, err := io.ReadFull(r.Body, data); err != nil {
		return fmt.Errorf("a message that breaks off: %w", err)
	}
	if err := decode(data, body); err != nil {
		return fmt.Errorf("a message that is no question: %w", err)
	}
	return nil
}

// reply answers a request of a session, which is nil where there is none.
func (c *Coordinator) reply(w http.ResponseWriter, s *session, op string, answer any, err error) {
	status := http.StatusOK
	var data []byte
	if err == nil {
		data, err = encode(answer)
	}
	if err == nil && len(data) > maxMessage {
		err = fmt.Errorf("the answer to %s has %d bytes, want at most %d", op, len(data), maxMessage)
	}
	switch {
	case err == nil:
	case errors.Is(err, errWait), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		status, data = statusWait, nil
	case errors.Is(err, errBusy):
		status, data = http.StatusServiceUnavailable, nil
	case errors.Is(err, errUnknown):
		status, data = statusUnknown, nil
	case errors.Is(err, errOver):
		status, data = statusOver, nil
	default:
		c.refused(s, op, err)
		status = statusRefused
		data, _ = encode(toWire(err)) // strings and numbers do
	}
	w.WriteHeader(status)
	_, _ = w.Write(data) // where it does not arrive, the worker asks again
}

// sendFile sends a file of the user that the run reads, or a range of it.
func (c *Coordinator) sendFile(w http.ResponseWriter, r *http.Request) {
	file := c.files[r.PathValue("sum")]
	if file == nil {
		http.NotFound(w, r)
		return
	}
	info, err := file.Stat()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	http.ServeContent(w, r, "", time.Time{}, io.NewSectionReader(file, 0, info.Size()))
}

// openFiles opens the files of the user for workers, by the path in the config. They
// stay open, so that nobody takes them away.
func (c *Coordinator) openFiles(own map[string]string) error {
	c.files = make(map[string]*os.File)
	for option, path := range own {
		file, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("a file for workers: %w", err)
		}
		sum, err := hashOf(file)
		if err != nil {
			return errors.Join(fmt.Errorf("a file for workers: %w", err), file.Close())
		}
		c.files[sum] = file
		c.welcome.Files = append(c.welcome.Files, sentFile{option, path, sum})
	}
	return nil
}

// hashOf returns the SHA-256 of a file in hexadecimal digits.
func hashOf(file *os.File) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, io.NewSectionReader(file, 0, math.MaxInt64))
	return hex.EncodeToString(h.Sum(nil)), err
}

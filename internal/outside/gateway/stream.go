package gateway

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

// waitEvery is how often a stream shows that it lives.
const waitEvery = 15 * time.Second

// A stream sends a completion as events. While there is nothing to send it says so
// now and then, and from then on cannot fail by a status.
type stream struct {
	w    http.ResponseWriter
	done chan struct{}
	over sync.WaitGroup
	mu   sync.Mutex
	open bool // the header is sent
	stop func()
}

func startStream(w http.ResponseWriter) *stream {
	s := &stream{w: w, done: make(chan struct{})}
	s.over.Go(func() {
		tick := time.NewTicker(waitEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				s.write([]byte(": wait\n\n"))
			case <-s.done:
				return
			}
		}
	})
	s.stop = sync.OnceFunc(func() {
		close(s.done)
		s.over.Wait()
	})
	return s
}

// write sends bytes at once, the header before the first.
func (s *stream) write(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open {
		s.open = true
		s.w.Header().Set("Content-Type", "text/event-stream")
		s.w.Header().Set("Cache-Control", "no-cache")
		s.w.WriteHeader(http.StatusOK)
	}
	_, _ = s.w.Write(data) // the caller may be gone
	_ = http.NewResponseController(s.w).Flush()
}

// send sends the events of a completion and ends the stream.
func (s *stream) send(events []byte) {
	s.stop()
	s.write(events)
}

// unnamed returns the events of chunks, and the one that ends them.
func unnamed(chunks []any) (data []byte) {
	for _, c := range chunks {
		data = append(append(append(data, "data: "...), encode(c)...), "\n\n"...)
	}
	return append(data, "data: [DONE]\n\n"...)
}

// titled returns events that have their types as names.
func titled(events []map[string]any) (data []byte) {
	for _, e := range events {
		data = fmt.Appendf(data, "event: %s\ndata: %s\n\n", e["type"], encode(e))
	}
	return data
}

// fail ends the stream with an error: as an event where the header is sent, else it
// returns it.
func (s *stream) fail(err error) error {
	s.stop()
	if !s.open {
		return err
	}
	s.write(append(append([]byte("data: "), encode(problemOf(err).body())...), "\n\n"...))
	return nil
}

package gateway

import (
	"net/http"
	"time"
)

// keepAlive is how often a stream shows that it lives while the model is asked.
const keepAlive = 15 * time.Second

// stream sends a completion as events. A failure before the first byte is returned;
// a later one is an event.
func (x *exchange) stream(b *chatBody, complete func() (*completion, error)) error {
	var c *completion
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		c, err = complete()
	}()
	open := false
	write := func(data []byte) {
		if !open {
			open = true
			x.w.Header().Set("Content-Type", "text/event-stream")
			x.w.Header().Set("Cache-Control", "no-cache")
			x.w.WriteHeader(http.StatusOK)
		}
		_, _ = x.w.Write(data) // the caller may be gone
		_ = http.NewResponseController(x.w).Flush()
	}
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			write([]byte(": wait\n\n"))
			continue
		case <-done:
		}
		if err != nil && !open {
			return err
		}
		var events []byte
		add := func(v any) { events = append(append(append(events, "data: "...), encode(v)...), "\n\n"...) }
		if err != nil {
			add(problemOf(err).body())
		} else {
			for _, chunk := range c.chunks(b.usage) {
				add(chunk)
			}
			events = append(events, "data: [DONE]\n\n"...)
		}
		write(events)
		return nil
	}
}

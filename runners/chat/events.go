package chat

import (
	"encoding/json"
	"sync"
	"time"
)

// maxEvents is how many events a client that returns can catch up on.
const maxEvents = 1000

// An Event is something that happened in a chat.
type Event struct {
	ID   int             `json:"id"` // grows by one
	Name string          `json:"event"`
	Data json.RawMessage `json:"data"`
}

// events holds the newest events of a chat and wakes who waits for the next.
type events struct {
	mu   sync.Mutex
	all  []Event
	last int
	next chan struct{} // closed by the next event
}

// newEvents returns events whose ids are far from those of another process.
func newEvents(now time.Time) events { return events{last: int(now.UnixMilli())} }

func (e *events) add(name string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		text = []byte("null") // what is in a log can be written
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	e.all = append(e.all, Event{e.last, name, text})
	if len(e.all) > maxEvents {
		e.all = e.all[len(e.all)-maxEvents:]
	}
	if e.next != nil {
		close(e.next)
		e.next = nil
	}
}

// from returns where a client goes on that has seen the event of an id. Known is false
// where it missed too much, or comes from another process.
func (e *events) from(id int) (last int, known bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if id > e.last || id < e.last-len(e.all) {
		return e.last, false
	}
	return id, true
}

// since returns the events after an id, and a channel that the next one closes.
func (e *events) since(id int) ([]Event, <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.next == nil {
		e.next = make(chan struct{})
	}
	var after []Event
	for _, ev := range e.all {
		if ev.ID > id {
			after = append(after, ev)
		}
	}
	return after, e.next
}

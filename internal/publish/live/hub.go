package live

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"recallbench/internal/publish/catalog"
	"recallbench/internal/result/record"
)

// A Hub follows runs while somebody watches them.
type Hub struct {
	config Config
	mu     sync.Mutex
	runs   []*Run // the last used one at the end
}

// NewHub returns a hub that follows nothing yet.
func NewHub(c Config) *Hub { return &Hub{config: c} }

// maxFollowed is how many runs a hub remembers what it read of.
const maxFollowed = 4

// Run returns the run in a folder.
func (h *Hub) Run(folder record.Folder) *Run {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := slices.IndexFunc(h.runs, func(r *Run) bool { return r.follower.folder == folder })
	var run *Run
	if at >= 0 {
		run = h.runs[at]
		h.runs = slices.Delete(h.runs, at, at+1)
	} else {
		run = newRun(h.config, folder)
		if len(h.runs) == maxFollowed {
			h.runs = slices.Delete(h.runs, 0, 1) // who watches it goes on to
		}
	}
	h.runs = append(h.runs, run)
	return run
}

// A Run is a run that is followed. It is safe for concurrent use.
type Run struct {
	mu       sync.Mutex
	follower follower
	last     uint64 // id of the last event
	events   []Event
	ticked   time.Time
	wait     time.Duration // until the next tick
	status   catalog.State
}

// How often files are looked at: as often that ticks take a hundredth of the time, but
// within bounds.
const (
	leastWait = 500 * time.Millisecond
	mostWait  = 5 * time.Second
	readRate  = 8 << 20 // bytes a second
)

// maxEvents is how many events a run keeps for those who come back.
const maxEvents = 1000

func newRun(c Config, folder record.Folder) *Run {
	// Ids of another process, or of what was forgotten, are far from these.
	r := &Run{wait: leastWait, last: uint64(max(0, c.Now().UnixMilli()))}
	r.follower = follower{Config: c, folder: folder, emit: r.emit}
	return r
}

// emit adds an event; mu is held. What cannot be told is not.
func (r *Run) emit(name string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		return
	}
	r.last++
	r.events = append(r.events, Event{r.last, name, text})
	if len(r.events) > 2*maxEvents {
		r.events = slices.Clone(r.events[len(r.events)-maxEvents:])
	}
}

// Look reads what is new where the last look is some time ago, and returns the events
// after one of an id: those that were missed, or the whole state where it is not
// among the last. It also returns when to look again.
func (r *Run) Look(after uint64) (events []Event, again time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.follower.Now()
	if since := now.Sub(r.ticked); r.ticked.IsZero() || since >= r.wait || since < 0 {
		first, before, age := r.ticked.IsZero(), r.last, r.follower.figuresAt
		read, _ := r.follower.tick()
		state := r.follower.whole()
		if r.last > before && !r.follower.figuresAt.Equal(age) || state.Status != r.status && r.status != "" {
			r.emit(EventState, state)
		}
		r.status = state.Status
		r.ticked = r.follower.Now()
		took := r.ticked.Sub(now)
		if first { // which reads the questions, once
			took = 0
		}
		r.wait = max(leastWait, min(mostWait, 100*took), time.Duration(read*int64(time.Second)/readRate))
	}
	if after > 0 && after <= r.last && r.last-after <= uint64(len(r.events)) {
		return slices.Clone(r.events[len(r.events)-int(r.last-after):]), r.wait
	}
	text, err := json.Marshal(r.follower.whole())
	if err != nil {
		text = []byte("{}")
	}
	return []Event{{r.last, EventState, text}}, r.wait
}

// Watch calls send with the events after one of an id as they come, until ctx ends or
// send fails. After 15 seconds without any it calls send with nothing.
func (r *Run) Watch(ctx context.Context, after uint64, send func([]Event) error) error {
	const quiet = 15 * time.Second
	said := r.follower.Now()
	for {
		events, wait := r.Look(after)
		now := r.follower.Now()
		if len(events) > 0 || now.Sub(said) >= quiet {
			if err := send(events); err != nil {
				return err
			}
			said = now
		}
		if len(events) > 0 {
			after = events[len(events)-1].ID
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

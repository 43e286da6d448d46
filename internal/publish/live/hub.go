// Package live reports the state of runs in progress: their finished part, scored as
// 'bench score' does. It opens files for reading only and takes no lock, so that
// neither the run nor a resumption of it is disturbed.
package live

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// Config says how runs are followed.
type Config struct {
	// Metric finds a metric by its name.
	Metric func(name string) (*metrics.Spec, error)
	// Alone reports whether a metric scores a record by itself; the others wait for
	// the end of the run.
	Alone func(spec *metrics.Spec) bool
	// Scorer returns a function that scores records of a row with such metrics.
	Scorer func(folder record.Folder, h record.Header, c record.Cell, specs []*metrics.Spec, blocks []record.Block) (func(record.Record) (record.Score, error), error)
	Now    func() time.Time
}

// An Event is a change of a run. Its data is a [State] as JSON.
type Event struct {
	ID   uint64          `json:"id"`
	Name string          `json:"event"` // "state"
	Data json.RawMessage `json:"data"`
}

// A Hub follows runs while somebody watches them.
type Hub struct {
	config Config
	mu     sync.Mutex
	runs   map[record.Folder]*Run
}

// NewHub returns a hub that follows nothing yet.
func NewHub(c Config) *Hub { return &Hub{config: c, runs: make(map[record.Folder]*Run)} }

// Run returns the run in a folder.
func (h *Hub) Run(folder record.Folder) *Run {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.runs[folder] == nil {
		// Ids of another process are far from these.
		h.runs[folder] = &Run{Config: h.config, folder: folder, last: Event{ID: uint64(max(0, h.config.Now().UnixMilli())), Name: "state"}}
	}
	return h.runs[folder]
}

// A Run is a run being followed. It is safe for concurrent use.
type Run struct {
	Config
	folder record.Folder
	mu     sync.Mutex
	last   Event
	looked time.Time
	told   string // the stamp and state of the last event

	stamp  string // of the files that finished was read from
	head   string // and of run.json among them
	readAt time.Time
	took   time.Duration
	header record.Header
	finished
}

// Every is how often files are looked at, and readShare how many times as long as
// reading them takes is waited until they are read again, unless the run has ended.
const (
	Every     = 500 * time.Millisecond
	readShare = 100
)

// Look reads changes if the last look is some time ago, and returns the state as an
// event; nil if it is the one with the given id.
func (r *Run) Look(after uint64) *Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.Now()
	if since := now.Sub(r.looked); r.looked.IsZero() || since >= Every || since < 0 {
		r.looked = now
		r.look(now)
	}
	if after == r.last.ID {
		return nil
	}
	return new(r.last)
}

// look reads the run where it has changed, and makes an event where that tells something new.
func (r *Run) look(now time.Time) {
	stamp := record.Stamp(string(r.folder), "run.json", "cells/*/records.jsonl", "cells/*/blocks.jsonl", "cells/*/ingests.jsonl")
	head := record.Stamp(string(r.folder), "run.json")
	if stamp != r.stamp && (head != r.head || now.Sub(r.readAt) >= readShare*r.took) {
		begun := r.Now()
		r.read()
		r.stamp, r.head, r.readAt, r.took = stamp, head, now, r.Now().Sub(begun)
	}
	s := r.whole(now)
	told := r.stamp + string(s.Status) + record.Stamp(string(r.folder), "scores.jsonl", "progress.json")
	if told == r.told {
		return
	}
	if data, err := json.Marshal(s); err == nil { // what cannot be told is not
		r.told, r.last.Data = told, data
		r.last.ID++
	}
}

// Watch calls send with each event after the one with an id as it comes, until ctx
// ends or send fails. After 15 seconds without any it calls send with nil.
func (r *Run) Watch(ctx context.Context, after uint64, send func(*Event) error) error {
	const quiet = 15 * time.Second
	for said := r.Now(); ; {
		event := r.Look(after)
		if now := r.Now(); event != nil || now.Sub(said) >= quiet {
			if err := send(event); err != nil {
				return err
			}
			said = now
		}
		if event != nil {
			after = event.ID
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(Every):
		}
	}
}

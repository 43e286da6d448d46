package server

import (
	"fmt"
	"io"
	"net/http"
	"strconv"

	"recallbench/internal/publish/live"
	"recallbench/internal/result/record"
)

// maxStreams is how many event streams there are at once. Browsers keep about six
// connections to a server, and the page needs some for the rest.
const maxStreams = 4

// streaming keeps the number of event streams in bounds.
func (s *Server) streaming(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case s.streams <- struct{}{}:
			defer func() { <-s.streams }()
			next.ServeHTTP(w, r)
		default:
			w.Header().Set("Retry-After", "2")
			fail(w, http.StatusTooManyRequests, "%d event streams are open; ask for the data itself every few seconds", maxStreams)
		}
	})
}

// events streams the events of a run until the page goes.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	run, after, err := s.followed(r.URL.Query().Get("run"), r.Header.Get("Last-Event-ID"))
	if err != nil {
		failWith(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	// The page going is how a stream ends; Flush says so.
	_ = run.Watch(r.Context(), after, func(e *live.Event) error {
		text := ":\n\n"
		if e != nil {
			text = fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", e.ID, e.Name, e.Data)
		}
		_, _ = io.WriteString(w, text)
		return out.Flush()
	})
}

// live answers with the events of a run after one of an id.
func (s *Server) live(r *http.Request) (any, error) {
	run, after, err := s.followed(r.PathValue("key"), r.URL.Query().Get("after"))
	if err != nil {
		return nil, err
	}
	events := []*live.Event{}
	if event := run.Look(after); event != nil {
		events = append(events, event)
	}
	return map[string]any{"events": events, "again_ms": live.Every.Milliseconds()}, nil
}

// followed returns the run of a key and the id of an event; an empty id is 0.
func (s *Server) followed(key, after string) (run *live.Run, id uint64, err error) {
	dir, ok := s.Catalog.Folder(key)
	if !ok {
		return nil, 0, errNoRun
	}
	if record.IsBaseline(dir) {
		return nil, 0, statusf(http.StatusBadRequest, "a baseline is not in progress")
	}
	if after != "" {
		if id, err = strconv.ParseUint(after, 10, 64); err != nil {
			return nil, 0, statusf(http.StatusBadRequest, "event id %q, want a number", after)
		}
	}
	return s.Hub.Run(record.Folder(dir)), id, nil
}

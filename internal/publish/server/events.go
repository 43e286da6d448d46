package server

import (
	"fmt"
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
	run, err := s.followed(r.URL.Query().Get("run"))
	if err != nil {
		failWith(w, err)
		return
	}
	after, err := eventID(r.Header.Get("Last-Event-ID"))
	if err != nil {
		failWith(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	// The page going is how a stream ends; Flush says so.
	_ = run.Watch(r.Context(), after, func(events []live.Event) error {
		if len(events) == 0 {
			_, _ = fmt.Fprint(w, ":\n\n")
		}
		for _, e := range events {
			_, _ = fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", e.ID, e.Name, e.Data)
		}
		return out.Flush()
	})
}

// live answers with the events of a run after one of an id.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	run, err := s.followed(r.PathValue("key"))
	if err != nil {
		failWith(w, err)
		return
	}
	after, err := eventID(r.URL.Query().Get("after"))
	if err != nil {
		failWith(w, err)
		return
	}
	events, again := run.Look(after)
	if events == nil {
		events = []live.Event{}
	}
	sendValue(w, map[string]any{"events": events, "again_ms": again.Milliseconds()})
}

func (s *Server) followed(key string) (*live.Run, error) {
	dir, ok := s.Catalog.Folder(key)
	if !ok {
		return nil, errNoRun
	}
	if record.IsBaseline(dir) {
		return nil, statusf(http.StatusBadRequest, "a baseline does not go on")
	}
	return s.Hub.Run(record.Folder(dir)), nil
}

func eventID(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	id, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, statusf(http.StatusBadRequest, "event id %q, want a number", text)
	}
	return id, nil
}

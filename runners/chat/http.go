package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Handler serves the chats of an engine below /api/chat. Whoever mounts it checks who
// may ask.
func (e *Engine) Handler() http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, f func(r *http.Request) (status int, body any, err error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			status, body, err := f(r)
			if err != nil {
				refuse(w, err)
				return
			}
			reply(w, status, body)
		})
	}
	handle("GET /api/chat", func(*http.Request) (int, any, error) { return http.StatusOK, e.List(), nil })
	handle("GET /api/chat/examples", func(*http.Request) (int, any, error) { return http.StatusOK, Examples(), nil })
	handle("POST /api/chat", func(r *http.Request) (int, any, error) {
		s, err := body[Start](r)
		if err != nil {
			return 0, nil, err
		}
		c, err := e.Begin(r.Context(), s)
		if err != nil {
			return 0, nil, err
		}
		return http.StatusCreated, map[string]any{"id": c.Start.ID, "head": c.Head, "version": c.version(c.Head)}, nil
	})
	handle("GET /api/chat/{id}", func(r *http.Request) (int, any, error) {
		v, err := e.View(r.PathValue("id"))
		return http.StatusOK, v, err
	})
	handle("GET /api/chat/{id}/structure", func(r *http.Request) (int, any, error) {
		turn, err := number(r, "turn")
		if err != nil {
			return 0, nil, err
		}
		s, err := e.Structure(r.PathValue("id"), turn)
		return http.StatusOK, s, err
	})
	handle("POST /api/chat/{id}/turn", func(r *http.Request) (int, any, error) {
		asked, err := body[struct {
			Parent int    `json:"parent"`
			Text   string `json:"text"`
		}](r)
		if err != nil {
			return 0, nil, err
		}
		turn, err := e.Ask(r.Context(), r.PathValue("id"), asked.Parent, asked.Text)
		return http.StatusAccepted, map[string]int{"turn": turn}, err
	})
	handle("POST /api/chat/{id}/head", func(r *http.Request) (int, any, error) {
		to, err := body[struct {
			Turn int `json:"turn"`
		}](r)
		if err == nil {
			err = e.Move(r.PathValue("id"), to.Turn)
		}
		return http.StatusOK, map[string]int{"head": to.Turn}, err
	})
	handle("POST /api/chat/{id}/cancel", func(r *http.Request) (int, any, error) {
		return http.StatusOK, map[string]bool{"cancelled": true}, e.Cancel(r.PathValue("id"))
	})
	handle("POST /api/chat/{id}/query", func(r *http.Request) (int, any, error) {
		q, err := body[struct {
			Version int    `json:"version"`
			Query   string `json:"query"`
		}](r)
		if err != nil {
			return 0, nil, err
		}
		s, err := e.Query(r.Context(), r.PathValue("id"), q.Version, q.Query)
		return http.StatusOK, s, err
	})
	handle("POST /api/chat/{id}/mark", func(r *http.Request) (int, any, error) {
		m, err := body[Mark](r)
		if err == nil {
			err = e.Mark(r.PathValue("id"), m)
		}
		return http.StatusOK, map[string]int{"turn": m.Turn}, err
	})
	mux.HandleFunc("GET /api/chat/{id}/events", e.stream)
	mux.HandleFunc("GET /api/chat/{id}/export", e.download)
	return mux
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A client that went away is told nothing.
	_ = json.NewEncoder(w).Encode(body)
}

// refuse answers with an error.
func refuse(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	if fault, ok := errors.AsType[*StatusError](err); ok {
		status = fault.Status
	}
	reply(w, status, map[string]string{"error": err.Error()})
}

// maxBody bounds a request's body: a tree as JSON.
const maxBody = MaxTree + 64<<10

// body reads the JSON of a request.
func body[T any](r *http.Request) (v T, err error) {
	data, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return v, err
	}
	if len(data) > maxBody {
		return v, faultf(http.StatusRequestEntityTooLarge, "the body has more than %d bytes", maxBody)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return v, faultf(http.StatusBadRequest, "the body: %w", err)
	}
	return v, nil
}

// number reads a number of a request's query; 0 where it is not there.
func number(r *http.Request, name string) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, faultf(http.StatusBadRequest, "%s is %.40q, want a number", name, text)
	}
	return n, nil
}

// beat is the time between comments of a stream, which keep it open.
const beat = 15 * time.Second

// stream sends the events of a chat after Last-Event-ID as they happen. To who missed
// some it sends the event state first: the chat is to be read anew.
func (e *Engine) stream(w http.ResponseWriter, r *http.Request) {
	o, err := e.find(r.PathValue("id"))
	if err != nil {
		refuse(w, err)
		return
	}
	// No number is an id that nobody has seen.
	last, _ := strconv.Atoi(r.Header.Get("Last-Event-ID"))
	last, known := o.events.from(last)
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	if !known {
		if _, err := fmt.Fprintf(w, "id: %d\nevent: state\ndata: {}\n\n", last); err != nil {
			return
		}
	}
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		events, next := o.events.since(last)
		for _, ev := range events {
			if _, err := fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", ev.ID, ev.Name, ev.Data); err != nil {
				return
			}
			last = ev.ID
		}
		if err := out.Flush(); err != nil {
			return
		}
		select {
		case <-next:
		case <-tick.C:
			if _, err := io.WriteString(w, ":\n\n"); err != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

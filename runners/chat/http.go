package chat

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"recallbench/internal/backend/calls"
	"recallbench/internal/text/suggest"
)

// Handler serves the chats of an engine below /api/chat. Whoever mounts it checks who
// may ask.
func (e *Engine) Handler() http.Handler {
	mux := http.NewServeMux()
	// handle answers with a status and a body, or an error.
	handle := func(pattern string, status int, f func(r *http.Request, id string) (body any, err error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			body, err := f(r, r.PathValue("id"))
			if err != nil {
				refuse(w, err)
				return
			}
			reply(w, status, body)
		})
	}
	handle("GET /api/chat", http.StatusOK, func(*http.Request, string) (any, error) { return e.List(), nil })
	handle("GET /api/chat/examples", http.StatusOK, func(*http.Request, string) (any, error) { return Examples() })
	handle("POST /api/chat", http.StatusCreated, func(r *http.Request, _ string) (any, error) {
		s, err := body[Start](r)
		if err != nil {
			return nil, err
		}
		c, err := e.Begin(r.Context(), s)
		if err != nil {
			return nil, err
		}
		return map[string]any{"id": c.Start.ID, "head": c.Head, "version": c.version(c.Head)}, nil
	})
	handle("GET /api/chat/{id}", http.StatusOK, func(_ *http.Request, id string) (any, error) { return e.View(id) })
	handle("GET /api/chat/{id}/structure", http.StatusOK, func(r *http.Request, id string) (any, error) {
		text := r.URL.Query().Get("turn")
		turn, err := strconv.Atoi(text)
		if err != nil && text != "" {
			return nil, statusf(http.StatusBadRequest, "turn is %.40q, want a number", text)
		}
		return e.Structure(id, turn)
	})
	type asked struct {
		Parent  int    `json:"parent"`
		Text    string `json:"text"`
		Turn    int    `json:"turn"`
		Version int    `json:"version"`
		Query   string `json:"query"`
	}
	// post is handle for what a page asks of a chat.
	post := func(path string, status int, f func(ctx context.Context, id string, q asked) (body any, err error)) {
		handle("POST /api/chat/{id}/"+path, status, func(r *http.Request, id string) (any, error) {
			q, err := body[asked](r)
			if err != nil {
				return nil, err
			}
			return f(r.Context(), id, q)
		})
	}
	post("turn", http.StatusAccepted, func(ctx context.Context, id string, q asked) (any, error) {
		turn, err := e.Ask(ctx, id, q.Parent, q.Text)
		return map[string]int{"turn": turn}, err
	})
	post("head", http.StatusOK, func(_ context.Context, id string, q asked) (any, error) {
		return map[string]int{"head": q.Turn}, e.Move(id, q.Turn)
	})
	post("query", http.StatusOK, func(ctx context.Context, id string, q asked) (any, error) {
		return e.Query(ctx, id, q.Version, q.Query)
	})
	handle("POST /api/chat/{id}/cancel", http.StatusOK, func(_ *http.Request, id string) (any, error) {
		return map[string]bool{"cancelled": true}, e.Cancel(id)
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
	data, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return v, statusf(http.StatusRequestEntityTooLarge, "the body: %w, want at most %d bytes", err, maxBody)
	case err == nil:
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		err = statusf(http.StatusBadRequest, "the body: %w", err)
	}
	return v, err
}

// events tell the pages that show a chat what happens. The zero value has no page.
type events struct {
	mu    sync.Mutex
	last  int // number of the newest
	pages map[chan []byte]bool
}

// pending is how many events a page may be behind.
const pending = 1000

// add tells all pages of an event. One that is too far behind is let go: it comes back and
// reads the chat anew.
func (e *events) add(name string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		text = []byte("null") // what is in a log can be written
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	for page := range e.pages {
		select {
		case page <- fmt.Appendf(nil, "id: %d\nevent: %s\ndata: %s\n\n", e.last, name, text):
		default:
			close(page)
			delete(e.pages, page)
		}
	}
}

// follow returns the events from now on, until stop is called.
func (e *events) follow() (page chan []byte, stop func()) {
	page = make(chan []byte, pending)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pages == nil {
		e.pages = make(map[chan []byte]bool)
	}
	e.pages[page] = true
	return page, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.pages, page)
	}
}

// beat is the time between comments of a stream, which keep it open.
const beat = 15 * time.Second

// stream sends the events of a chat as they happen. The first is state: the chat is to be
// read, since a page that comes back may have missed some.
func (e *Engine) stream(w http.ResponseWriter, r *http.Request) {
	o, err := e.find(r.PathValue("id"))
	if err != nil {
		refuse(w, err)
		return
	}
	page, stop := o.events.follow()
	defer stop()
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	tick := time.NewTicker(beat)
	defer tick.Stop()
	text := []byte("id: 0\nevent: state\ndata: {}\n\n")
	for open := true; open; {
		if _, err := w.Write(text); err != nil {
			return
		}
		if err := out.Flush(); err != nil {
			return
		}
		select {
		case text, open = <-page:
		case <-tick.C:
			text = []byte(":\n\n")
		case <-r.Context().Done():
			return
		}
	}
}

// download sends a chat as a zip file: as "chat" its folder, as "calls" the recordings of
// its calls.
func (e *Engine) download(w http.ResponseWriter, r *http.Request) {
	id, as := r.PathValue("id"), r.URL.Query().Get("as")
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	err := e.with(id, func(o *open) error {
		switch as {
		case "chat":
			return z.AddFS(os.DirFS(o.dir))
		case "calls":
			f, err := z.Create("chat-" + id + ".db")
			if err != nil {
				return err
			}
			return e.exportCalls(r.Context(), f, o.chat)
		}
		return statusf(http.StatusBadRequest, "as: %s", suggest.Unknown("format", as, []string{"calls", "chat"}))
	})
	if err = errors.Join(err, z.Close()); err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", "chat-"+id+"-"+as+".zip"))
	// A client that went away is told nothing.
	_, _ = w.Write(b.Bytes())
}

// exportCalls writes the recordings of a chat's calls as one file.
func (e *Engine) exportCalls(ctx context.Context, w io.Writer, c *Chat) error {
	store, err := e.Store()
	if err != nil {
		return &StatusError{http.StatusUnprocessableEntity, err}
	}
	defer store.Close()
	var ids []string
	for _, t := range c.Turns {
		ids = append(ids, t.Record.Calls...)
	}
	if len(ids) == 0 {
		return statusf(http.StatusUnprocessableEntity, "no call of the chat was recorded")
	}
	var all []*calls.Recording
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		found, err := store.Find(id)
		if err == nil && len(found) == 0 {
			err = statusf(http.StatusUnprocessableEntity, "call %s is not in %s", id, store.Dir())
		}
		if err != nil {
			return err
		}
		all = append(all, found[0])
	}
	return calls.Export(ctx, w, all)
}

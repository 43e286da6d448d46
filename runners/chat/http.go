package chat

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"recallbench/internal/backend/calls"
	"recallbench/internal/result/record"
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
	handle("GET /api/chat/examples", http.StatusOK, func(*http.Request, string) (any, error) { return Examples(), nil })
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
		turn := 0
		if text := r.URL.Query().Get("turn"); text != "" {
			var err error
			if turn, err = strconv.Atoi(text); err != nil {
				return nil, faultf(http.StatusBadRequest, "turn is %.40q, want a number", text)
			}
		}
		return e.Structure(id, turn)
	})
	handle("POST /api/chat/{id}/turn", http.StatusAccepted, func(r *http.Request, id string) (any, error) {
		asked, err := body[struct {
			Parent int    `json:"parent"`
			Text   string `json:"text"`
		}](r)
		if err != nil {
			return nil, err
		}
		turn, err := e.Ask(r.Context(), id, asked.Parent, asked.Text)
		return map[string]int{"turn": turn}, err
	})
	handle("POST /api/chat/{id}/head", http.StatusOK, func(r *http.Request, id string) (any, error) {
		to, err := body[struct {
			Turn int `json:"turn"`
		}](r)
		if err == nil {
			err = e.Move(id, to.Turn)
		}
		return map[string]int{"head": to.Turn}, err
	})
	handle("POST /api/chat/{id}/cancel", http.StatusOK, func(_ *http.Request, id string) (any, error) {
		return map[string]bool{"cancelled": true}, e.Cancel(id)
	})
	handle("POST /api/chat/{id}/query", http.StatusOK, func(r *http.Request, id string) (any, error) {
		q, err := body[struct {
			Version int    `json:"version"`
			Query   string `json:"query"`
		}](r)
		if err != nil {
			return nil, err
		}
		return e.Query(r.Context(), id, q.Version, q.Query)
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
		return v, faultf(http.StatusRequestEntityTooLarge, "the body has more than %d bytes, want at most that", maxBody)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return v, faultf(http.StatusBadRequest, "the body: %w", err)
	}
	return v, nil
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

// Export returns a chat as files: as "chat", its folder; as "calls", the recordings of its
// calls as one file.
func (e *Engine) Export(ctx context.Context, id, as string) (files map[string][]byte, err error) {
	files = make(map[string][]byte)
	err = e.with(id, func(o *open) error {
		switch as {
		case "chat":
			for _, name := range []string{logFile, o.chat.Start.Source.Tree} {
				if name == "" { // a conversation
					continue
				}
				data, err := os.ReadFile(filepath.Join(o.dir, name))
				if err != nil {
					return err
				}
				files[name] = data
			}
			return nil
		case "calls":
			var b bytes.Buffer
			var ids []string
			for _, t := range o.chat.Turns {
				ids = append(ids, t.Record.Calls...)
			}
			if err := e.Calls(ctx, &b, ids); err != nil {
				return &StatusError{http.StatusUnprocessableEntity, err}
			}
			files["chat-"+id+".db"] = b.Bytes()
			return nil
		default:
			return faultf(http.StatusBadRequest, "as: %s", suggest.Unknown("format", as, []string{"calls", "chat"}))
		}
	})
	return files, err
}

// CallsIn is an [Engine]'s Calls that opens a store for each export.
func CallsIn(open func() (*calls.Store, error)) func(ctx context.Context, w io.Writer, ids []string) error {
	return func(ctx context.Context, w io.Writer, ids []string) error {
		store, err := open()
		if err != nil {
			return err
		}
		defer store.Close()
		var all []*calls.Recording
		for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
			found, err := store.Find(id)
			if err != nil {
				return err
			}
			if len(found) == 0 {
				return fmt.Errorf("call %s is not in %s", id, store.Dir())
			}
			all = append(all, found[0])
		}
		if len(all) == 0 {
			return errors.New("no call of the chat was recorded")
		}
		return calls.Export(ctx, w, all)
	}
}

// download sends an export as a zip file.
func (e *Engine) download(w http.ResponseWriter, r *http.Request) {
	id, as := r.PathValue("id"), r.URL.Query().Get("as")
	files, err := e.Export(r.Context(), id, as)
	if err != nil {
		refuse(w, err)
		return
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := z.Create(name)
		if err == nil {
			_, err = f.Write(files[name])
		}
		if err != nil {
			refuse(w, err)
			return
		}
	}
	if err := z.Close(); err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", record.FileName("chat-"+id+"-"+as)+".zip"))
	// A client that went away is told nothing.
	_, _ = w.Write(b.Bytes())
}

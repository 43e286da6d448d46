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
	"strconv"
	"sync"
	"time"

	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
	"recallbench/internal/text/suggest"
)

// Handler serves the chats of an engine below /api/chat. Whoever mounts it checks who
// may ask.
func (e *Engine) Handler() http.Handler {
	mux := http.NewServeMux()
	// handle answers with a status and a body, or an error.
	handle := func(pattern string, status int, f func(r *http.Request) (body any, err error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			body, err := f(r)
			if err != nil {
				refuse(w, err)
				return
			}
			reply(w, status, body)
		})
	}
	// chat is handle for what is asked of a chat, which nobody else changes meanwhile.
	chat := func(pattern string, status int, f func(r *http.Request, o *open, q asked) (body any, err error)) {
		handle(pattern, status, func(r *http.Request) (any, error) {
			o, err := e.find(r.PathValue("id"))
			if err != nil {
				return nil, err
			}
			var q asked
			if r.Method == http.MethodPost {
				if q, err = body[asked](r); err != nil {
					return nil, err
				}
			}
			o.mu.Lock()
			defer o.mu.Unlock()
			return f(r, o, q)
		})
	}
	handle("GET /api/chat", http.StatusOK, func(*http.Request) (any, error) { return e.list(), nil })
	handle("GET /api/chat/examples", http.StatusOK, func(*http.Request) (any, error) { return Examples() })
	handle("POST /api/chat/choices", http.StatusOK, func(r *http.Request) (any, error) {
		s, err := body[Source](r)
		if err != nil || e.Choices == nil {
			return Choices{}, err
		}
		return e.Choices(r.Context(), s.Dataset, s.Options)
	})
	handle("POST /api/chat", http.StatusCreated, func(r *http.Request) (any, error) {
		s, err := body[Start](r)
		if err != nil {
			return nil, err
		}
		c, err := e.begin(r.Context(), s)
		if err != nil {
			return nil, err
		}
		return map[string]any{"id": c.Start.ID, "head": c.Head, "version": c.version(c.Head)}, nil
	})
	chat("GET /api/chat/{id}", http.StatusOK, func(_ *http.Request, o *open, _ asked) (any, error) { return o.view(), nil })
	chat("GET /api/chat/{id}/structure", http.StatusOK, func(r *http.Request, o *open, _ asked) (any, error) {
		text := r.URL.Query().Get("turn")
		turn, err := strconv.Atoi(text)
		if err != nil && text != "" {
			return nil, statusf(http.StatusBadRequest, "turn is %.40q, want a number", text)
		}
		return o.chat.structure(turn)
	})
	chat("POST /api/chat/{id}/turn", http.StatusAccepted, func(r *http.Request, o *open, q asked) (any, error) {
		turn, err := e.ask(r.Context(), o, q.Parent, q.Text)
		return map[string]int{"turn": turn}, err
	})
	chat("POST /api/chat/{id}/head", http.StatusOK, func(_ *http.Request, o *open, q asked) (any, error) {
		return map[string]int{"head": q.Turn}, e.move(o, q.Turn)
	})
	chat("POST /api/chat/{id}/query", http.StatusOK, func(r *http.Request, o *open, q asked) (any, error) {
		return e.query(r.Context(), o, q.Version, q.Query)
	})
	chat("POST /api/chat/{id}/cancel", http.StatusOK, func(_ *http.Request, o *open, _ asked) (any, error) {
		if o.cancel != nil {
			o.cancel()
		}
		return map[string]bool{"cancelled": true}, nil
	})
	mux.HandleFunc("GET /api/chat/{id}/events", e.stream)
	mux.HandleFunc("GET /api/chat/{id}/export", e.download)
	return mux
}

// asked is what a page asks of a chat: a turn, a move of the head, or a query.
type asked struct {
	Parent  int    `json:"parent"`
	Text    string `json:"text"`
	Turn    int    `json:"turn"`
	Version int    `json:"version"`
	Query   string `json:"query"`
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
	if fault, ok := errors.AsType[*statusError](err); ok {
		status = fault.status
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

// events are what has happened to a chat since this process opened it. The zero value
// has none.
type events struct {
	mu    sync.Mutex
	texts [][]byte
	more  chan struct{} // closed when there is another
}

// add adds an event.
func (e *events) add(name string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		text = []byte("null") // what is in a log can be written
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.texts = append(e.texts, fmt.Appendf(nil, "id: %d\nevent: %s\ndata: %s\n\n", len(e.texts)+1, name, text))
	if e.more != nil {
		close(e.more)
		e.more = nil
	}
}

// after returns the events from number n on, and what is closed when there are more.
func (e *events) after(n int) ([][]byte, <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.more == nil {
		e.more = make(chan struct{})
	}
	return e.texts[min(n, len(e.texts)):], e.more
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
	before, _ := o.events.after(0)
	sent := len(before)
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	tick := time.Tick(beat)
	_, _ = io.WriteString(w, "id: 0\nevent: state\ndata: {}\n\n") // a page that went ends the flush
	for {
		texts, more := o.events.after(sent)
		for _, text := range texts {
			_, _ = w.Write(text)
		}
		sent += len(texts)
		if err := out.Flush(); err != nil {
			return
		}
		select {
		case <-more:
		case <-tick:
			_, _ = io.WriteString(w, ":\n\n")
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
	o, err := e.find(id)
	switch {
	case err != nil:
	case as == "chat":
		o.mu.Lock()
		err = z.AddFS(os.DirFS(o.dir))
		o.mu.Unlock()
	case as == "calls":
		err = e.exportCalls(r.Context(), z, o)
	default:
		err = statusf(http.StatusBadRequest, "as: %s", suggest.Unknown("format", as, []string{"calls", "chat"}))
	}
	if err = errors.Join(err, z.Close()); err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", "chat-"+id+"-"+as+".zip"))
	// A client that went away is told nothing.
	_, _ = w.Write(b.Bytes())
}

// exportCalls adds a file of recordings with the calls of a chat.
func (e *Engine) exportCalls(ctx context.Context, z *zip.Writer, o *open) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	store, err := e.Store()
	if err != nil {
		return unfit(err)
	}
	defer store.Close()
	var names []string
	for _, t := range o.chat.Turns {
		names = lists.AddNew(names, t.Record.Calls...)
	}
	var all []*calls.Recording
	for _, call := range names {
		found, err := store.Find(call)
		if err == nil && len(found) == 0 {
			err = statusf(http.StatusUnprocessableEntity, "call %s is not in %s", call, store.Dir())
		}
		if err != nil {
			return err
		}
		all = append(all, found[0])
	}
	if len(all) == 0 {
		return statusf(http.StatusUnprocessableEntity, "no call of the chat was recorded")
	}
	f, err := z.Create("chat-" + o.chat.Start.ID + ".db")
	if err != nil {
		return err
	}
	return calls.Export(ctx, f, all)
}

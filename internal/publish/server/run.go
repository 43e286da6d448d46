package server

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"recallbench/internal/publish/live"
	"recallbench/internal/result/record"
)

// runs answers with the index of runs, or with 304 where the page has the newest.
func (s *Server) runs(r *http.Request) (any, error) {
	index := s.Catalog.Index()
	if r.URL.Query().Get("since") == index.Rev {
		return nil, statusf(http.StatusNotModified, "")
	}
	return index, nil
}

var errNoRun = statusf(http.StatusNotFound, "no such run; it may have been moved or removed")

// folders returns the folders of the runs that a path names by their keys, joined
// by +.
func (s *Server) folders(r *http.Request) (keys, dirs []string, err error) {
	keys = strings.Split(r.PathValue("key"), "+")
	for _, key := range keys {
		dir, ok := s.Catalog.Folder(key)
		if !ok {
			return nil, nil, errNoRun
		}
		dirs = append(dirs, dir)
	}
	return keys, dirs, nil
}

// part answers with a part of what pages show of runs.
func (s *Server) part(r *http.Request, name string) (any, error) {
	book, err := s.book(r)
	if err != nil {
		return nil, err
	}
	data, err := book.Part(name, r.URL.Query().Get("column"))
	return json.RawMessage(data), err
}

// of answers with something of a request of a book.
func (s *Server) of(read func(Book, int, *http.Request) (any, error)) func(*http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		book, err := s.book(r)
		if err != nil {
			return nil, err
		}
		n, err := number(r, book, r.PathValue("n"))
		if err != nil {
			return nil, err
		}
		return read(book, n, r)
	}
}

// prompts answers with the differences of what models were asked for two requests.
func prompts(book Book, n int, r *http.Request) (any, error) {
	other, err := number(r, book, r.URL.Query().Get("with"))
	if err != nil {
		return nil, err
	}
	return book.Prompts(n, other)
}

// wordOrPhrase is what a search is made of: a word, or a "phrase" between quotes.
var wordOrPhrase = regexp.MustCompile(`"([^"]+)"|(\S+)`)

// search answers with the numbers of the requests whose texts have all words.
func (s *Server) search(r *http.Request) (any, error) {
	var words []string
	for _, m := range wordOrPhrase.FindAllStringSubmatch(strings.ToLower(r.URL.Query().Get("q")), -1) {
		words = append(words, m[1]+m[2])
	}
	if len(words) == 0 {
		return nil, statusf(http.StatusBadRequest, "no words to search for; want q=WORD+WORD")
	}
	book, err := s.book(r)
	if err != nil {
		return nil, err
	}
	found, err := book.Search(words)
	return map[string][]int{"requests": found}, err
}

// A Side is what is compared: a run, or of it the row of a label.
type Side struct {
	Dir string
	Row string // METHOD or METHOD@MODEL; empty for all
}

// contrast answers with the rows of a comparison. A side is named as KEY, KEY:METHOD or
// KEY:METHOD@MODEL, and has to be of one of the runs that the path names. Where a and b are
// not given, the first run is the base of the others.
func (s *Server) contrast(r *http.Request) (any, error) {
	keys, dirs, err := s.folders(r)
	if err != nil {
		return nil, err
	}
	query := r.URL.Query()
	names := slices.Concat(query["a"], query["b"])
	switch {
	case len(names) == 0:
		names = keys
	case len(query["a"]) != 1 || len(query["b"]) == 0:
		return nil, statusf(http.StatusBadRequest, "%d bases and %d sides; want one a and at least one b", len(query["a"]), len(query["b"]))
	}
	if len(names) < 2 {
		return nil, statusf(http.StatusBadRequest, "one run has nothing to be compared with; name two rows of it as a=KEY:METHOD@MODEL and b=KEY:METHOD@MODEL")
	}
	var sides []Side
	for _, name := range names {
		key, label, _ := strings.Cut(name, ":")
		at := slices.Index(keys, key)
		if at < 0 {
			return nil, statusf(http.StatusBadRequest, "side %q is of none of the runs; want KEY, KEY:METHOD or KEY:METHOD@MODEL", name)
		}
		sides = append(sides, Side{dirs[at], label})
	}
	select { // room for what takes long
	case s.heavy <- struct{}{}:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	defer func() { <-s.heavy }()
	data, err := s.Contrast(sides[0], sides[1:], query["column"], query.Get("by"))
	return json.RawMessage(data), err
}

// number returns the number of a request, which has to be one of a book.
func number(r *http.Request, book Book, text string) (int, error) {
	if rev := r.URL.Query().Get("rev"); rev != "" && rev != book.Rev() {
		return 0, statusf(http.StatusConflict, "the run has changed since its index was read; read the index again")
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n >= book.Len() {
		return 0, statusf(http.StatusNotFound, "no request %q; there are %d, counted from 0", text, book.Len())
	}
	return n, nil
}

// book returns the book of the runs that a path names, as their files are now.
func (s *Server) book(r *http.Request) (Book, error) {
	_, dirs, err := s.folders(r)
	if err != nil {
		return nil, err
	}
	var tag strings.Builder
	for _, dir := range dirs {
		tag.WriteString(dir + "\n" + record.Stamp(dir, "run.json", "scores.jsonl", "config.yaml", "cells/*/*.jsonl", "gold/*.jsonl", "ratings/*.jsonl"))
	}
	return s.books.get(tag.String(), func() (Book, error) {
		s.heavy <- struct{}{}
		defer func() { <-s.heavy }()
		return s.Open(dirs)
	})
}

// books holds the books that were opened last, each with the index of its requests.
type books struct {
	mu   sync.Mutex
	last []opened // the last used one at the end
}

type opened struct {
	tag  string // the folders, with the sizes and times of their files
	book func() (Book, error)
}

// maxBooks is how many books are held.
const maxBooks = 3

// get returns the book of a tag. Those who ask for the same at once wait for one that
// opens it; what cannot be opened is tried again.
func (b *books) get(tag string, open func() (Book, error)) (Book, error) {
	b.mu.Lock()
	o := opened{tag, sync.OnceValues(open)}
	if at := slices.IndexFunc(b.last, func(have opened) bool { return have.tag == tag }); at >= 0 {
		o = b.last[at]
		b.last = slices.Delete(b.last, at, at+1)
	}
	b.last = append(b.last, o)
	b.last = b.last[max(0, len(b.last)-maxBooks):]
	b.mu.Unlock()
	book, err := o.book()
	if err != nil {
		b.mu.Lock()
		b.last = slices.DeleteFunc(b.last, func(have opened) bool { return have.tag == tag })
		b.mu.Unlock()
	}
	return book, err
}

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

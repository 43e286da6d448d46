package server

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"recallbench/internal/result/record"
)

// runs answers with the index of runs, or with 304 where the page has the newest.
func (s *Server) runs(w http.ResponseWriter, r *http.Request) {
	index := s.Catalog.Index()
	if r.URL.Query().Get("since") == index.Rev {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	sendValue(w, index)
}

var errNoRun = statusf(http.StatusNotFound, "no such run; it may have been moved or removed")

// maxSides is how many runs one page shows.
const maxSides = 8

// folders returns the folders of the runs that a path names by their keys, joined
// by +.
func (s *Server) folders(r *http.Request) ([]string, error) {
	keys := strings.Split(r.PathValue("key"), "+")
	if len(keys) > maxSides {
		return nil, statusf(http.StatusBadRequest, "%d runs, want at most %d", len(keys), maxSides)
	}
	var dirs []string
	for _, key := range keys {
		dir, ok := s.Catalog.Folder(key)
		if !ok {
			return nil, errNoRun
		}
		if slices.Contains(dirs, dir) {
			return nil, statusf(http.StatusBadRequest, "a run is given twice, want each once")
		}
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

// part answers with a part of what pages show of runs.
func (s *Server) part(w http.ResponseWriter, r *http.Request, name string) {
	book, tag, err := s.book(r)
	if err != nil {
		failWith(w, err)
		return
	}
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	data, err := book.Part(name)
	if err != nil {
		failWith(w, err)
		return
	}
	send(w, data)
}

// request answers with what there is of a request.
func (s *Server) request(w http.ResponseWriter, r *http.Request) {
	book, n, err := s.numbered(r)
	if err != nil {
		failWith(w, err)
		return
	}
	data, err := book.Request(n)
	if err != nil {
		failWith(w, err)
		return
	}
	send(w, data)
}

// of answers with something of a request.
func (s *Server) of(read func(Book, int) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		book, n, err := s.numbered(r)
		var v any
		if err == nil {
			v, err = read(book, n)
		}
		if err != nil {
			failWith(w, err)
			return
		}
		sendValue(w, v)
	}
}

// prompts answers with the differences of what models were asked for two requests.
func (s *Server) prompts(w http.ResponseWriter, r *http.Request) {
	book, n, err := s.numbered(r)
	var other int
	if err == nil {
		other, err = s.number(r, book, r.URL.Query().Get("with"))
	}
	if err != nil {
		failWith(w, err)
		return
	}
	pairs, err := s.Prompts(book, n, other)
	if err != nil {
		failWith(w, err)
		return
	}
	sendValue(w, pairs)
}

// number returns the number of a request, which has to be one of a book.
func (s *Server) number(r *http.Request, book Book, text string) (int, error) {
	if rev := r.URL.Query().Get("rev"); rev != "" && rev != book.Rev() {
		return 0, statusf(http.StatusConflict, "the run has changed since its index was read; read the index again")
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n >= book.Len() {
		return 0, statusf(http.StatusNotFound, "no request %q; there are %d, counted from 0", text, book.Len())
	}
	return n, nil
}

// numbered returns the book of the runs that a path names, and the number of its
// request.
func (s *Server) numbered(r *http.Request) (Book, int, error) {
	book, _, err := s.book(r)
	if err != nil {
		return nil, 0, err
	}
	n, err := s.number(r, book, r.PathValue("n"))
	return book, n, err
}

// book returns the book of the runs that a path names, with its tag.
func (s *Server) book(r *http.Request) (Book, string, error) {
	dirs, err := s.folders(r)
	if err != nil {
		return nil, "", err
	}
	tag := tagOf(dirs)
	book, err := s.books.get(tag, dirs, s.heavy)
	return book, tag, err
}

// tagOf names the state of some run folders: the sizes and times of their files.
func tagOf(dirs []string) string {
	all := sha256.New()
	for _, dir := range dirs {
		fmt.Fprintf(all, "%s\n%s\n", dir, record.Stamp(dir, "run.json", "scores.jsonl", "config.yaml", "cells/*/*.jsonl", "gold/*.jsonl", "ratings/*.jsonl"))
	}
	return `"` + hex.EncodeToString(all.Sum(nil)[:12]) + `"`
}

// books holds the books that were opened last.
type books struct {
	open func(dirs []string) (Book, error)
	mu   sync.Mutex
	last []*opened // the last used one at the end
}

type opened struct {
	tag  string
	book func() (Book, error)
}

// maxBooks is how many books are held, each with the index of its requests.
const maxBooks = 3

// get returns the book of some folders in the state that a tag names. Those who ask
// for the same at once wait for one that opens it; at most as many as heavy has
// room for are opened at a time.
func (b *books) get(tag string, dirs []string, heavy chan struct{}) (Book, error) {
	b.mu.Lock()
	at := slices.IndexFunc(b.last, func(o *opened) bool { return o.tag == tag })
	var o *opened
	if at >= 0 {
		o = b.last[at]
		b.last = slices.Delete(b.last, at, at+1)
	} else {
		o = &opened{tag, sync.OnceValues(func() (Book, error) {
			heavy <- struct{}{}
			defer func() { <-heavy }()
			return b.open(dirs)
		})}
	}
	b.last = append(b.last, o)
	if len(b.last) > maxBooks {
		b.last = slices.Delete(b.last, 0, 1)
	}
	b.mu.Unlock()
	book, err := o.book()
	if err != nil {
		b.mu.Lock()
		b.last = slices.DeleteFunc(b.last, func(have *opened) bool { return have == o })
		b.mu.Unlock()
	}
	return book, err
}

package server

import (
	"net/http"
	"slices"
	"strings"
)

// A Side is what is compared: a run, or of it the row of a label.
type Side struct {
	Dir string
	Row string // METHOD or METHOD@MODEL; empty for all
}

// contrast answers with the rows of a comparison. A side is named as KEY, KEY:METHOD or
// KEY:METHOD@MODEL, and has to be of one of the runs that the path names. Where a and b are
// not given, the first run is the base of the others.
func (s *Server) contrast(w http.ResponseWriter, r *http.Request) {
	dirs, err := s.folders(r)
	if err != nil {
		failWith(w, err)
		return
	}
	keys := strings.Split(r.PathValue("key"), "+")
	side := func(text string) (Side, error) {
		key, label, _ := strings.Cut(text, ":")
		at := slices.Index(keys, key)
		if at < 0 {
			return Side{}, statusf(http.StatusBadRequest, "side %q is of none of the runs; want KEY, KEY:METHOD or KEY:METHOD@MODEL", text)
		}
		return Side{dirs[at], label}, nil
	}
	query := r.URL.Query()
	names := append(slices.Clone(query["a"]), query["b"]...)
	switch {
	case len(names) == 0:
		names = keys
	case len(query["a"]) != 1 || len(query["b"]) == 0:
		fail(w, http.StatusBadRequest, "%d bases and %d sides; want one a and at least one b", len(query["a"]), len(query["b"]))
		return
	}
	if len(names) < 2 {
		fail(w, http.StatusBadRequest, "one run has nothing to be compared with; name two rows of it as a=KEY:METHOD@MODEL and b=KEY:METHOD@MODEL")
		return
	}
	var sides []Side
	for _, name := range names {
		one, err := side(name)
		if err != nil {
			failWith(w, err)
			return
		}
		sides = append(sides, one)
	}
	if !s.begin(r) {
		return
	}
	defer s.end()
	data, err := s.Contrast(sides[0], sides[1:], query["column"], query.Get("by"))
	if err != nil {
		failWith(w, err)
		return
	}
	send(w, data)
}

// begin waits for room for what takes long; it reports whether who asks still waits
// too.
func (s *Server) begin(r *http.Request) bool {
	select {
	case s.heavy <- struct{}{}:
		return true
	case <-r.Context().Done():
		return false
	}
}

func (s *Server) end() { <-s.heavy }

package modelserver

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"time"
)

// Stats count what happened to a server's requests, those for the list of
// models left out.
type Stats struct {
	Arrived  int           // attempts that came
	Answered int           // attempts that got the right answer, as far as the server can tell
	Refused  int           // attempts turned down for what they asked or for their key
	Capped   int           // attempts above the cap
	Faults   map[Fault]int // attempts that met each fault
	// Replies counts the answers by [BodyID] of their requests.
	Replies map[string]int
	// MaxInFlight is the largest number of requests that were worked on at
	// once.
	MaxInFlight int
}

// Stats returns what happened so far.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stats
	st.Faults, st.Replies = maps.Clone(st.Faults), maps.Clone(st.Replies)
	return st
}

// Idle waits until no request is worked on: one whose client has gone may still
// be, and be counted later.
func (s *Server) Idle() {
	for s.inFlight.Load() > 0 {
		time.Sleep(time.Millisecond)
	}
}

func (s *Server) note(change func(*Stats)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.stats)
}

// An identity stands for the path and the bytes of a request.
type identity [16]byte

func (id identity) String() string { return hex.EncodeToString(id[:]) }

func identify(r request) identity {
	h := sha256.New()
	h.Write([]byte(r.path))
	h.Write([]byte{0})
	h.Write(r.body)
	return identity(h.Sum(nil))
}

// BodyID returns the name by which [Stats] count the answers to a request,
// such as one to /v1/chat/completions.
func BodyID(path string, body []byte) string {
	return identify(request{path: path, body: body}).String()
}

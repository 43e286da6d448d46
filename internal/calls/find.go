package calls

import (
	"cmp"
	"errors"
	"io"
)

// lookup returns where the recording of a key is.
func (s *Store) lookup(k Key) (g *segment, at location, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	at, ok = s.index[short(k[:])]
	if ok {
		g = s.segments[at.segment]
	}
	return g, at, ok
}

// find returns the recorded reply of a key; ok is false where there is none. A
// damaged one is as good as none.
func (s *Store) find(k Key) (r Reply, ok bool) {
	g, at, ok := s.lookup(k)
	if !ok {
		return Reply{}, false
	}
	r, err := s.load(g, at, k)
	if err == nil {
		return r, true
	}
	s.log.Warn("a recording cannot be read, as if it were not there; 'bench calls verify' says more",
		"id", k.ID(), "file", g.path, "offset", at.offset, "error", err)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index[short(k[:])] == at {
		delete(s.index, short(k[:]))
	}
	return Reply{}, false
}

// load reads the reply of a frame and checks that it is the key's.
func (s *Store) load(g *segment, at location, k Key) (Reply, error) {
	p := make([]byte, headerSize+int(at.reply))
	if n, err := s.files.readAt(g, p, at.offset); n < len(p) {
		return Reply{}, cmp.Or(err, io.ErrUnexpectedEOF)
	}
	h, ok := parseHeader(p)
	switch {
	case !ok || h.reply != at.reply || h.replySum != checksum(p[headerSize:]):
		return Reply{}, errDamaged
	case h.key != k:
		return Reply{}, errors.New("it is of another key")
	}
	r, err := decodeReply(p[headerSize:])
	r.Time = h.Time()
	return r, err
}

// dimension returns the length of the recorded vectors of an identity; 0 where
// none is recorded.
func (s *Store) dimension(id identity) int {
	s.mu.RLock()
	at, ok := s.vectors[id.hash]
	var g *segment
	if ok {
		g = s.segments[at.segment]
	}
	s.mu.RUnlock()
	if !ok {
		return 0
	}
	h, err := s.header(g, at.offset)
	if err != nil {
		return 0
	}
	r, err := s.load(g, at, h.key)
	if err != nil {
		return 0
	}
	return len(r.Vector)
}

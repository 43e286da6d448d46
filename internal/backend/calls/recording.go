package calls

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Recording is a recorded call. Its parts are read when they are asked for.
type Recording struct {
	store   *Store
	segment *segment
	offset  int64
	header  header
}

// Key identifies the recording.
func (r *Recording) Key() Key { return r.header.key }

// Kind says which door the call went through.
func (r *Recording) Kind() Kind { return r.header.Kind() }

// Time is when the reply came.
func (r *Recording) Time() time.Time { return r.header.Time() }

// Size is the length in the file, in bytes. What its request shares with
// earlier ones is not part of it.
func (r *Recording) Size() int64 { return r.header.size() }

// Reply reads the reply.
func (r *Recording) Reply() (Reply, error) {
	data, err := r.reply()
	if err != nil {
		return Reply{}, err
	}
	reply, err := decodeReply(data)
	return reply, r.fault("reply", err)
}

func (r *Recording) reply() ([]byte, error) {
	data, err := r.store.part(r.segment, r.offset+headerSize, r.header.reply, r.header.replySum)
	return data, r.fault("reply", err)
}

// Identity is what calls of the model have in common.
func (r *Recording) Identity() (Identity, error) {
	s := r.store
	s.mu.RLock()
	id, ok := s.identities[r.header.identity]
	s.mu.RUnlock()
	if ok {
		return id, nil
	}
	c, err := r.Outline()
	if err != nil {
		return Identity{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.identities[r.header.identity] = c.Identity
	return c.Identity, nil
}

// Outline reads the request without the contents of its texts.
func (r *Recording) Outline() (*Call, error) {
	texts, err := r.texts(2)
	if err != nil {
		return nil, err
	}
	c, _, err := restore(texts)
	return c, r.fault("request", err)
}

// Call reads the request in full.
func (r *Recording) Call() (*Call, error) {
	texts, err := r.texts(-1)
	if err != nil {
		return nil, err
	}
	c, _, err := restore(texts)
	return c, r.fault("request", err)
}

// A faultError says where a recording cannot be read.
type faultError struct {
	file   string
	offset int64
	part   string
	err    error
}

func (e *faultError) Error() string {
	return fmt.Sprintf("%s: recording at byte %d: %s: %v", e.file, e.offset, e.part, e.err)
}

func (e *faultError) Unwrap() error { return e.err }

// fault says where an error is.
func (r *Recording) fault(part string, err error) error {
	if err == nil {
		return nil
	}
	return &faultError{r.segment.name(), r.offset, part, err}
}

// Recordings returns the newest recording of each key, the newest first.
func (s *Store) Recordings() ([]*Recording, error) {
	return s.collect(func(short) bool { return true })
}

// Find returns the recordings whose key begins with the hexadecimal digits of
// prefix, the newest first.
func (s *Store) Find(prefix string) ([]*Recording, error) {
	prefix = strings.ToLower(prefix)
	whole, _ := hex.DecodeString(prefix[:len(prefix)&^1]) // what is no digit matches nothing below
	found, err := s.collect(func(k short) bool { return bytes.HasPrefix(k[:], whole[:min(len(whole), len(k))]) })
	return slices.DeleteFunc(found, func(r *Recording) bool {
		return !strings.HasPrefix(r.Key().String(), prefix)
	}), err
}

// collect reads the headers of recordings that are wanted. Damaged ones are
// left out, with a warning.
func (s *Store) collect(want func(short) bool) ([]*Recording, error) {
	if err := s.refresh(); err != nil {
		return nil, fmt.Errorf("recordings: %w", err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	var all []*Recording
	for k, at := range s.index {
		if !want(k) {
			continue
		}
		g := s.segments[at.segment]
		h, err := s.header(g, at.offset)
		if err != nil {
			s.log.Warn("a recording cannot be read; 'bench calls verify' says more", "file", g.path, "offset", at.offset, "error", err)
			continue
		}
		all = append(all, &Recording{s, g, at.offset, h})
	}
	slices.SortFunc(all, func(a, b *Recording) int {
		return cmp.Or(cmp.Compare(b.header.time, a.header.time), bytes.Compare(a.header.key[:], b.header.key[:]))
	})
	return all, nil
}

// Stats sums up a store.
type Stats struct {
	Files      int
	Bytes      int64
	Superseded int // recordings that a newer one of the same key replaces
}

// Stats returns what is known without a look at the recordings.
func (s *Store) Stats() Stats {
	s.mu.RLock()
	defer s.mu.RUnlock()
	st := Stats{Files: len(s.segments), Superseded: s.superseded}
	for _, g := range s.segments {
		st.Bytes += g.size
	}
	return st
}

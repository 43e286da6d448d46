package calls

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
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

// packed reads the request as it is stored.
func (r *Recording) packed() (packed, error) {
	return r.store.packed(r.segment, r.offset, &r.header)
}

// texts reads the first n texts that stand for the request; all for -1.
func (r *Recording) texts(n int) ([]string, error) {
	p, err := r.packed()
	if err != nil {
		return nil, r.fault("request", err)
	}
	if n >= 0 {
		p.texts = p.texts[:min(n, len(p.texts))]
	}
	texts, err := r.store.join(r.segment, r.offset, &p)
	return texts, r.fault("request", err)
}

// part reads a part of a frame.
func (s *Store) part(g *segment, offset int64, size, sum uint32) ([]byte, error) {
	p := make([]byte, size)
	if n, err := s.files.readAt(g, p, offset); n < len(p) {
		return nil, cmp.Or(err, io.ErrUnexpectedEOF)
	}
	if checksum(p) != sum {
		return nil, fmt.Errorf("%w: its checksum is %08x, want %08x", errDamaged, checksum(p), sum)
	}
	return p, nil
}

func (s *Store) packed(g *segment, offset int64, h *header) (packed, error) {
	data, err := s.part(g, offset+headerSize+int64(h.reply), h.request, h.requestSum)
	if err != nil {
		return packed{}, err
	}
	return unpack(data)
}

// join puts texts together from their pieces.
func (s *Store) join(g *segment, offset int64, p *packed) ([]string, error) {
	texts := make([]string, 0, len(p.texts))
	var own []string
	total := 0
	for _, runs := range p.texts {
		var b strings.Builder
		for _, run := range runs {
			var pieces []string
			var err error
			switch {
			case run.back > 0:
				pieces, err = s.pieces.of(s, g, offset-run.back)
			case own == nil:
				own, err = p.pieces()
				pieces = own
			default:
				pieces = own
			}
			if err != nil {
				return nil, err
			}
			if run.first > uint64(len(pieces)) || run.count > uint64(len(pieces))-run.first {
				return nil, fmt.Errorf("%w: it names pieces that are not there", errDamaged)
			}
			for _, piece := range pieces[run.first : run.first+run.count] {
				if total += len(piece); total > maxText {
					return nil, fmt.Errorf("texts of more than %d bytes", maxText)
				}
				b.WriteString(piece)
			}
		}
		texts = append(texts, b.String())
	}
	return texts, nil
}

// maxCached bounds the unpacked pieces that are kept, in bytes.
const maxCached = 64 << 20

// A pieceCache keeps the new pieces of frames that others refer to.
type pieceCache struct {
	mu     sync.Mutex
	size   int
	frames map[frameID][]string
}

type frameID struct {
	segment *segment
	offset  int64
}

// of returns the new pieces of a frame.
func (c *pieceCache) of(s *Store, g *segment, offset int64) ([]string, error) {
	id := frameID{g, offset}
	c.mu.Lock()
	pieces, ok := c.frames[id]
	c.mu.Unlock()
	if ok {
		return pieces, nil
	}
	if offset < 0 {
		return nil, fmt.Errorf("%w: it refers to what is before the beginning", errDamaged)
	}
	h, err := s.header(g, offset)
	if err != nil {
		return nil, fmt.Errorf("it shares text with the recording at byte %d: %w", offset, err)
	}
	p, err := s.packed(g, offset, &h)
	if err == nil {
		pieces, err = p.pieces()
	}
	if err != nil {
		return nil, fmt.Errorf("it shares text with the recording at byte %d: %w", offset, err)
	}
	size := 0
	for _, piece := range pieces {
		size += len(piece)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.frames == nil || c.size+size > maxCached {
		c.frames, c.size = make(map[frameID][]string), 0
	}
	c.frames[id] = pieces
	c.size += size
	return pieces, nil
}

// Recordings returns the newest recording of each key, the newest first.
func (s *Store) Recordings() ([]*Recording, error) {
	return s.collect(func(short) bool { return true })
}

// Find returns the recordings whose key begins with the hexadecimal digits of
// prefix, the newest first.
func (s *Store) Find(prefix string) ([]*Recording, error) {
	prefix = strings.ToLower(prefix)
	found, err := s.collect(func(k short) bool {
		digits := hex.EncodeToString(k[:])
		return strings.HasPrefix(digits, prefix[:min(len(prefix), len(digits))])
	})
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

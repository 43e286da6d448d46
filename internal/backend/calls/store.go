package calls

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"recallbench/internal/files/filelock"
)

// A Store holds recordings in a folder that many processes of one machine may
// share. It is safe for concurrent use.
type Store struct {
	dir  string
	log  *slog.Logger
	now  func() time.Time
	lock *flock.Flock // nil where the folder cannot be written

	files  files
	pieces pieceCache
	writer writer
	claims claims

	lookMu sync.Mutex
	look   func() error // the next [Store.refresh]; nil where nobody waits for one

	mu       sync.RWMutex
	segments []*segment
	numbers  map[string]uint32 // of segments, by name
	index    map[short]location
	// vectors has an embedding of each identity.
	vectors    map[[8]byte]location
	identities map[[8]byte]Identity // those that were read
	superseded int                  // recordings that a newer one replaces
}

// A short is the part of a key that the index holds; 128 bits tell apart all
// calls that will ever be made. A frame has the whole key.
type short [16]byte

// A location is where a frame is. With its short key it takes 32 bytes of the
// index.
type location struct {
	offset  int64
	segment uint32 // index into segments
	reply   uint32 // length of the reply
}

// Open opens the store in a folder, which it makes where there is none. It
// waits while [Prune] is at work.
func Open(dir string, log *slog.Logger) (*Store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("recordings: %w", err)
	}
	lock := flock.New(filepath.Join(dir, ".lock"))
	ok, err := lock.TryRLock()
	if err == nil && !ok {
		log.Info("waiting until the recordings are pruned", "folder", dir)
		err = lock.RLock()
	}
	if err != nil {
		// A folder that nobody can write to is read without a lock.
		log.Debug("recordings are not locked", "folder", dir, "error", err)
		lock = nil
	}
	return open(dir, log, lock)
}

// OpenToRead is [Open] for one who only reads. It leaves a folder as it is in
// which nobody has recorded, such as one that came with a config, and makes none.
func OpenToRead(dir string, log *slog.Logger) (*Store, error) {
	if _, err := os.Stat(filepath.Join(dir, ".lock")); errors.Is(err, os.ErrNotExist) {
		return open(dir, log, nil)
	}
	return Open(dir, log)
}

// OpenReader is [Open] for one who reads beside others for long: it makes nothing and
// holds no lock, so that [Prune] need not wait for it. What is pruned meanwhile can
// no longer be read.
func OpenReader(dir string, log *slog.Logger) (*Store, error) { return open(dir, log, nil) }

func open(dir string, log *slog.Logger, lock *flock.Flock) (*Store, error) {
	s := &Store{
		dir: dir, log: log, now: time.Now, lock: lock, numbers: make(map[string]uint32),
		index: make(map[short]location), vectors: make(map[[8]byte]location), identities: make(map[[8]byte]Identity),
		claims: claims{dir: filepath.Join(dir, ".claims"), log: log, remote: filelock.Remote},
	}
	if err := s.refresh(); err != nil {
		return nil, errors.Join(fmt.Errorf("recordings: %w", err), s.Close())
	}
	return s, nil
}

// Dir returns the folder of the store.
func (s *Store) Dir() string { return s.dir }

// Close releases the store.
func (s *Store) Close() error {
	s.files.closeAll()
	err := errors.Join(s.writer.close(), s.claims.close())
	if s.lock != nil {
		err = errors.Join(err, s.lock.Unlock())
	}
	return err
}

// atRest is how long a segment has not grown that is not looked at again, unless
// the process that appends to it is there.
const atRest = time.Hour

// refresh reads what other processes have recorded since the last time. Those who
// ask while another look is under way share the next one.
func (s *Store) refresh() error {
	s.lookMu.Lock()
	if s.look == nil {
		s.look = sync.OnceValue(func() error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.lookMu.Lock()
			s.look = nil // who comes from here on may ask for what comes later
			s.lookMu.Unlock()
			return s.read()
		})
	}
	look := s.look
	s.lookMu.Unlock()
	return look()
}

// read reads what is new in the folder; mu is held.
func (s *Store) read() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil && (s.lock != nil || !errors.Is(err, os.ErrNotExist)) {
		return err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), extension) {
			continue
		}
		number, known := s.numbers[e.Name()]
		if known && s.complete(s.segments[number]) {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if !known {
			number = s.addSegment(&segment{path: filepath.Join(s.dir, e.Name())})
		}
		s.segments[number].grown = info.ModTime()
		if err := s.scan(number, info.Size()); err != nil {
			return fmt.Errorf("%s: %w", e.Name(), err)
		}
	}
	return nil
}

// complete reports whether all of a segment that grows no more has been read; mu
// is held.
func (s *Store) complete(g *segment) bool {
	if g.own || g.complete {
		return true
	}
	// What came before the process ended is read once more.
	g.complete = s.now().Sub(g.grown) > atRest && !s.claims.appended(g.name())
	return false
}

// addSegment adds a segment and returns its number; mu is held.
func (s *Store) addSegment(g *segment) uint32 {
	number := uint32(len(s.segments))
	s.segments = append(s.segments, g)
	s.numbers[g.name()] = number
	return number
}

// scan adds what is new in a segment to the index; mu is held.
func (s *Store) scan(number uint32, size int64) error {
	g := s.segments[number]
	if size == g.size {
		return nil
	}
	end, err := scan(reader{&s.files, g}, g.end, size, func(f found) error {
		if f.length > 0 {
			s.log.Warn("part of the recordings is damaged; 'bench calls verify' says more",
				"file", g.path, "offset", f.offset, "bytes", f.length)
			return nil
		}
		return s.add(f.header, location{f.offset, number, f.header.reply})
	})
	g.end, g.size = end, size
	if err == nil && end < size {
		s.log.Debug("the end of a segment is no whole recording", "file", g.path, "offset", end, "bytes", size-end)
	}
	return err
}

// add puts a frame into the index; mu is held.
func (s *Store) add(h header, at location) error {
	if h.kind == endFrame {
		return nil
	}
	if h.kind == embedFrame {
		s.vectors[h.identity] = at
	}
	k := short(h.key[:])
	if old, ok := s.index[k]; ok {
		s.superseded++
		had, err := s.header(s.segments[old.segment], old.offset)
		if err == nil && had.time >= h.time {
			return nil
		}
	}
	s.index[k] = at
	return nil
}

// errDamaged says that bytes are not those that were written.
var errDamaged = errors.New("damaged")

// header reads the header of a frame.
func (s *Store) header(g *segment, offset int64) (header, error) {
	var p [headerSize]byte
	if n, err := s.files.readAt(g, p[:], offset); n < len(p) {
		return header{}, cmp.Or(err, io.ErrUnexpectedEOF)
	}
	h, ok := parseHeader(p[:])
	if !ok {
		return header{}, errDamaged
	}
	return h, nil
}

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

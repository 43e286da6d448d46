package calls

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"recallbench/internal/files/durable"
)

// maxRecording bounds the length of a recording in bytes, its texts unpacked.
const maxRecording = 256 << 20

// syncDelay is how long a recording may be with the system before it is on the
// disk. A sync for each reply would cost more than the rest of the recording,
// and what is lost with the system is only what was paid in its last moment.
const syncDelay = time.Second

// A writer appends to the segment of this process, which it makes at the first
// recording.
type writer struct {
	mu      sync.Mutex
	file    *os.File
	number  uint32 // of the segment
	out     *durable.Appender
	encoder encoder
	buf     []byte
	last    int64 // time of the last recording
	err     error // the first failure; the writer takes nothing more
	// watched are the contexts that end with the first failure.
	watched map[*context.CancelCauseFunc]struct{}
}

// fail keeps the first failure.
func (w *writer) fail(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
		for cancel := range w.watched {
			(*cancel)(unrecorded(err))
		}
	}
	return err
}

// watch returns a context that ends with [unrecorded] when nothing more can be
// recorded.
func (w *writer) watch(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		cancel(unrecorded(w.err))
		return ctx, func() {}
	}
	if w.watched == nil {
		w.watched = make(map[*context.CancelCauseFunc]struct{})
	}
	w.watched[&cancel] = struct{}{}
	return ctx, func() {
		w.mu.Lock()
		delete(w.watched, &cancel)
		w.mu.Unlock()
		cancel(nil)
	}
}

// failed returns why nothing more can be recorded; nil while it can.
func (w *writer) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *writer) close() error {
	_ = w.fail(fs.ErrClosed)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file == nil {
		return nil
	}
	err := w.out.Close()
	w.file = nil
	return err
}

// An entry is a call with its reply, to be recorded.
type entry struct {
	key      Key
	identity identity
	call     *Call
	reply    Reply
}

// A written is a frame that has been added to the segment.
type written struct {
	header header
	at     location
}

// record appends recordings to the store; when it returns they survive the end
// of the process.
func (s *Store) record(_ context.Context, entries []entry) error {
	frames, batch, err := s.write(entries)
	if err == nil {
		err = batch.Wait()
	}
	if err != nil {
		return s.writer.fail(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range frames {
		entries[i].reply.Time = f.header.Time()
		if err := s.add(f.header, f.at); err != nil {
			return err
		}
		g := s.segments[f.at.segment]
		g.size = max(g.size, f.at.offset+f.header.size())
	}
	return nil
}

// write adds the frames of entries to the segment, one behind the other.
func (s *Store) write(entries []entry) ([]written, *durable.Batch, error) {
	w := &s.writer
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return nil, nil, w.err
	}
	if w.file == nil {
		if err := s.begin(); err != nil {
			return nil, nil, err
		}
	}
	w.buf = w.buf[:0]
	frames := make([]written, 0, len(entries))
	for _, e := range entries {
		texts, err := e.call.stored(e.identity)
		if err != nil {
			return nil, nil, err
		}
		reply := e.reply.encode()
		size := len(reply)
		for _, t := range texts {
			size += len(t)
		}
		if size > maxRecording {
			return nil, nil, fmt.Errorf("a recording of %d bytes, want at most %d", size, maxRecording)
		}
		// Of two recordings the later counts, also where the clock stands.
		w.last = max(s.now().UnixNano(), w.last+1)
		h := header{kind: frameKind(e.call.Kind), time: w.last, key: e.key, identity: e.identity.hash}
		at := location{w.encoder.offset, w.number, uint32(len(reply))}
		w.buf = w.encoder.frame(w.buf, &h, reply, texts)
		frames = append(frames, written{h, at})
	}
	_, batch, err := w.out.Add(w.buf)
	return frames, batch, err
}

// begin makes the segment of this process; the writer's mu is held.
func (s *Store) begin() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := newSegment(s.dir, s.now().UTC().Format("20060102T150405Z"))
	// Claimed before it is there, so that nobody takes it for one that has ended.
	if _, err := s.claims.take(segmentClaim(filepath.Base(path))); err != nil {
		s.log.Debug("a segment is not claimed", "file", path, "error", err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w; the mode replay only reads recordings", err)
	}
	if err != nil {
		return err
	}
	durable.SyncDir(s.dir)
	s.writer.file, s.writer.out = file, durable.NewLazyAppender(file, 0, syncDelay)
	s.writer.number = s.addSegment(&segment{path: path, own: true})
	return nil
}

// newSegment returns a path for a segment that no other process will choose.
func newSegment(dir, time string) string {
	return filepath.Join(dir, time+"-"+strings.ToLower(rand.Text()[:10])+extension)
}

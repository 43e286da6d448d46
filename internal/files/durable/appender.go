// Package durable writes files so that written data survives a kill at any
// moment: files that only grow, and files that are replaced as a whole.
package durable

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"time"
)

// syncDelay is how long the system may keep what it was given before a sync. A sync of
// each write would take a tenth of a run's processor time.
const syncDelay = time.Second

// An Appender appends to a file. Parts added at the same time share one write, and
// writes within a second share one sync. Once [Batch.Wait] has returned, the data
// survives the end of the process, however it ends; a crash of the system may lose the
// last second. It is safe for concurrent use; no other process may write to the file.
type Appender struct {
	file *os.File

	mu      sync.Mutex
	pending *Batch
	spare   []byte // for the next batch
	writing bool
	added   int64       // length of the file with all that was added
	size    int64       // of what was written
	err     error       // the first failure; the appender takes nothing more
	sync    *time.Timer // of what was written and not synced; nil for nothing
}

// A Batch is what one write puts into the file.
type Batch struct {
	to   *Appender
	data []byte
	done chan struct{}
	err  error
}

// NewAppender returns an appender to a file that is size bytes long.
func NewAppender(f *os.File, size int64) *Appender {
	return &Appender{file: f, added: size, size: size}
}

// Close syncs what is left and closes the file. Nothing may be added after it.
func (a *Appender) Close() error {
	a.mu.Lock()
	if a.sync != nil {
		a.sync.Stop()
	}
	a.mu.Unlock()
	return errors.Join(a.file.Sync(), a.file.Close())
}

// Add appends a copy of p after everything added before, and returns its
// offset. It is in the file once the batch's Wait has returned nil; each Add
// needs a Wait.
func (a *Appender) Add(p []byte) (offset int64, b *Batch, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err != nil {
		return 0, nil, a.err
	}
	if a.pending == nil {
		a.pending = &Batch{to: a, data: a.spare, done: make(chan struct{})}
		a.spare = nil
	}
	offset = a.added
	a.pending.data = append(a.pending.data, p...)
	a.added += int64(len(p))
	return offset, a.pending, nil
}

// Wait returns when the batch is in the file. After an error nothing of the
// batch is in the file.
func (b *Batch) Wait() error {
	a := b.to
	a.mu.Lock()
	// Whoever finds no writer at work writes what has gathered, until nothing
	// is left; the others wait for their batch.
	if !a.writing {
		a.writing = true
		a.mu.Unlock()
		runtime.Gosched() // others that are about to add join
		a.mu.Lock()
		for a.pending != nil {
			next := a.pending
			a.pending = nil
			if next.err = a.err; a.err == nil {
				a.mu.Unlock()
				next.err = a.write(next.data)
				a.mu.Lock()
				a.err = next.err
			}
			a.spare, next.data = next.data[:0], nil
			close(next.done)
		}
		a.writing = false
	}
	a.mu.Unlock()
	<-b.done
	return b.err
}

// write appends p and sees to its sync. When that fails it takes back what it wrote.
func (a *Appender) write(p []byte) error {
	if _, err := a.file.WriteAt(p, a.size); err != nil {
		return errors.Join(err, a.file.Truncate(a.size))
	}
	a.size += int64(len(p))
	a.syncLater()
	return nil
}

// syncLater syncs after the delay, together with what is written until then.
func (a *Appender) syncLater() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sync != nil {
		return
	}
	a.sync = time.AfterFunc(syncDelay, func() {
		a.mu.Lock()
		a.sync = nil
		a.mu.Unlock()
		err := a.file.Sync()
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.err == nil && !errors.Is(err, os.ErrClosed) {
			a.err = err
		}
	})
}

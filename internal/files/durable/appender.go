// Package durable writes files that a crash leaves whole: appended lines, and files that
// replace others.
package durable

import (
	"errors"
	"os"
	"sync"
	"time"
)

// syncDelay is how long after a write the file is synced.
const syncDelay = time.Second

// An Appender appends to a file. Writes within a second share one sync. What was appended
// survives the end of the process, however it ends; a crash of the system may lose the
// last second. It is safe for concurrent use; no other process may write to the file.
type Appender struct {
	file *os.File

	mu   sync.Mutex
	size int64
	err  error       // the first failure; the appender takes nothing more
	sync *time.Timer // of what was written and not synced; nil for nothing
}

// NewAppender returns an appender to a file that is size bytes long.
func NewAppender(f *os.File, size int64) *Appender { return &Appender{file: f, size: size} }

// Close syncs what is left and closes the file. Nothing may be appended after it.
func (a *Appender) Close() error {
	a.mu.Lock()
	if a.sync != nil {
		a.sync.Stop()
	}
	a.mu.Unlock()
	return errors.Join(a.file.Sync(), a.file.Close())
}

// Append writes p behind everything that was appended. After an error nothing of it is
// in the file.
func (a *Appender) Append(p []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err != nil {
		return a.err
	}
	if _, err := a.file.WriteAt(p, a.size); err != nil {
		a.err = errors.Join(err, a.file.Truncate(a.size))
		return a.err
	}
	a.size += int64(len(p))
	if a.sync == nil {
		a.sync = time.AfterFunc(syncDelay, a.flush)
	}
	return nil
}

// flush syncs what was written.
func (a *Appender) flush() {
	a.mu.Lock()
	a.sync = nil
	a.mu.Unlock()
	err := a.file.Sync()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil && !errors.Is(err, os.ErrClosed) {
		a.err = err
	}
}

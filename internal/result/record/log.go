package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"recallbench/internal/files/jsonout"
	"recallbench/internal/text/redact"
)

// syncDelay is how long after a write a log is synced.
const syncDelay = time.Second

// A Log is a file of JSON lines that only grows. An appended line survives the
// end of the process when Append returns, and is on the disk within a second; writes within
// that second share one sync. It is safe for concurrent use, by one process at a time.
type Log struct {
	file *os.File

	mu   sync.Mutex
	size int64       // of whole lines
	err  error       // the first failure; the log takes nothing more
	sync *time.Timer // of what was written and not synced; nil for nothing
}

// OpenLog opens the log at path, which it makes when it is not there. A last
// line without its end, as a killed process leaves it, is moved into a file
// beside; dropped is its length in bytes. An end that no kill leaves is an error.
func OpenLog(path string) (l *Log, dropped int64, err error) {
	return openLogAside(path, path+".damaged")
}

// OpenLog opens a log of the folder. What it moves, it moves into the folder of
// damaged lines.
func (f Folder) OpenLog(path string) (l *Log, dropped int64, err error) {
	return openLogAside(path, f.aside(path))
}

func openLogAside(path, aside string) (l *Log, dropped int64, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, 0, err
	}
	l = &Log{file: f}
	var tail []byte
	if l.size, err = f.Seek(0, io.SeekEnd); err == nil {
		tail, err = lastLine(f, l.size)
	}
	if len(tail) > 0 {
		l.size -= int64(len(tail))
		if err = setAside(aside, tail, path); err == nil {
			err = f.Truncate(l.size)
		}
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return l, int64(len(tail)), nil
}

// lastLine returns what follows the last line feed of a file of the given size.
func lastLine(f io.ReaderAt, size int64) ([]byte, error) {
	for n := min(size, 64<<10); ; n = min(size, 2*n) {
		end := make([]byte, n)
		if _, err := f.ReadAt(end, size-n); err != nil {
			return nil, err
		}
		if i := bytes.LastIndexByte(end, '\n'); i >= 0 || n == size {
			return end[i+1:], nil
		}
	}
}

// setAside appends the torn last line of a log, with a line feed, to a file of them.
func setAside(path string, line []byte, log string) error {
	if !torn(line) {
		return faultf(Unparsable, log, 0, noEnd)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

// File is the file of the log, to be read.
func (l *Log) File() *os.File { return l.file }

// Append writes each of values as one line and returns when they are in the
// file. After an error nothing of them is in the file, and the log takes no
// more lines.
func (l *Log) Append(values ...any) error {
	var lines bytes.Buffer
	if err := jsonout.Lines(&lines, values...); err != nil {
		return fmt.Errorf("%s: %w", l.file.Name(), err)
	}
	data := redact.Clean(lines.Bytes())
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	if _, err := l.file.WriteAt(data, l.size); err != nil {
		l.err = errors.Join(err, l.file.Truncate(l.size))
		return l.err
	}
	l.size += int64(len(data))
	if l.sync == nil {
		l.sync = time.AfterFunc(syncDelay, l.flush)
	}
	return nil
}

// flush syncs what was written.
func (l *Log) flush() {
	l.mu.Lock()
	l.sync = nil
	l.mu.Unlock()
	err := l.file.Sync()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil && !errors.Is(err, os.ErrClosed) {
		l.err = err
	}
}

// Close puts on the disk what is not there yet and closes the file. No Append
// may be under way.
func (l *Log) Close() error {
	l.mu.Lock()
	if l.sync != nil {
		l.sync.Stop()
	}
	l.mu.Unlock()
	return errors.Join(l.file.Sync(), l.file.Close())
}

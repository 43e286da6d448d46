package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"recallbench/internal/files/durable"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/text/redact"
)

// A Log is a file of JSON lines that only grows. An appended line survives the
// end of the process when Append returns, and is on the disk within a second; lines
// that are appended at the same time share one write. It is safe for concurrent use, by one process at a
// time.
type Log struct {
	name string
	file *os.File
	add  *durable.Appender
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
	defer func() {
		if err != nil {
			_ = f.Close()
		}
	}()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, 0, err
	}
	size, err := wholeLines(f, end)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	if size < end {
		tail := make([]byte, end-size)
		if _, err := f.ReadAt(tail, size); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", path, err)
		}
		if !torn(tail) {
			return nil, 0, faultf(Unparsable, path, 0, noEnd)
		}
		if err := setAside(aside, tail); err != nil {
			return nil, 0, err
		}
		if err := f.Truncate(size); err != nil {
			return nil, 0, err
		}
	}
	return &Log{name: path, file: f, add: durable.NewAppender(f, size)}, end - size, nil
}

// setAside appends damaged bytes, with a line feed, to a file of them.
func setAside(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	if !bytes.HasSuffix(data, []byte("\n")) {
		data = append(slices.Clip(data), '\n')
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// wholeLines returns the length of a file of the given size up to its last
// line feed.
func wholeLines(f io.ReaderAt, size int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for end := size; end > 0; {
		start := max(0, end-int64(len(buf)))
		part := buf[:end-start]
		if _, err := f.ReadAt(part, start); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		end = start
	}
	return 0, nil
}

// File is the file of the log, to be read.
func (l *Log) File() *os.File { return l.file }

// Append writes each of values as one line and returns when they are in the
// file. After an error nothing of them is in the file, and the log takes no
// more lines.
func (l *Log) Append(values ...any) error {
	var lines bytes.Buffer
	if err := jsonout.Lines(&lines, values...); err != nil {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	return l.add.Append(redact.Clean(lines.Bytes()))
}

// Close puts on the disk what is not there yet and closes the file. No Append
// may be under way.
func (l *Log) Close() error { return l.add.Close() }

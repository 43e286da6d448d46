package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"recallbench/internal/durable"
)

// A Log is a file of JSON lines that only grows. An appended line survives the
// end of the process when Append returns; lines that are appended at the same
// time share one write. It is safe for concurrent use, by one process at a
// time.
type Log struct {
	name string
	add  *durable.Appender
}

// OpenLog opens the log at path, which it makes when it is not there. A last
// line without its end, as a killed process leaves it, is cut off; dropped is
// its length in bytes. Delay is how long a line may be with the system before it
// is on the disk; 0 puts it there before Append returns.
func OpenLog(path string, delay time.Duration) (l *Log, dropped int64, err error) {
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
		if err := f.Truncate(size); err != nil {
			return nil, 0, err
		}
	}
	return &Log{name: path, add: durable.NewLazyAppender(f, size, delay)}, end - size, nil
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

// Append writes each of values as one line and returns when they are in the
// file. After an error nothing of them is in the file, and the log takes no
// more lines.
func (l *Log) Append(values ...any) error {
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	enc.SetEscapeHTML(false)
	for _, v := range values {
		if err := enc.Encode(v); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
	}
	_, batch, err := l.add.Add(lines.Bytes())
	if err != nil {
		return err
	}
	return batch.Wait()
}

// Close puts on the disk what is not there yet and closes the file. No Append
// may be under way.
func (l *Log) Close() error { return l.add.Close() }

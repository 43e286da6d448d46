package adapter

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"recallbench/internal/text/redact"
)

// What of an adapter's log is kept.
const (
	logPart  = 8 << 20 // bytes of the beginning
	logLines = 20      // in messages
	logLine  = 4 << 10 // bytes
)

// A Log keeps what an adapter says aside: the beginning of it in a file, the last
// lines for messages. Control characters are removed and secrets
// masked. It is safe for concurrent use; nil keeps nothing.
type Log struct {
	path    string
	secrets func() []string

	mu      sync.Mutex
	file    *os.File
	written int
	last    []string // lines
	size    int
}

// NewLog makes a log that is written to a path, whose folder it makes, once there is
// something to write; without a path only the last lines are kept. Secrets, which may be nil,
// returns what must not be shown.
func NewLog(path string, secrets func() []string) *Log {
	return &Log{path: path, secrets: secrets}
}

// copy takes all lines of a reader.
func (l *Log) copy(r io.Reader) {
	in := bufio.NewReaderSize(r, readSize)
	for {
		line, err := in.ReadSlice('\n')
		if len(line) > 0 {
			l.line(line)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// line takes a line.
func (l *Log) line(data []byte) {
	if l == nil {
		return
	}
	text := strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(redact.Clean(data)), "\uFFFD"))
	if l.secrets != nil {
		for _, s := range l.secrets() {
			if s != "" {
				text = strings.ReplaceAll(text, s, "[key]")
			}
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.size += len(text) + 1
	if strings.TrimSpace(text) != "" {
		l.last = append(l.last, text[:min(len(text), logLine)])
		if len(l.last) > logLines {
			l.last = l.last[1:]
		}
	}
	if l.path == "" {
		return
	}
	if l.file == nil {
		err := os.MkdirAll(filepath.Dir(l.path), 0o700)
		var file *os.File
		if err == nil {
			file, err = os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		}
		if err != nil {
			l.path = "" // the run does not depend on it
			return
		}
		l.file = file
	}
	text += "\n"
	if l.written >= logPart {
		return
	}
	n, _ := l.file.WriteString(text) // the run does not depend on it
	if l.written += n; l.written >= logPart {
		_, _ = l.file.WriteString("[... the rest is left out ...]\n")
	}
}

// Tail returns the last lines for a message; empty where there are none.
func (l *Log) Tail() string {
	if l == nil {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.last) == 0 {
		return ""
	}
	return "; its last lines:\n\t" + strings.Join(l.last, "\n\t")
}

// Close ends the log.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

// Size returns how many bytes were logged.
func (l *Log) Size() int {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size
}

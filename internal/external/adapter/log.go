package adapter

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode"

	"recallbench/internal/text/redact"
)

// What of an adapter's log is kept.
const (
	logPart  = 8 << 20 // bytes of the beginning
	logLines = 20      // in messages
	logLine  = 4 << 10 // bytes
)

// A Log keeps an adapter's output: the beginning in a file, the last lines for
// messages. Control characters are removed and secrets masked. It is safe for
// concurrent use; nil keeps nothing.
type Log struct {
	path string
	mask *strings.Replacer

	mu   sync.Mutex
	file *os.File
	left int      // bytes that the file may still take
	last []string // lines
}

// NewLog makes a log that is written to a path, whose folder is created once there
// is something to write; without a path only the last lines are kept. Secrets are
// masked.
func NewLog(path string, secrets ...string) *Log {
	var masks []string
	for _, s := range secrets {
		if s != "" {
			masks = append(masks, s, "[key]")
		}
	}
	return &Log{path: path, mask: strings.NewReplacer(masks...), left: logPart}
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
	text := l.mask.Replace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(redact.Clean(data)), "\uFFFD")))
	l.mu.Lock()
	defer l.mu.Unlock()
	if strings.TrimSpace(text) != "" {
		l.last = append(l.last, text[:min(len(text), logLine)])
		l.last = l.last[max(len(l.last)-logLines, 0):]
	}
	if l.path == "" || l.left <= 0 {
		return
	}
	if l.file == nil {
		err := os.MkdirAll(filepath.Dir(l.path), 0o700)
		if err == nil {
			l.file, err = os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		}
		if err != nil {
			l.path = "" // the run does not depend on it
			return
		}
	}
	if l.left -= len(text) + 1; l.left <= 0 {
		text += "\n[... the rest is left out ...]"
	}
	_, _ = l.file.WriteString(text + "\n") // the run does not depend on it
}

// Tail returns the last lines for a message; empty if there are none.
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
	l.mu.Lock()
	defer l.mu.Unlock()
	l.path = ""
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

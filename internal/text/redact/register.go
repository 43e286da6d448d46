package redact

import (
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// registered holds the secrets that the program has read.
var registered struct {
	mu      sync.Mutex
	secrets []string
	all     atomic.Pointer[Redactor]
}

// Register notes a secret that was read, so that no writer lets it through. Mere
// words and secrets of fewer than eight bytes are ignored because they occur in
// too much else, as in [New].
func Register(secret string) {
	registered.mu.Lock()
	defer registered.mu.Unlock()
	if secret = strings.TrimSpace(secret); len(secret) < minEncoded || slices.Contains(registered.secrets, secret) {
		return
	}
	registered.secrets = append(registered.secrets, secret)
	registered.all.Store(New(registered.secrets...))
}

// Clean returns data without the secrets that are registered.
func Clean(data []byte) []byte {
	r := registered.all.Load()
	if r == nil || len(r.forms) == 0 {
		return data
	}
	text := string(data)
	if clean := r.Text(text); clean != text {
		return []byte(clean)
	}
	return data
}

// A Writer writes without the registered secrets. A secret must not be split over
// two Writes.
type Writer struct{ io.Writer }

// Write implements [io.Writer].
func (w Writer) Write(p []byte) (int, error) {
	if _, err := w.Writer.Write(Clean(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

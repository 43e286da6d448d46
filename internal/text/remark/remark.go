// Package remark writes log records as sentences for people.
package remark

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"recallbench/internal/text/redact"
	"recallbench/internal/text/termsafe"
)

// A Handler is a [slog.Handler] that writes each record from info on as a sentence:
//
//	bench: warning: run/cells/1/records.jsonl: dropped a torn line (bytes 12)
//
// The file, folder or run concerned stands first, an error and a stack last. Secrets are
// hidden, and control characters made visible.
type Handler struct {
	w     io.Writer
	mu    *sync.Mutex // one remark at a time
	attrs []slog.Attr
}

// New returns a handler that writes to w.
func New(w io.Writer) *Handler { return &Handler{w: w, mu: new(sync.Mutex)} }

// Enabled implements [slog.Handler].
func (*Handler) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// WithAttrs implements [slog.Handler].
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &Handler{h.w, h.mu, slices.Concat(h.attrs, attrs)}
}

// WithGroup implements [slog.Handler]: a sentence has no groups.
func (h *Handler) WithGroup(string) slog.Handler { return h }

// Handle implements [slog.Handler].
func (h *Handler) Handle(_ context.Context, rec slog.Record) error {
	attrs := slices.Clone(h.attrs)
	rec.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, a)
		return true
	})
	var about, cause, stack string
	var more []string
	for _, a := range attrs {
		value := redact.Guess(a.Value.String())
		switch a.Key {
		case "error":
			cause = ": " + value
		case "stack":
			stack = "    " + strings.ReplaceAll(strings.TrimSpace(value), "\n", "\n    ") + "\n"
		case "file", "folder", "run":
			about = value + ": "
		default:
			more = append(more, strings.ReplaceAll(a.Key, "_", " ")+" "+value)
		}
	}
	text := about + rec.Message
	if len(more) > 0 {
		text += " (" + strings.Join(more, ", ") + ")"
	}
	kind := map[slog.Level]string{slog.LevelWarn: "warning: ", slog.LevelError: "error: "}[rec.Level]
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := fmt.Fprintf(h.w, "bench: %s%s\n%s", kind, termsafe.Visible(text+cause), stack)
	return err
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"recallbench/internal/plain"
	"recallbench/internal/redact"
)

// log returns the logger of remarks, which go to stderr as sentences.
func (a *app) log() *slog.Logger { return slog.New(&remarks{w: a.stderr, mu: &a.remarking}) }

// remarks is a [slog.Handler] that writes each record as a sentence for people:
//
//	bench: warning: run/cells/1/records.jsonl: dropped a torn line (bytes 12)
//
// What a file, folder or run is about stands first, an error last.
type remarks struct {
	w     io.Writer
	mu    *sync.Mutex
	attrs []slog.Attr
}

// Enabled implements [slog.Handler].
func (*remarks) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// WithAttrs implements [slog.Handler].
func (r *remarks) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &remarks{r.w, r.mu, slices.Concat(r.attrs, attrs)}
}

// WithGroup implements [slog.Handler]: a sentence has no groups.
func (r *remarks) WithGroup(string) slog.Handler { return r }

// Handle implements [slog.Handler].
func (r *remarks) Handle(_ context.Context, rec slog.Record) error {
	var about, cause, stack string
	var more []string
	add := func(a slog.Attr) bool {
		value := redact.Guess(a.Value.String())
		switch {
		case a.Equal(slog.Attr{}):
		case a.Key == "error":
			cause = ": " + value
		case a.Key == "stack":
			stack = value
		case about == "" && slices.Contains([]string{"file", "folder", "run"}, a.Key):
			about = value + ": "
		default:
			more = append(more, strings.ReplaceAll(a.Key, "_", " ")+" "+value)
		}
		return true
	}
	for _, a := range r.attrs {
		add(a)
	}
	rec.Attrs(add)
	text := about + rec.Message
	if len(more) > 0 {
		text += " (" + strings.Join(more, ", ") + ")"
	}
	kind := map[slog.Level]string{slog.LevelWarn: "warning: ", slog.LevelError: "error: "}[rec.Level]
	var b bytes.Buffer
	fmt.Fprintf(&b, "bench: %s%s\n", kind, plain.Visible(text+cause))
	for line := range strings.Lines(stack) {
		fmt.Fprintf(&b, "    %s\n", plain.Text(line))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_, err := r.w.Write(b.Bytes())
	return err
}

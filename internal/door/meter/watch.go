package meter

import (
	"context"
	"time"
)

// A Step is something that happens under a meter: a stage begins or ends, or a model
// has replied.
type Step struct {
	Stage string // of a reply, the role of its call
	Call  string // id of the recording of a reply; empty for a stage
	Done  bool   // the stage has ended, or the reply is there
	Took  time.Duration
	// Reused is set if a recording replied.
	Reused bool
}

type watchKey struct{}

// Watch returns a context whose later meters report each step to a function as it
// happens. The function may be called concurrently.
func Watch(ctx context.Context, tell func(Step)) context.Context {
	return context.WithValue(ctx, watchKey{}, tell)
}

func (m *Meter) tell(s Step) {
	if m.watch != nil {
		m.watch(s)
	}
}

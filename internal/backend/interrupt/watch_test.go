package interrupt_test

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"recallbench/internal/backend/interrupt"
	"recallbench/internal/testkit/golden"
)

// TestWatch shows what is said at a signal, as time goes on, and at
// a second one.
func TestWatch(t *testing.T) {
	var all strings.Builder
	for _, tt := range []struct {
		name  string
		env   string
		calls int
		after time.Duration // before the second signal
	}{
		{"no call in flight", "", 0, time.Second},
		{"a second signal", "", 2, time.Second},
		{"a call that takes too long", "20s", 1, time.Minute},
		{"a time that is none", "soon", 12, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, period := interrupt.With(t.Context())
			for range tt.calls {
				_, ended := interrupt.Call(ctx)
				defer ended()
			}
			var stderr strings.Builder
			exited := false
			signals := make(chan os.Signal, 2)
			done := make(chan struct{})
			go func() {
				defer close(done)
				interrupt.Watcher{Period: period, Stderr: &stderr, Env: func(string) string { return tt.env }, Exit: func() { exited = true }}.Watch(signals)
			}()
			signals <- os.Interrupt
			time.Sleep(tt.after)
			signals <- os.Interrupt
			<-done
			if !exited {
				t.Errorf("%s: the process goes on", tt.name)
			}
			all.WriteString("# " + tt.name + "\n" + stderr.String())
		})
	}
	golden.Check(t, "interrupt.txt", all.String())
}

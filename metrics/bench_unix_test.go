//go:build unix

package metrics_test

import (
	"syscall"
	"testing"
	"time"

	"recallbench/internal/testkit/try"
)

// processorTime is what the process has used, which a busy machine does not change.
func processorTime(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	try.Do(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

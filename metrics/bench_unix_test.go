//go:build unix

package metrics_test

import (
	"syscall"
	"testing"
	"time"
)

// processorTime is what the process has used, which a busy machine does not change.
func processorTime(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

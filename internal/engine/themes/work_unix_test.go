//go:build unix

package themes

import (
	"syscall"
	"time"
)

// worked returns the time that processors have spent on this process.
func worked() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

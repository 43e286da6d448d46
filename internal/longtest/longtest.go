// Package longtest marks tests that take long.
package longtest

import (
	"os"
	"testing"
)

// Skip skips the test with the reason unless the environment says BENCH_LONG=1.
func Skip(t testing.TB) {
	t.Helper()
	if os.Getenv("BENCH_LONG") == "" {
		t.Skip("takes long; set BENCH_LONG=1 to run it")
	}
}

// N returns how often a test repeats what it does: long with BENCH_LONG=1,
// else short.
func N(short, long int) int {
	if os.Getenv("BENCH_LONG") == "" {
		return short
	}
	return long
}

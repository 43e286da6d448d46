// Package longtest marks tests that take long.
//
// The environment variable BENCH_LONG says how much of them to run: nothing if it is
// empty, everything with 1, and with a number between, such as 0.1, every test with
// that share of its repetitions.
package longtest

import (
	"math"
	"os"
	"strconv"
	"testing"
)

// Skip skips the test with the reason unless BENCH_LONG is set.
func Skip(tb testing.TB) {
	tb.Helper()
	if share() == 0 {
		tb.Skip("takes long; set BENCH_LONG=1 to run it")
	}
}

// SkipRace skips the test under the race detector, where it takes long, if it has
// no goroutines of its own or waits for other processes to die.
func SkipRace(tb testing.TB) {
	tb.Helper()
	if UnderRace {
		tb.Skip("other tests look for races here")
	}
}

// N returns the number of repetitions of a test: short by default, long with
// BENCH_LONG=1, and in proportion between them.
func N(short, long int) int {
	return short + int(math.Round(float64(long-short)*share()))
}

func share() float64 {
	text := os.Getenv("BENCH_LONG")
	if text == "" {
		return 0
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= 0 && f <= 1) {
		panic("BENCH_LONG is " + strconv.Quote(text) + ", want a number from 0 to 1")
	}
	return f
}

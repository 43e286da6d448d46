// Package try ends a test with an error where there should be none.
package try

import (
	"iter"
	"testing"
)

// Do ends the test if err is not nil.
func Do(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// Get returns the first result of a call, and ends the test if the second is an error:
//
//	data := try.Get(os.ReadFile(path))(t)
func Get[T any](v T, err error) func(testing.TB) T {
	return func(tb testing.TB) T {
		tb.Helper()
		Do(tb, err)
		return v
	}
}

// Each yields values, and ends the test at the first error among them.
func Each[T any](tb testing.TB, all iter.Seq2[T, error]) iter.Seq[T] {
	tb.Helper()
	return func(yield func(T) bool) {
		tb.Helper()
		for v, err := range all {
			Do(tb, err)
			if !yield(v) {
				return
			}
		}
	}
}

// Package try ends a test with an error where there should be none, and compares what a
// test has with what it wants.
package try

import (
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TB is what a test, a benchmark and a check of properties share.
type TB interface {
	Helper()
	Fatal(args ...any)
	Errorf(format string, args ...any)
}

// Do ends the test if err is not nil.
func Do(tb TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// Get returns the first result of a call, and ends the test if the second is an error:
//
//	data := try.Get(os.ReadFile(path))(t)
func Get[T any](v T, err error) func(TB) T {
	return func(tb TB) T {
		tb.Helper()
		Do(tb, err)
		return v
	}
}

// Files writes files by their slash-separated names into a new folder, and returns it.
func Files(tb testing.TB, files map[string]string) (dir string) {
	tb.Helper()
	dir = tb.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		Do(tb, os.MkdirAll(filepath.Dir(path), 0o755))
		Do(tb, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

// Each yields values, and ends the test at the first error among them.
func Each[T any](tb TB, all iter.Seq2[T, error]) iter.Seq[T] {
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

// All returns the values of a sequence, and ends the test at the first error among them.
func All[T any](tb TB, all iter.Seq2[T, error]) []T {
	tb.Helper()
	return slices.Collect(Each(tb, all))
}

// Equal reports how what a test got differs from what it wants.
func Equal(tb TB, what string, want, got any, options ...cmp.Option) {
	tb.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		tb.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

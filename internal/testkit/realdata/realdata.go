// Package realdata finds the real data that some tests read. The project does
// not ship it: a test skips with the reason when it does not exist, and fails
// when the environment says BENCH_REQUIRE_DATA=1.
package realdata

import (
	"os"
	"path/filepath"
	"testing"
)

// Datasets returns the folder of the datasets: BENCH_DATA, or ../shared/datasets next to
// the project.
func Datasets(tb testing.TB) string {
	tb.Helper()
	return folder(tb, "BENCH_DATA", "datasets")
}

// Fixtures returns the folder of recorded reference values: BENCH_FIXTURES, or
// ../shared/fixtures next to the project.
func Fixtures(tb testing.TB) string {
	tb.Helper()
	return folder(tb, "BENCH_FIXTURES", "fixtures")
}

// Papers returns the folder of the papers' texts: BENCH_PAPERS, or ../shared/papers next
// to the project.
func Papers(tb testing.TB) string {
	tb.Helper()
	return folder(tb, "BENCH_PAPERS", "papers")
}

// Published returns the folder of the papers' tables: BENCH_PUBLISHED, or
// ../shared/published next to the project.
func Published(tb testing.TB) string {
	tb.Helper()
	return folder(tb, "BENCH_PUBLISHED", "published")
}

func folder(tb testing.TB, env, name string) string {
	tb.Helper()
	dir := os.Getenv(env)
	if dir == "" {
		dir = filepath.Join(root(tb), "..", "shared", name)
	}
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir():
	case os.Getenv("BENCH_REQUIRE_DATA") == "1":
		tb.Fatalf("real data: %s is not a folder, and BENCH_REQUIRE_DATA=1", dir)
	default:
		tb.Skipf("real data: %s is not a folder; %s names another", dir, env)
	}
	return dir
}

// root is the module's folder, which the working directory of a test is in.
func root(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			tb.Fatal("real data: the test does not run inside the module")
		}
		dir = parent
	}
}

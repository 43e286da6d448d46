// Package testdata finds the real data that some tests read. The project does
// not ship it: a test skips with the reason when it is not there, and fails
// when the environment says BENCH_REQUIRE_DATA=1.
package testdata

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Datasets returns the folder of the datasets: BENCH_DATA, or
// ../shared/datasets beside the project.
func Datasets(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("BENCH_DATA"); dir != "" {
		return need(t, dir)
	}
	return need(t, filepath.Join(root(), "..", "shared", "datasets"))
}

// Fixtures returns the folder of recorded reference values:
// BENCH_FIXTURES, or ../shared/fixtures beside the project.
func Fixtures(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("BENCH_FIXTURES"); dir != "" {
		return need(t, dir)
	}
	return need(t, filepath.Join(root(), "..", "shared", "fixtures"))
}

func need(t testing.TB, dir string) string {
	t.Helper()
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		return dir
	case os.Getenv("BENCH_REQUIRE_DATA") == "1":
		t.Fatalf("test data: %s is not a folder, and BENCH_REQUIRE_DATA=1", dir)
	default:
		t.Skipf("test data: %s is not a folder", dir)
	}
	return ""
}

// root is the module's folder: two above this file's.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

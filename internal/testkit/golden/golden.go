// Package golden compares what a test printed with a file under testdata.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	update = flag.Bool("update", false, "rewrite the golden files of testdata")
	words  = flag.Bool("update-words", false, "rewrite the golden files that differ in words alone")

	numbers = regexp.MustCompile(`\d+(?:[.,]\d+)*`)
)

// Check fails t if got differs from the file testdata/name. With the flag
// -update it writes the file instead, with -update-words only if both have the same
// numbers in the same order.
func Check(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if *words && wordsDiffer(string(want), got) {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}

// wordsDiffer tells that two texts have the same numbers in the same order.
func wordsDiffer(a, b string) bool {
	return slices.Equal(numbers.FindAllString(a, -1), numbers.FindAllString(b, -1))
}

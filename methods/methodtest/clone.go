package methodtest

import (
	"os"
	"path/filepath"
	"testing"

	"recallbench/internal/door/prompt"
	"recallbench/methods"
)

// Clone returns the clone of the authors' code that the folder BENCH_CLONES has under
// a name. Without the variable the test is skipped.
func Clone(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("BENCH_CLONES")
	if dir == "" {
		t.Skip("BENCH_CLONES names no folder with clones of the authors' code")
	}
	return filepath.Join(dir, name)
}

// Cloned returns a method's prompts with those that its options take from a clone.
func Cloned(t *testing.T, spec *methods.Spec, options any) *prompt.Set {
	t.Helper()
	files, err := spec.Cloned("", options)
	if err != nil {
		t.Fatal(err)
	}
	set, err := prompt.Load(spec.Name, prompt.Join(files, spec.Prompts), nil)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

package datadir

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFind(t *testing.T) {
	work := filepath.Join(t.TempDir(), "work")
	for _, dir := range []string{work, filepath.Join(work, "given"), filepath.Join(work, "named")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(work)
	find := func(flag, env string) string {
		t.Helper()
		dir, err := Find(flag, func(string) string { return env })
		if err != nil {
			return "error"
		}
		return dir
	}
	check := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check(find("", ""), "")
	if err := os.MkdirAll(filepath.Join("..", "shared", "datasets"), 0o755); err != nil {
		t.Fatal(err)
	}
	check(find("", ""), filepath.Join("..", "shared", "datasets"))
	if err := os.Mkdir("data", 0o755); err != nil {
		t.Fatal(err)
	}
	check(find("", ""), "data")
	check(find("", "named"), "named")
	check(find("given", "named"), "given")
	check(find("missing", "named"), "error")
	check(find("", "missing"), "error")
	if err := os.WriteFile("file", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	check(find("file", ""), "error")
}

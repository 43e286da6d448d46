package datadir

import (
	"os"
	"path/filepath"
	"testing"

	"recallbench/internal/testkit/try"
)

func TestFind(t *testing.T) {
	work := filepath.Join(t.TempDir(), "work")
	for _, dir := range []string{work, filepath.Join(work, "given"), filepath.Join(work, "named")} {
		try.Do(t, os.Mkdir(dir, 0o755))
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
	try.Do(t, os.MkdirAll(filepath.Join("..", "shared", "datasets"), 0o755))
	check(find("", ""), filepath.Join("..", "shared", "datasets"))
	try.Do(t, os.Mkdir("data", 0o755))
	check(find("", ""), "data")
	check(find("", "named"), "named")
	check(find("given", "named"), "given")
	check(find("missing", "named"), "error")
	check(find("", "missing"), "error")
	try.Do(t, os.WriteFile("file", nil, 0o644))
	check(find("file", ""), "error")
}

package external

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"recallbench/internal/testkit/try"
)

// What a killed program left is swept away; what is in use or was left for good
// stays.
func TestSweep(t *testing.T) {
	temp := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP"} {
		t.Setenv(name, temp)
	}
	made := func() folder {
		f := try.Get(newFolder())(t)
		try.Do(t, os.WriteFile(filepath.Join(f.dir, "store"), []byte("x"), 0o600))
		return f
	}
	used, left, dead := made(), made(), made()
	defer func() {
		if err := used.remove(); err != nil {
			t.Error(err)
		}
	}()
	try.Do(t, errors.Join(left.owner.Close(), os.Remove(left.owner.Path())))
	if err := dead.owner.Close(); err != nil { // as the system does for a program that ends
		t.Fatal(err)
	}
	sweep(temp)
	check := func(what string, f folder, want bool) {
		t.Helper()
		if _, err := os.Stat(f.dir); (err == nil) != want {
			t.Errorf("%s is there: %t, want %t", what, err == nil, want)
		}
	}
	check("the folder of a program that is no more", dead, false)
	check("a folder left for good", left, true)
	check("a folder in use", used, true)
	if err := used.remove(); err != nil {
		t.Error(err)
	}
	check("a folder that was removed", used, false)
}

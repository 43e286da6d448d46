package filelock

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// lockEnv makes the test binary lock a byte of a file until it is killed.
const lockEnv = "FILELOCK_TEST_PATH"

// offsets lie beyond the end of the file, and as far as there are any.
var offsets = []int64{0, 7, 1 << 40, 1<<62 - 1}

func TestMain(m *testing.M) {
	if path := os.Getenv(lockEnv); path != "" {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		for _, at := range offsets {
			if ok, lockErr := TryLock(f, at); err != nil || !ok {
				panic(lockErr)
			}
		}
		_, _ = os.Stdout.WriteString("locked\n")
		select {}
	}
	os.Exit(m.Run())
}

// A byte that another process has locked is not to be had until the process is
// killed, and the bytes beside it are.
func TestOtherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), lockEnv+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !bufio.NewScanner(out).Scan() {
		t.Fatal("the other process locks nothing")
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	check := func(at int64, want bool) {
		t.Helper()
		ok, err := TryLock(f, at)
		if ok != want || err != nil {
			t.Errorf("byte %d: locked %v, error %v, want %v", at, ok, err, want)
		}
		if ok {
			if err := Unlock(f, at); err != nil {
				t.Error(err)
			}
		}
	}
	for _, at := range offsets {
		check(at, false)
	}
	check(8, true)
	check(1<<40-1, true)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	for _, at := range offsets {
		check(at, true)
	}
}

func TestErrors(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if ok, err := TryLock(f, 0); ok || err == nil {
		t.Errorf("a closed file: locked %v, error %v", ok, err)
	}
	if err := Unlock(f, 0); err == nil {
		t.Error("a closed file is unlocked")
	}
	if kind, err := Remote(filepath.Join(t.TempDir(), "none")); kind != "" {
		t.Errorf("a folder that is not there is on %q, error %v", kind, err)
	}
	if kind, err := Remote(t.TempDir()); kind != "" || err != nil {
		t.Logf("temporary folders are on %q, error %v", kind, err)
	}
}

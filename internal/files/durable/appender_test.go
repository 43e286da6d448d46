package durable

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"

	"recallbench/internal/testkit/try"
)

func TestAppender(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	try.Do(t, os.WriteFile(path, []byte("before:"), 0o644))
	a := NewAppender(try.Get(os.OpenFile(path, os.O_RDWR, 0))(t), 7)
	const n = 300
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() {
			part := fmt.Appendf(nil, "[%03d]", i)
			try.Do(t, a.Append(part))
			if data := try.Get(os.ReadFile(path))(t); !bytes.Contains(data, part) {
				t.Errorf("%s is not in the file", part)
			}
		})
	}
	wait.Wait()
	try.Do(t, a.Close())
	if data := try.Get(os.ReadFile(path))(t); len(data) != 7+5*n || !bytes.HasPrefix(data, []byte("before:[")) {
		t.Errorf("the file has %d bytes", len(data))
	}
}

func TestAppenderFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /dev/full")
	}
	f := try.Get(os.OpenFile("/dev/full", os.O_RDWR, 0))(t)
	defer f.Close()
	a := NewAppender(f, 0)
	for range 2 { // it takes nothing after a failure
		if err := a.Append([]byte("x")); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("on a full disk: %v, want ENOSPC", err)
		}
	}
}

package durable

import (
	"bytes"
	"encoding/binary"
	"errors"
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
	f := try.Get(os.OpenFile(path, os.O_RDWR, 0))(t)
	defer f.Close()
	a := NewAppender(f, 7)
	const n = 300
	offsets := make([]int64, n)
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() {
			offset, batch, err := a.Add(binary.LittleEndian.AppendUint32(nil, uint32(i)))
			if err != nil {
				t.Error(err)
				return
			}
			if err := batch.Wait(); err != nil {
				t.Error(err)
			}
			offsets[i] = offset
			got := make([]byte, 4)
			if _, err := f.ReadAt(got, offset); err != nil || binary.LittleEndian.Uint32(got) != uint32(i) {
				t.Errorf("at %d there is %x after the wait, want %d: %v", offset, got, i, err)
			}
		})
	}
	wait.Wait()
	data, err := os.ReadFile(path)
	if err != nil || len(data) != 7+4*n || !bytes.HasPrefix(data, []byte("before:")) {
		t.Errorf("the file has %d bytes, error %v", len(data), err)
	}
}

func TestAppenderFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /dev/full")
	}
	f := try.Get(os.OpenFile("/dev/full", os.O_RDWR, 0))(t)
	defer f.Close()
	a := NewAppender(f, 0)
	_, batch, err := a.Add([]byte("x"))
	try.Do(t, err)
	if err := batch.Wait(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Wait on a full disk: %v, want ENOSPC", err)
	}
	if _, _, err := a.Add([]byte("x")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Add after a failure: %v, want ENOSPC", err)
	}
}

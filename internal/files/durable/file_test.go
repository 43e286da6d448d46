package durable

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

// TestWriteFileNames wants errors that name the file that was asked for, and
// never the unfinished one beside it.
func TestWriteFileNames(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	try.Do(t, os.WriteFile(file, nil, 0o600))
	fails := func(io.Writer) error {
		left, err := filepath.Glob(filepath.Join(dir, ".*"+Unfinished))
		if err != nil || len(left) != 1 {
			t.Fatalf("unfinished: %v, %v", left, err)
		}
		return &fs.PathError{Op: "write", Path: left[0], Err: errors.New("no space left on device")}
	}
	nothing := func(io.Writer) error { return nil }
	for _, tt := range []struct {
		path  string
		write func(io.Writer) error
		want  string
	}{
		{dir, nothing, "write DIR: is a directory"},
		{filepath.Join(dir, "none", "out.csv"), nothing, "write DIR/none/out.csv: there is no folder DIR/none"},
		{filepath.Join(file, "out.csv"), nothing, "open DIR/file/out.csv: not a directory"},
		{filepath.Join(dir, "out.csv"), fails, "write DIR/out.csv: no space left on device"},
	} {
		err := WriteFile(tt.path, tt.write)
		if err == nil {
			t.Errorf("%s: no error", tt.path)
			continue
		}
		if got := strings.ReplaceAll(err.Error(), dir, "DIR"); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
	if err := WriteFile(filepath.Join(dir, "none", "x"), nothing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not %v", err, fs.ErrNotExist)
	}
}

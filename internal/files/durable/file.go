// Package durable writes files that a crash leaves whole.
package durable

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Unfinished ends the names of files that [WriteFile] has not finished.
const Unfinished = ".unfinished"

// WriteFile writes a file through write so that path has either its old content
// or the whole new content, whatever happens. Its errors name path.
func WriteFile(path string, write func(io.Writer) error) (err error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return &fs.PathError{Op: "write", Path: path, Err: syscall.EISDIR}
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*"+Unfinished)
	if err != nil {
		return Named(err, "", path)
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
			err = Named(err, f.Name(), path)
		}
	}()
	w := bufio.NewWriter(f)
	steps := []func() error{func() error { return write(w) }, w.Flush, func() error { return f.Chmod(0o644) }, f.Sync, f.Close}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return os.Rename(f.Name(), path)
}

// Named returns err with path wherever it names the unfinished file or folder
// temp, which means nothing to a person. An empty temp is one that could not be
// created.
func Named(err error, temp, path string) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok && temp == "" {
		temp = e.Path
	}
	text := strings.ReplaceAll(err.Error(), temp, path)
	dir := filepath.Dir(path)
	if e, ok := errors.AsType[*os.LinkError](err); ok && e.Old == temp {
		text = fmt.Sprintf("write %s: %v", path, e.Err)
	}
	if _, gone := os.Stat(dir); gone != nil && errors.Is(err, fs.ErrNotExist) {
		text = fmt.Sprintf("write %s: there is no folder %s", path, dir)
	}
	return &namedError{text, err}
}

// A namedError is an error with another text.
type namedError struct {
	text string
	err  error
}

func (e *namedError) Error() string { return e.text }
func (e *namedError) Unwrap() error { return e.err }

// SyncFile puts what a file holds on the disk.
func SyncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// SyncDir puts the names of a folder's files on the disk. Systems that cannot
// do so for a folder do it on their own.
func SyncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync() // Windows refuses it
		_ = d.Close()
	}
}

package durable

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
)

// Unfinished ends the names of files that [WriteFile] has not finished.
const Unfinished = ".unfinished"

// WriteFile writes a file through write so that path holds either what it held
// before or the whole new content, whatever happens.
func WriteFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*"+Unfinished)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriter(f)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// SyncDir puts the names of a folder's files on the disk. Systems that cannot
// do so for a folder do it on their own.
func SyncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync() // Windows refuses it
		_ = d.Close()
	}
}

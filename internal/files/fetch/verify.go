package fetch

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A MismatchError says that a file differs from the pinned one.
type MismatchError struct {
	Path      string
	Got, Want string // size in bytes, SHA-256 or git blob
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s has %s, want %s", e.Path, e.Got, e.Want)
}

// Verify returns nil if the file in the folder has the pinned size and SHA-256 or
// git blob. It returns a [*MismatchError] if it has others, and an error that
// wraps fs.ErrNotExist if it is missing.
func Verify(ctx context.Context, folder *os.Root, file File) error {
	return check(ctx, folder, file.Name, file)
}

// check verifies the file under a name.
func check(ctx context.Context, folder *os.Root, name string, file File) error {
	info, err := folder.Stat(name)
	switch {
	case err != nil:
		return inFolder(folder, name, err)
	case !info.Mode().IsRegular():
		return inFolder(folder, name, fmt.Errorf("is not a regular file (%s)", info.Mode().Type()))
	case file.Size > 0 && info.Size() != file.Size:
		return &MismatchError{pathIn(folder, name), fmt.Sprintf("%d bytes", info.Size()), fmt.Sprintf("%d bytes", file.Size)}
	}
	f, err := folder.Open(name)
	if err != nil {
		return inFolder(folder, name, err)
	}
	defer f.Close()
	sum, kind, want := sha256.New(), "SHA-256 ", file.SHA256
	if file.GitBlob != "" {
		sum, kind, want = sha1.New(), "git blob ", file.GitBlob
		sum.Write(fmt.Appendf(nil, "blob %d\x00", info.Size()))
	}
	for err == nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		_, err = io.CopyN(sum, f, 1<<20)
	}
	if !errors.Is(err, io.EOF) {
		return inFolder(folder, name, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != want {
		return &MismatchError{pathIn(folder, name), kind + got, kind + want}
	}
	return nil
}

func pathIn(folder *os.Root, name string) string {
	return filepath.Join(folder.Name(), filepath.FromSlash(name))
}

// inFolder names the file in an error of the folder, whose own errors name it
// only within the folder; nil stays nil.
func inFolder(folder *os.Root, name string, err error) error {
	if err == nil {
		return nil
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	if le, ok := errors.AsType[*os.LinkError](err); ok {
		err = le.Err
	}
	return fmt.Errorf("%s: %w", pathIn(folder, name), err)
}

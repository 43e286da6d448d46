package fetch

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
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
	path := filepath.Join(folder.Name(), filepath.FromSlash(name))
	info, err := folder.Stat(name)
	if err != nil {
		return inFolder(folder, name, err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: is not a regular file (%s)", path, info.Mode().Type())
	}
	if file.Size > 0 && info.Size() != file.Size {
		return &MismatchError{path, fmt.Sprintf("%d bytes", info.Size()), fmt.Sprintf("%d bytes", file.Size)}
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
		return &MismatchError{path, kind + got, kind + want}
	}
	return nil
}

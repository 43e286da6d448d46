// Package fetch downloads files whose size and SHA-256, or git blob, are known
// beforehand.
//
// A download goes to NAME.part next to the final file, and gets the file's name
// only if size and hash are right: a file with that name is complete. Nothing
// is written outside the folder that the caller opened, whatever a name says.
package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"time"
)

// A File is a file to download.
type File struct {
	Name   string // in the folder, slash-separated
	URL    string // https
	Size   int64  // bytes; 0 for unknown, with GitBlob only
	SHA256 string // hex
	// GitBlob is the file's id in git, in hex, in place of SHA256.
	GitBlob string
}

// maxUnknown bounds a file of unknown size, 1 GiB.
const maxUnknown int64 = 1 << 30

// A Fetcher downloads files. The zero value works.
type Fetcher struct {
	// Client sends the requests; http.DefaultClient if it is nil. It should
	// have no overall timeout, since Stall ends a download that stops moving.
	Client *http.Client
	// Stall is how long nothing may arrive before the download is given up; one minute if
	// it is 0.
	Stall time.Duration
	// Progress, if it is not nil, receives the number of bytes of the file so far: once
	// before anything arrives and after each read.
	Progress func(f File, done int64)
	// Replace allows an existing, different file to be replaced.
	Replace bool
}

// partSuffix marks a download that is not complete.
const partSuffix = ".part"

// Get downloads f into the folder unless it exists. It returns whether it was
// downloaded.
func (f *Fetcher) Get(ctx context.Context, folder *os.Root, file File) (fetched bool, err error) {
	if err := checkURL(file.URL); err != nil {
		return false, err
	}
	switch err := Verify(ctx, folder, file); {
	case err == nil:
		return false, nil
	case errors.Is(err, fs.ErrNotExist):
	case errors.As(err, new(*MismatchError)):
		if !f.Replace {
			return false, fmt.Errorf("%w; move it away or replace it", err)
		}
	default:
		return false, err
	}
	if dir := path.Dir(file.Name); dir != "." {
		if err := folder.MkdirAll(dir, 0o755); err != nil {
			return false, inFolder(folder, dir, err)
		}
	}
	part := file.Name + partSuffix
	defer func() {
		if err != nil {
			_ = folder.Remove(part) // it may not be there
		}
	}()
	if err := f.download(ctx, folder, file); err != nil {
		return false, err
	}
	if err := check(ctx, folder, part, file); err != nil {
		if ctx.Err() != nil {
			return false, err
		}
		return false, serverf(file, "the server sent a file other than the pinned one: %w", err)
	}
	if err := folder.Rename(part, file.Name); err != nil {
		return false, inFolder(folder, file.Name, err)
	}
	return true, nil
}

// download writes what the server sends to the part.
func (f *Fetcher) download(ctx context.Context, folder *os.Root, file File) error {
	part := file.Name + partSuffix
	out, err := folder.Create(part)
	if err != nil {
		return inFolder(folder, part, err)
	}
	defer out.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := cmp.Or(f.Stall, time.Minute)
	timer := time.AfterFunc(stall, func() { cancel(errStalled) })
	defer timer.Stop()
	resp, err := f.request(ctx, file)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return serverf(file, "%s", resp.Status)
	}
	if n := resp.ContentLength; n >= 0 && file.Size > 0 && n != file.Size {
		return serverf(file, "the server has %d bytes, want %d: it is not the pinned file", n, file.Size)
	}
	progress := f.Progress
	if progress == nil {
		progress = func(File, int64) {}
	}
	progress(file, 0)
	most := cmp.Or(file.Size, maxUnknown)
	n, err := io.Copy(out, io.LimitReader(&meter{resp.Body, 0, func(done int64) {
		timer.Reset(stall) // something has arrived
		progress(file, done)
	}}, most+1))
	switch {
	case n > most:
		return serverf(file, "the server sent more than the %d bytes of the pinned file", most)
	case n == file.Size, file.Size == 0 && err == nil:
		return inFolder(folder, part, errors.Join(out.Sync(), out.Close()))
	case errors.As(err, new(*fs.PathError)):
		return inFolder(folder, part, err)
	case context.Cause(ctx) != nil:
		err = context.Cause(ctx)
	case err == nil:
		err = io.ErrUnexpectedEOF
	}
	return serverf(file, "%w after %d of %d bytes", err, n, file.Size)
}

// errStalled is why a download that does not move is given up.
var errStalled = errors.New("nothing arrived for too long")

// A meter reads a body and tells how much of it has arrived.
type meter struct {
	body io.Reader
	done int64
	tell func(done int64)
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.body.Read(p)
	m.done += int64(n)
	m.tell(m.done)
	return n, err
}

// A ServerError says that the server, or the connection to it, failed.
type ServerError struct {
	URL string
	Err error
}

func (e *ServerError) Error() string { return "GET " + e.URL + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *ServerError) Unwrap() error { return e.Err }

func serverf(file File, format string, args ...any) error {
	return &ServerError{file.URL, fmt.Errorf(format, args...)}
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
	return fmt.Errorf("%s: %w", filepath.Join(folder.Name(), filepath.FromSlash(name)), err)
}

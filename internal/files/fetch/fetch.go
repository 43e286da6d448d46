// Package fetch downloads files whose size and SHA-256 are known beforehand.
//
// A download goes to NAME.part beside the file that it will be, and takes the
// file's name only when size and hash are right: whoever sees the name has the
// whole file. An interrupted download leaves the part, and the next one goes
// on from there if the server can. Nothing is written outside the folder that
// the caller opened, whatever a name says.
package fetch

import (
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

// A File is what is to be downloaded.
type File struct {
	Name   string // in the folder, slash-separated
	URL    string // https
	Size   int64  // bytes
	SHA256 string // hex
}

// A Fetcher downloads files. The zero value works.
type Fetcher struct {
	// Client sends the requests; http.DefaultClient where it is nil. It should
	// have no overall timeout, since Stall ends what does not move.
	Client *http.Client
	// Stall is how long nothing may arrive before the download is given up;
	// one minute where it is 0.
	Stall time.Duration
	// Progress, where it is not nil, is told how many bytes of the file are
	// there: once before anything arrives and after each read.
	Progress func(f File, done int64)
	// Replace lets a file be replaced that is there and is another.
	Replace bool
}

// partSuffix marks a download that is not complete, tagSuffix the file beside
// it with the server's name for the version that it is part of.
const (
	partSuffix = ".part"
	tagSuffix  = ".part.etag"
)

// Get downloads f into the folder unless it is there. It returns whether it
// was downloaded.
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
	if err := f.download(ctx, folder, file); err != nil {
		if info, e := folder.Stat(part); e == nil && info.Size() == 0 {
			discard(folder, file)
		}
		return false, err
	}
	if err := check(ctx, folder, part, file); err != nil {
		if ctx.Err() != nil {
			return false, err
		}
		// A part with a wrong byte somewhere would spoil every further try.
		discard(folder, file)
		return false, serverf(file, "the server sent another file than the one that was pinned: %w", err)
	}
	if err := folder.Rename(part, file.Name); err != nil {
		return false, inFolder(folder, file.Name, err)
	}
	discard(folder, file)
	return true, nil
}

// discard removes what is left of a download.
func discard(folder *os.Root, file File) {
	// Where it cannot be removed the next download writes over it.
	_ = folder.Remove(file.Name + partSuffix)
	_ = folder.Remove(file.Name + tagSuffix)
}

// download brings the part to its full size.
func (f *Fetcher) download(ctx context.Context, folder *os.Root, file File) error {
	out, err := folder.OpenFile(file.Name+partSuffix, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return inFolder(folder, file.Name+partSuffix, err)
	}
	defer out.Close()
	from, err := out.Seek(0, io.SeekEnd)
	if err != nil {
		return inFolder(folder, file.Name+partSuffix, err)
	}
	switch {
	case from > file.Size:
		from = 0
	case from == file.Size && from > 0:
		return nil
	}
	for {
		again, err := f.transfer(ctx, folder, out, file, from)
		if again && from > 0 {
			from = 0 // the server has no such range: once more, from the start
			continue
		}
		if err != nil {
			return err
		}
		if err := out.Sync(); err != nil {
			return inFolder(folder, file.Name+partSuffix, err)
		}
		return out.Close()
	}
}

// transfer makes one request for what comes after the first bytes and writes
// it to the part. It returns again if there is nothing at that place.
func (f *Fetcher) transfer(ctx context.Context, folder *os.Root, out *os.File, file File, from int64) (again bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(f.stall(), func() { cancel(errStalled) })
	defer timer.Stop()
	resp, err := f.request(ctx, folder, file, from)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
		from = 0
	case http.StatusPartialContent:
		if start, ok := rangeStart(resp); !ok || start != from {
			return true, serverf(file, "the server sent another range than asked for: %q", resp.Header.Get("Content-Range"))
		}
	case http.StatusRequestedRangeNotSatisfiable:
		return true, serverf(file, "%s", resp.Status)
	default:
		return false, serverf(file, "%s", resp.Status)
	}
	if n := resp.ContentLength; n >= 0 && from+n != file.Size {
		return false, serverf(file, "the server has %d bytes, want %d: it is not the file that was pinned", from+n, file.Size)
	}
	if err := out.Truncate(from); err != nil {
		return false, inFolder(folder, file.Name+partSuffix, err)
	}
	if _, err := out.Seek(from, io.SeekStart); err != nil {
		return false, inFolder(folder, file.Name+partSuffix, err)
	}
	if err := keepTag(folder, file, resp); err != nil {
		return false, err
	}
	body := &meter{body: resp.Body, file: file, done: from, progress: f.Progress, stall: f.stall(), timer: timer}
	body.report()
	n, err := io.Copy(out, io.LimitReader(body, file.Size-from+1))
	switch n += from; {
	case n > file.Size:
		discard(folder, file)
		return false, serverf(file, "the server sent more than the %d bytes of the file that was pinned", file.Size)
	case n == file.Size:
		return false, nil
	case errors.As(err, new(*fs.PathError)):
		return false, inFolder(folder, file.Name+partSuffix, err)
	case context.Cause(ctx) != nil:
		err = context.Cause(ctx)
	case err == nil:
		err = io.ErrUnexpectedEOF
	}
	return false, serverf(file, "%w after %d of %d bytes; the next download goes on from there", err, n, file.Size)
}

func (f *Fetcher) stall() time.Duration {
	if f.Stall > 0 {
		return f.Stall
	}
	return time.Minute
}

// A ServerError says that the server, or the way to it, failed.
type ServerError struct {
	URL string
	Err error
}

func (e *ServerError) Error() string { return "GET " + e.URL + ": " + e.Err.Error() }

// Unwrap returns what failed.
func (e *ServerError) Unwrap() error { return e.Err }

func serverf(file File, format string, args ...any) error {
	return &ServerError{file.URL, fmt.Errorf(format, args...)}
}

// inFolder names the file in an error of the folder, whose own errors name it
// only within the folder.
func inFolder(folder *os.Root, name string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	if le, ok := errors.AsType[*os.LinkError](err); ok {
		err = le.Err
	}
	return fmt.Errorf("%s: %w", filepath.Join(folder.Name(), filepath.FromSlash(name)), err)
}

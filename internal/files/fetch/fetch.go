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
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
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

const (
	// maxUnknown bounds a file of unknown size, 1 GiB.
	maxUnknown int64 = 1 << 30
	// stall is how long nothing may arrive before a download is given up.
	stall = time.Minute
	// maxRedirects is how often a server may send the request elsewhere.
	maxRedirects = 5
)

// A Fetcher downloads files. The zero value works.
type Fetcher struct {
	// Client sends the requests; http.DefaultClient if it is nil. It should
	// have no overall timeout: a download that stops moving for a minute is given up.
	Client *http.Client
	// Progress, if it is not nil, receives the number of bytes of the file so far: once
	// before anything arrives and after each read.
	Progress func(f File, done int64)
	// Replace allows an existing, different file to be replaced.
	Replace bool
}

// Get downloads f into the folder unless it exists. It returns whether it was
// downloaded.
func (f *Fetcher) Get(ctx context.Context, folder *os.Root, file File) (fetched bool, err error) {
	if err := checkURL(file.URL); err != nil {
		return false, err
	}
	err = Verify(ctx, folder, file)
	differs := errors.As(err, new(*MismatchError))
	switch {
	case err == nil:
		return false, nil
	case differs && !f.Replace:
		return false, fmt.Errorf("%w; move it away or replace it", err)
	case !differs && !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	part := file.Name + ".part" // a download that is not complete
	err = folder.MkdirAll(path.Dir(file.Name), 0o755)
	if err == nil {
		err = f.download(ctx, folder, part, file)
	}
	if err == nil {
		err = folder.Rename(part, file.Name)
	}
	if err != nil {
		_ = folder.Remove(part) // it may not be there
	}
	return err == nil, inFolder(folder, err)
}

// download writes what the server sends to a file, and checks it.
func (f *Fetcher) download(ctx context.Context, folder *os.Root, part string, file File) error {
	out, err := folder.Create(part)
	if err != nil {
		return err
	}
	defer out.Close()
	err = f.receive(ctx, out, file)
	if err == nil {
		err = errors.Join(out.Sync(), out.Close())
	}
	if err == nil {
		if err = check(ctx, folder, part, file); errors.As(err, new(*MismatchError)) {
			err = fmt.Errorf("the server sent a file other than the pinned one: %w", err)
		}
	}
	if err == nil || errors.As(err, new(*fs.PathError)) {
		return err
	}
	return &ServerError{file.URL, err}
}

// receive writes what the server sends. An error of writing is an [*fs.PathError].
func (f *Fetcher) receive(ctx context.Context, out io.Writer, file File) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(stall, func() { cancel(errStalled) })
	defer timer.Stop()
	resp, err := f.request(ctx, file)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	if n := resp.ContentLength; n >= 0 && file.Size > 0 && n != file.Size {
		return fmt.Errorf("the server has %d bytes, want %d: it is not the pinned file", n, file.Size)
	}
	done := int64(0)
	arrived := arrivals(func(n int) {
		timer.Reset(stall)
		if done += int64(n); f.Progress != nil {
			f.Progress(file, done)
		}
	})
	arrived(0)
	most := cmp.Or(file.Size, maxUnknown)
	n, err := io.Copy(out, io.LimitReader(io.TeeReader(resp.Body, arrived), most+1))
	switch {
	case n > most:
		return fmt.Errorf("the server sent more than the %d bytes of the pinned file", most)
	case n == file.Size, file.Size == 0 && err == nil:
		return nil
	case errors.As(err, new(*fs.PathError)):
		return err
	}
	return fmt.Errorf("%w after %d of %d bytes", cmp.Or(context.Cause(ctx), err, io.ErrUnexpectedEOF), n, file.Size)
}

// errStalled is why a download that does not move is given up.
var errStalled = errors.New("nothing arrived for too long")

// arrivals is told how many bytes have arrived.
type arrivals func(n int)

// Write implements [io.Writer].
func (a arrivals) Write(p []byte) (int, error) {
	a(len(p))
	return len(p), nil
}

// request asks for a file.
func (f *Fetcher) request(ctx context.Context, file File) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, file.URL, http.NoBody)
	if err != nil {
		return nil, err
	}
	// A transport would else ask for gzip, whose length is not the file's.
	req.Header.Set("Accept-Encoding", "identity")
	client := *cmp.Or(f.Client, http.DefaultClient)
	client.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return fmt.Errorf("more than %d redirects", maxRedirects)
		}
		return checkURL(req.URL.String())
	}
	resp, err := client.Do(req)
	if ue, ok := errors.AsType[*url.Error](err); ok {
		err = cmp.Or(context.Cause(ctx), ue.Err)
	}
	return resp, err
}

// checkURL refuses what is not encrypted: a hash tells that a file is right,
// but not who saw it being fetched.
func checkURL(address string) error {
	if !strings.HasPrefix(address, "https://") {
		return fmt.Errorf("%s: want an https address", address)
	}
	return nil
}

// A ServerError says that the server, or the connection to it, failed.
type ServerError struct {
	URL string
	Err error
}

func (e *ServerError) Error() string { return "GET " + e.URL + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *ServerError) Unwrap() error { return e.Err }

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
	return inFolder(folder, check(ctx, folder, file.Name, file))
}

// check verifies the file under a name.
func check(ctx context.Context, folder *os.Root, name string, file File) error {
	info, err := folder.Stat(name)
	path := filepath.Join(folder.Name(), filepath.FromSlash(name))
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: is not a regular file (%s)", path, info.Mode().Type())
	case file.Size > 0 && info.Size() != file.Size:
		return &MismatchError{path, fmt.Sprintf("%d bytes", info.Size()), fmt.Sprintf("%d bytes", file.Size)}
	}
	f, err := folder.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	sum, kind, want := sha256.New(), "SHA-256 ", file.SHA256
	if file.GitBlob != "" {
		sum, kind, want = sha1.New(), "git blob ", file.GitBlob
		sum.Write(fmt.Appendf(nil, "blob %d\x00", info.Size()))
	}
	for err == nil {
		_, err = io.CopyN(sum, f, 1<<20)
		err = cmp.Or(ctx.Err(), err)
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != want {
		return &MismatchError{path, kind + got, kind + want}
	}
	return nil
}

// inFolder names the file with its folder in an error of the folder, whose own errors name it
// only within; nil stays nil.
func inFolder(folder *os.Root, err error) error {
	name, cause := "", err
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		name, cause = pe.Path, pe.Err
	} else if le, ok := errors.AsType[*os.LinkError](err); ok {
		name, cause = le.New, le.Err
	}
	if name == "" {
		return err
	}
	if !strings.HasPrefix(name, folder.Name()) {
		name = filepath.Join(folder.Name(), filepath.FromSlash(name))
	}
	return fmt.Errorf("%s: %w", name, cause)
}

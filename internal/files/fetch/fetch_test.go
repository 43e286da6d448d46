package fetch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"recallbench/internal/testkit/try"
)

// content is what the servers of these tests hold.
var content = bytes.Repeat([]byte("0123456789abcdef"), 8<<10)

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// A server is a folder to download to and a server to download from.
type server struct {
	*httptest.Server
	dir      string
	folder   *os.Root
	requests int
}

func serve(t *testing.T, handle http.HandlerFunc) *server {
	t.Helper()
	s := &server{dir: t.TempDir()}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests++
		handle(w, r)
	}))
	t.Cleanup(s.Close)
	folder := try.Get(os.OpenRoot(s.dir))(t)
	t.Cleanup(func() { folder.Close() })
	s.folder = folder
	return s
}

// static serves content as file servers do, behind a redirect.
func static(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/data.json" {
		http.Redirect(w, r, "/moved", http.StatusMovedPermanently)
		return
	}
	http.ServeContent(w, r, "data.json", time.Time{}, bytes.NewReader(content))
}

func (s *server) file(name string) File {
	return File{Name: name, URL: s.URL + "/data.json", Size: int64(len(content)), SHA256: digest(content)}
}

func (s *server) get(t *testing.T, file File) (bool, error) {
	t.Helper()
	f := Fetcher{Client: s.Client()}
	return f.Get(t.Context(), s.folder, file)
}

// names lists what is in the folder.
func (s *server) names(t *testing.T) string {
	t.Helper()
	return strings.Join(try.Get(fs.Glob(s.folder.FS(), "*"))(t), " ")
}

// complete checks that the folder holds the file and nothing else.
func (s *server) complete(t *testing.T, name string) {
	t.Helper()
	got, err := s.folder.ReadFile(name)
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("%s holds %d bytes, error %v", name, len(got), err)
	}
	if names := s.names(t); names != strings.Split(name, "/")[0] {
		t.Errorf("the folder holds %s, want %s", names, name)
	}
}

// fails checks an error and what is left in the folder.
func (s *server) fails(t *testing.T, err error, want, left string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
	if names := s.names(t); names != left {
		t.Errorf("the folder holds %q, want %q", names, left)
	}
}

func TestGet(t *testing.T) {
	s := serve(t, static)
	var told []int64
	f := Fetcher{Client: s.Client(), Progress: func(_ File, done int64) { told = append(told, done) }}
	file := s.file("locomo/data.json")
	if fetched, err := f.Get(t.Context(), s.folder, file); err != nil || !fetched {
		t.Fatalf("fetched %t, error %v", fetched, err)
	}
	s.complete(t, "locomo/data.json")
	if told[0] != 0 || told[len(told)-1] != file.Size {
		t.Errorf("progress went from %d to %d, want 0 to %d", told[0], told[len(told)-1], file.Size)
	}
	if fetched, err := f.Get(t.Context(), s.folder, file); err != nil || fetched {
		t.Errorf("a second time: fetched %t, error %v", fetched, err)
	}
	if s.requests != 2 {
		t.Errorf("%d requests, want one and its redirect", s.requests)
	}
}

func TestServerFaults(t *testing.T) {
	check := func(name, want string, handle http.HandlerFunc) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			s := serve(t, handle)
			fetched, err := s.get(t, s.file("data.json"))
			s.fails(t, err, want, "")
			if !errors.As(err, new(*ServerError)) {
				t.Errorf("error %T, want a ServerError", err)
			}
			if fetched {
				t.Error("it says that it fetched the file")
			}
		})
	}
	check("404", ": 404 Not Found", http.NotFound)
	check("another size", "the server has 4 bytes, want 131072: it is not the pinned file", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("four"))
	})
	check("another file", "the server sent a file other than the pinned one: ", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(bytes.Repeat([]byte("x"), len(content)))
	})
	check("too long", "the server sent more than the 131072 bytes of the pinned file", func(w http.ResponseWriter, _ *http.Request) {
		for range 3 { // without a length
			_, _ = w.Write(content)
			w.(http.Flusher).Flush()
		}
	})
	check("too short", "unexpected EOF after 131071 of 131072 bytes", func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush()
		_, _ = w.Write(content[1:])
	})
	check("redirects", "more than 5 redirects", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
	})
	check("redirect off https", "http://example.org/: want an https address", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://example.org/", http.StatusFound)
	})
}

func TestStall(t *testing.T) {
	s := serve(t, nil)
	synctest.Test(t, func(t *testing.T) {
		f := Fetcher{Client: &http.Client{Transport: standstill{}}}
		_, err := f.Get(t.Context(), s.folder, s.file("data.json"))
		s.fails(t, err, "nothing arrived for too long after 5000 of 131072 bytes", "")
	})
}

// A standstill is a server that sends 5000 bytes and then nothing.
type standstill struct{}

func (standstill) RoundTrip(r *http.Request) (*http.Response, error) {
	body, w := io.Pipe()
	go func() {
		_, _ = w.Write(content[:5000])
		<-r.Context().Done()
		w.CloseWithError(context.Cause(r.Context()))
	}()
	return &http.Response{StatusCode: http.StatusOK, ContentLength: int64(len(content)), Body: body, Header: http.Header{}, Request: r}, nil
}

func TestPlaces(t *testing.T) {
	s := serve(t, static)
	outside := t.TempDir()
	try.Do(t, os.Symlink(outside, filepath.Join(s.dir, "link")))
	for _, name := range []string{"../data.json", "/data.json", "a/../../data.json", "link/data.json"} {
		if _, err := s.get(t, s.file(name)); err == nil || !strings.Contains(err.Error(), "escapes from parent") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
		t.Errorf("outside there is %v, error %v", entries, err)
	}
	if s.requests > 0 {
		t.Errorf("%d requests for files that cannot be written", s.requests)
	}
	file := s.file("data.json")
	file.URL = strings.Replace(file.URL, "https:", "http:", 1)
	_, err := s.get(t, file)
	s.fails(t, err, "want an https address", "link")
}

// TestUnwritable has a part that cannot be written.
func TestUnwritable(t *testing.T) {
	s := serve(t, static)
	try.Do(t, s.folder.Mkdir("data.json.part", 0o755))
	_, err := s.get(t, s.file("data.json"))
	s.fails(t, err, filepath.Join(s.dir, "data.json.part")+": is a directory", "")
	if errors.As(err, new(*ServerError)) {
		t.Errorf("the server is blamed: %v", err)
	}
}

func TestReplace(t *testing.T) {
	s := serve(t, static)
	try.Do(t, s.folder.WriteFile("data.json", []byte("mine"), 0o644))
	_, err := s.get(t, s.file("data.json"))
	s.fails(t, err, filepath.Join(s.dir, "data.json")+" has 4 bytes, want 131072 bytes; move it away or replace it", "data.json")
	f := Fetcher{Client: s.Client(), Replace: true}
	try.Get(f.Get(t.Context(), s.folder, s.file("data.json")))(t)
	s.complete(t, "data.json")
}

func TestVerify(t *testing.T) {
	s := serve(t, static)
	file := s.file("data.json")
	if err := Verify(t.Context(), s.folder, file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("not there: %v", err)
	}
	try.Do(t, s.folder.WriteFile("data.json", content, 0o644))
	if err := Verify(t.Context(), s.folder, file); err != nil {
		t.Errorf("as it should be: %v", err)
	}
	other := bytes.Clone(content)
	other[77]++
	try.Do(t, s.folder.WriteFile("data.json", other, 0o644))
	mismatch, ok := errors.AsType[*MismatchError](Verify(t.Context(), s.folder, file))
	if !ok || mismatch.Got != "SHA-256 "+digest(other) || mismatch.Want != "SHA-256 "+file.SHA256 {
		t.Errorf("another: %+v", mismatch)
	}
	try.Do(t, s.folder.Mkdir("folder", 0o755))
	if err := Verify(t.Context(), s.folder, s.file("folder")); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("a folder: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Verify(ctx, s.folder, file); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

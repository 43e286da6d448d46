package fleet

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
)

// A brokenServer breaks off what it sends after some bytes, but for the last of a file.
type brokenServer struct {
	http.ResponseWriter
	left int
}

func (w *brokenServer) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p[:min(len(p), w.left)])
	if w.left -= n; err == nil && n < len(p) {
		panic(http.ErrAbortHandler)
	}
	return n, err
}

// Files reach a worker that has not got them, whole or not at all, however often the
// connection breaks off.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	own := make(map[string]string)
	for name, size := range map[string]int{"here": 10, "away": 3 << 20, "empty": 0} {
		own[name] = filepath.Join(dir, name)
		try.Do(t, os.WriteFile(own[name], bytes.Repeat([]byte{'x'}, size), 0o600))
	}
	c := &Coordinator{Log: slog.New(slog.DiscardHandler), Keys: Keys{Access: Access{Token: "token"}}}
	c.init()
	close(c.ready)
	try.Do(t, c.openFiles(own))
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.ServeHTTP(&brokenServer{w, 1 << 20}, r)
	}))
	s.StartTLS()
	defer s.Close()
	worker := Worker{URL: s.URL, Access: c.Keys.Access, Log: c.Log, Patience: time.Minute}.client(t.Context(), func() {})
	worker.http = s.Client()
	files := slices.Clone(c.welcome.Files)
	for i := range files {
		if files[i].Option != "here" {
			files[i].Path += " of another machine"
		}
	}
	fetch := func() (map[string]string, error) { return worker.fetchFiles(t.Context(), t.TempDir(), files) }
	copies := try.Get(fetch())(t)
	for name, size := range map[string]int64{"away": 3 << 20, "empty": 0} {
		if info, err := os.Stat(copies[name]); err != nil || info.Size() != size {
			t.Errorf("%s: %v, %v; want %d bytes", name, info, err, size)
		}
	}
	if copies["here"] != "" {
		t.Error("a file that is there was copied")
	}
	try.Do(t, os.WriteFile(own["away"], []byte("another file"), 0o600))
	if _, err := fetch(); err == nil || !strings.Contains(err.Error(), "away of the run: it came with SHA-256") {
		t.Errorf("another file: %v", err)
	}
}

// No message is read that is too long or does not say how long it is.
func TestLongMessage(t *testing.T) {
	c := &Coordinator{Log: slog.New(slog.DiscardHandler)}
	for size, wants := range map[int64]bool{-1: false, maxMessage + 1: false, 2: true} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/join", strings.NewReader("{}"))
		r.ContentLength = size
		if err := c.read(httptest.NewRecorder(), r, &struct{}{}); (err == nil) != wants {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// Two builds are the same by their commit, or where that does not say all by their file.
func TestSameProgram(t *testing.T) {
	committed := record.Binary{Version: "devel", Commit: "c0ffee"}
	changed, unknown := committed, record.Binary{Version: "devel"}
	changed.Dirty = true
	for _, tt := range []struct {
		run, worker record.Binary
		sum         string
		same        bool
	}{
		{committed, committed, programSum(committed), true},
		{record.Binary{Version: "v1.0.0"}, record.Binary{Version: "v1.0.0"}, "", true},
		{committed, changed, programSum(changed), false},
		{changed, changed, programSum(changed), true},
		{changed, changed, "another", false},
		{unknown, unknown, programSum(unknown), true},
		{unknown, unknown, "another", false},
		{unknown, unknown, "", false},
	} {
		if err := sameProgram(tt.run, tt.worker, tt.sum); (err == nil) != tt.same {
			t.Errorf("%+v and %+v with %.8q: %v", tt.run, tt.worker, tt.sum, err)
		}
	}
}

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

// Files reach a worker that has not got them, whole or not at all.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	own := make(map[string]string)
	for name, size := range map[string]int{"here": 10, "away": 9 << 20, "empty": 0} {
		own[name] = filepath.Join(dir, name)
		try.Do(t, os.WriteFile(own[name], bytes.Repeat([]byte{'x'}, size), 0o600))
	}
	c := &Coordinator{Log: slog.New(slog.DiscardHandler), Keys: Keys{Access: Access{Token: "token"}}, hold: holdTime, begun: true}
	c.init()
	try.Do(t, c.openFiles(own))
	s := httptest.NewTLSServer(c)
	defer s.Close()
	worker := Worker{URL: s.URL, Access: c.Keys.Access, Log: c.Log, Patience: time.Minute}.client(t.Context(), func() {})
	worker.http = s.Client()
	c.sessions[worker.session] = newSession(t.Context(), worker.session, "worker")
	files := slices.Clone(c.welcome.Files)
	for i := range files {
		if files[i].Option != "here" {
			files[i].Path += " of another machine"
		}
	}
	fetch := func() (map[string]string, error) { return worker.fetchFiles(t.Context(), t.TempDir(), files) }
	copies := try.Get(fetch())(t)
	for name, size := range map[string]int64{"away": 9 << 20, "empty": 0} {
		if info, err := os.Stat(copies[name]); err != nil || info.Size() != size {
			t.Errorf("%s: %v, %v; want %d bytes", name, info, err, size)
		}
	}
	if copies["here"] != "" {
		t.Error("a file that is there was copied")
	}
	try.Do(t, os.WriteFile(own["away"], []byte("another file"), 0o600))
	if _, err := fetch(); err == nil || !strings.Contains(err.Error(), "away of the run: its SHA-256 is") {
		t.Errorf("another file: %v", err)
	}
}

// No message is read that is too long or does not say how long it is.
func TestLongMessage(t *testing.T) {
	for size, wants := range map[int64]bool{-1: false, maxMessage + 1: false, 2: true} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/join", strings.NewReader("{}"))
		r.ContentLength = size
		if err := read(httptest.NewRecorder(), r, &struct{}{}); (err == nil) != wants {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// A build is known by its release or its commit, or where that does not say all by its
// file, on any kind of machine.
func TestProgram(t *testing.T) {
	for b, file := range map[record.Binary]bool{
		{Version: "devel", Commit: "c0ffee", Host: "plan9/mips"}: false,
		{Version: "devel", Commit: "c0ffee", Dirty: true}:        true,
		{Version: "v1.0.0"}: false,
		{Version: "devel"}:  true,
	} {
		text := Program(b)
		if !strings.Contains(text, b.Version) || !strings.Contains(text, b.Commit) || strings.Contains(text, "mips") || strings.Contains(text, ownSum()) != file {
			t.Errorf("%+v is %q", b, text)
		}
	}
}

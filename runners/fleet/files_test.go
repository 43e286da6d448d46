package fleet

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"recallbench/internal/result/record"
)

// Files reach a worker that has not got them, whole or not at all.
func TestFiles(t *testing.T) {
	c, ctx, dir := listen(t), t.Context(), t.TempDir()
	here, away := filepath.Join(dir, "here.jsonl"), filepath.Join(dir, "away.jsonl")
	for path, size := range map[string]int{here: 10, away: 3 << 20} {
		if err := os.WriteFile(path, []byte(strings.Repeat("x", size)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	remove, err := c.sendFiles(ctx, map[string]string{"here": here, "away": away})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(away); err != nil {
		t.Fatal(err)
	}
	conn, err := Worker{URL: c.Link.URL, Access: c.Keys.Access, Patience: time.Minute}.connect(ctx, rand.Text())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	copies, err := fetchFiles(ctx, conn, c.Keys.Run, t.TempDir(), c.files)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(copies["away"]); err != nil || len(data) != 3<<20 || copies["here"] != "" {
		t.Errorf("copies %v with %d bytes, %v", copies, len(data), err)
	}

	wrong := c.files
	js, err := jetstream.New(c.Link.conn)
	if err != nil {
		t.Fatal(err)
	}
	store, err := js.ObjectStore(ctx, streamName(c.Keys.Run))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.PutString(ctx, wrong[0].SHA256, "another file"); err != nil {
		t.Fatal(err)
	}
	if _, err := fetchFiles(ctx, conn, c.Keys.Run, t.TempDir(), wrong); err == nil || !strings.Contains(err.Error(), "away of the run: it came with SHA-256") {
		t.Errorf("another file: %v", err)
	}
	if err := remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := fetchFiles(ctx, conn, c.Keys.Run, t.TempDir(), wrong); err == nil {
		t.Error("the store is there after its end")
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

package external

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/meter"
	"recallbench/internal/engine/checkpoint"
	"recallbench/internal/external/wire"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/methods/methodtest"
)

// kit of a test: what the adapter read and what was logged.
type restoring struct {
	methodtest.Shelf

	log    *bytes.Buffer
	charge int
	noted  string
}

// start makes a method and builds the sample, which it answers.
func (r *restoring) answers(t *testing.T, mode string, damage func()) []methods.Response {
	t.Helper()
	env := surroundings(t)
	env.Log = slog.New(slog.NewTextHandler(r.log, nil))
	env.Charge = func(*meter.Meter) { r.charge++ }
	made := try.Get(newMethod(env, options(t, mode, func(o *Options) { o.Set[childLog] = r.noted })))(t)
	defer made.(*method).Close()
	if damage != nil {
		damage()
	}
	s := methodtest.Sample()
	mem := try.Get(made.Build(checkpoint.With(t.Context(), &r.Shelf), s))(t)
	defer methods.Close(mem)
	var all []methods.Response
	for _, q := range s.Requests {
		resp := try.Get(mem.Answer(t.Context(), q))(t)
		all = append(all, resp)
	}
	return all
}

// added counts the sessions that adapters read.
func (r *restoring) added(t *testing.T) int {
	t.Helper()
	data := try.Get(os.ReadFile(r.noted))(t)
	return strings.Count(string(data), `"`+wire.Add+`"`)
}

func newRestoring(t *testing.T) *restoring {
	t.Helper()
	dir := t.TempDir()
	return &restoring{Shelf: methodtest.Shelf{File: filepath.Join(dir, "memory.parts")}, log: new(bytes.Buffer), noted: filepath.Join(dir, "wire")}
}

// TestSnapshot checks that a memory whose adapter can is kept, and is there again
// without a session being added a second time.
func TestSnapshot(t *testing.T) {
	r := newRestoring(t)
	want := r.answers(t, "snapshot", nil)
	if len(r.Data) != 1 || r.added(t) != 3 {
		t.Fatalf("%d parts are kept and %d sessions were added, want 1 and 3", len(r.Data), r.added(t))
	}
	got := r.answers(t, "snapshot", nil)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a restored memory answers differently (-built +restored):\n%s", diff)
	}
	if r.added(t) != 3 || len(r.Data) != 1 || r.Used != 1 || r.charge != 1 {
		t.Errorf("%d sessions were added, %d parts kept, %d used and %d restorations charged to the run; want 3, 1, 1 and 1", r.added(t), len(r.Data), r.Used, r.charge)
	}
}

// TestSnapshotElsewhere checks that a memory is built again without a word where the
// archive of its snapshot is on another machine.
func TestSnapshotElsewhere(t *testing.T) {
	r := newRestoring(t)
	want := r.answers(t, "snapshot", nil)
	once := r.added(t)
	r.File = ""
	if diff := cmp.Diff(want, r.answers(t, "snapshot", nil)); diff != "" {
		t.Errorf("(-first +second):\n%s", diff)
	}
	if n := r.added(t); n != 2*once {
		t.Errorf("adapters read %d sessions, want %d", n, 2*once)
	}
	if r.log.Len() > 0 || r.charge > 0 {
		t.Errorf("charged %d, and said %q", r.charge, r.log)
	}
}

// TestSnapshotDropped checks that a snapshot that does not restore is dropped with
// a warning, and that one that cannot be made or packed costs the memory nothing.
func TestSnapshotDropped(t *testing.T) {
	good := newRestoring(t)
	want := good.answers(t, "snapshot", nil)
	for _, tt := range []struct {
		first, then string
		damage      func(r *restoring)
		warning     string
		parts       int
	}{
		{"snapshot", "snapshot", func(r *restoring) { _ = os.WriteFile(r.File, []byte("none"), 0o600) }, "cannot be restored", 1},
		{"snapshot", "snapshot", func(r *restoring) { _ = os.Remove(r.File) }, "cannot be restored", 1},
		{"snapshot", "snapshot-lost", nil, "cannot be restored", 1}, // nothing is found in it
		{"snapshot-none", "snapshot-none", nil, "makes no snapshot", 0},
		{"snapshot-link", "snapshot-link", nil, "non-regular file", 0},
	} {
		r := newRestoring(t)
		r.answers(t, tt.first, nil)
		got := r.answers(t, tt.then, func() {
			if tt.damage != nil {
				tt.damage(r)
			}
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, then %s: answers differ (-want +got):\n%s", tt.first, tt.then, diff)
		}
		if r.added(t) != 6 || r.Used != 0 || len(r.Data) != tt.parts || !strings.Contains(r.log.String(), tt.warning) {
			t.Errorf("%s, then %s: %d sessions added, %v used, %d parts kept; want 6, none, %d and a warning that holds %q:\n%s",
				tt.first, tt.then, r.added(t), r.Used, len(r.Data), tt.parts, tt.warning, r.log)
		}
	}
}

// TestSnapshotAfterLoss checks that a memory whose process dies while it is asked is
// restored and not built again.
func TestSnapshotAfterLoss(t *testing.T) {
	r := newRestoring(t)
	made := try.Get(newMethod(surroundings(t), options(t, "snapshot", func(o *Options) { o.Set[childLog] = r.noted })))(t)
	defer made.(*method).Close()
	s := methodtest.Sample()
	built := try.Get(made.Build(checkpoint.With(t.Context(), &r.Shelf), s))(t)
	defer methods.Close(built)
	want := try.Get(built.Answer(t.Context(), s.Requests[1]))(t)
	mem := built.(*memory)
	_ = mem.running.conn.Close()
	got, err := built.Answer(t.Context(), s.Requests[1])
	if err != nil || got.Text != want.Text || !cmp.Equal(got.Evidence, want.Evidence) {
		t.Errorf("after the loss: %+v, %v; want %+v", got, err, want)
	}
	if r.added(t) != 3 {
		t.Errorf("%d sessions were added, want 3", r.added(t))
	}
}

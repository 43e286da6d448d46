package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"recallbench/internal/publish/catalog"
	"recallbench/internal/publish/live"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

// A follower is a stream of the events of a run.
type follower struct {
	t     *testing.T
	lines *bufio.Scanner
	state followed
}

// A followed is what a page knows of a run.
type followed struct {
	Status   catalog.State
	Resume   string
	Scored   bool
	Progress *record.Progress
	Cells    []live.Cell
	Rows     []record.SummaryRow
	Faults   []live.Fault
}

// follow opens the events of a run.
func (v *viewed) follow(key string) *follower {
	v.t.Helper()
	ctx, stop := context.WithTimeout(v.t.Context(), 2*time.Minute) // for events that never come
	v.t.Cleanup(stop)
	r := try.Get(http.NewRequestWithContext(ctx, http.MethodGet, v.address+"/api/events?run="+key, nil))(v.t)
	r.Header.Set("Authorization", "Bearer "+v.token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { _ = resp.Body.Close() })
	f := &follower{t: v.t, lines: bufio.NewScanner(resp.Body)}
	f.lines.Buffer(nil, 64<<20)
	return f
}

// until takes events until something holds. No figure may be wrong on the way.
func (f *follower) until(what string, holds func() bool) {
	f.t.Helper()
	for !holds() {
		var name string
		for ; f.lines.Scan(); name = strings.TrimPrefix(f.lines.Text(), "event: ") {
			if data, ok := strings.CutPrefix(f.lines.Text(), "data: "); ok {
				f.take(name, []byte(data))
				break
			}
		}
		if err := f.lines.Err(); err != nil || f.t.Failed() {
			f.t.Fatalf("before %s, %s, %d done: %v", what, f.state.Status, f.all(), err)
		}
	}
}

func (f *follower) take(name string, data []byte) {
	f.t.Helper()
	switch name {
	case "state":
		f.state = followed{}
		try.Do(f.t, json.Unmarshal(data, &f.state))
		if len(f.state.Faults) > 0 {
			f.t.Errorf("faults %+v", f.state.Faults)
		}
		for _, c := range f.state.Cells {
			if c.Done > c.Planned || c.Failed > 0 {
				f.t.Errorf("cell %+v", c)
			}
		}
	default:
		f.t.Errorf("%s: %s", name, data)
	}
}

// all counts the requests that have finished.
func (f *follower) all() (n int) {
	for _, c := range f.state.Cells {
		n += c.Done
	}
	return n
}

// TestViewFollows follows a run that is killed, resumed while it is watched, and
// finished. What the page shows is right at each step, and the scores at the end are
// those of the run.
func TestViewFollows(t *testing.T) {
	t.Chdir(t.TempDir())
	gate := make(chan struct{}) // a reply for each value, all once it is closed
	model := modelserver.New(t, modelserver.Options{Script: func(string, []byte) (json.RawMessage, bool) {
		<-gate
		return nil, false
	}})
	open := sync.OnceFunc(func() { close(gate) })
	t.Cleanup(open)
	dir := filepath.Join("results", "runs", "killed")
	config := write(t, "run.yaml", fmt.Sprintf(`
datasets: [{use: sample}]
methods: [{use: stateless}, {use: in-context}]
models: [{use: live, options: {chat: {base_url: %s, model: m, price: {input: 0, output: 0}}, tokenizer: o200k_base}}]
metrics: [f1@mem0, exact-match]
concurrency: {requests: 1}
calls: {mode: "off"}
`, model.URL))
	start := func(args ...string) (*exec.Cmd, *strings.Builder) {
		t.Helper()
		cmd, said := process(t, append(args, "--display", "none")...), new(strings.Builder)
		cmd.Stderr, cmd.Stdout = said, said
		try.Do(t, cmd.Start())
		return cmd, said
	}
	first, said := start("run", config, "--out", dir)
	gate <- struct{}{} // the run has begun
	v := view(t)
	t.Cleanup(func() { v.end() }) // after the tab is closed, which may still ask
	var index catalog.Index
	v.get("/api/runs", &index)
	if len(index.Runs) != 1 {
		t.Fatalf("runs %+v", index.Runs)
	}
	f := v.follow(index.Runs[0].Key)
	f.until("the first record", func() bool { return f.all() == 1 })
	gate <- struct{}{}
	gate <- struct{}{}
	f.until("three records and the progress", func() bool { return f.all() == 3 && f.state.Progress != nil })
	if f.state.Status != catalog.Running {
		t.Errorf("the run is %s", f.state.Status)
	}
	_ = first.Process.Kill()
	if err := first.Wait(); err == nil {
		t.Fatalf("the run was done before it was killed\n%s", said)
	}
	// Half a line stays behind, as of a process that dies while it writes.
	torn := record.Folder(dir).Records(f.state.Cells[0].ID)
	half, err := os.OpenFile(torn, os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = half.WriteString(`{"sample":"`)
		err = errors.Join(err, half.Close())
	}
	try.Do(t, err)
	f.until("the end of the killed run", func() bool { return f.state.Status == catalog.Stopped })
	if !strings.HasPrefix(f.state.Resume, "bench resume ") || filepath.Base(f.state.Resume) != "killed" || f.all() != 3 {
		t.Errorf("%d requests are done, resume by %q", f.all(), f.state.Resume)
	}
	second, said := start("resume", dir)
	f.until("that it goes on", func() bool { return f.state.Status == catalog.Running })
	open()
	if err := second.Wait(); err != nil {
		t.Fatalf("the resumed run: %v\n%s", err, said)
	}
	f.until("the end", func() bool { return f.state.Status == catalog.Complete && f.state.Scored })
	// Each figure at the end is that of bench score.
	h := try.Get(record.ReadHeader(dir))(t)
	summary := try.Get(record.ReadSummary(dir))(t)
	for i, c := range f.state.Cells {
		if c.Done != h.Cells[i].Planned || len(summary.Rows) != len(h.Cells) {
			t.Errorf("cell %+v of %+v", c, h.Cells[i])
		}
		for column, m := range summary.Rows[i].Columns {
			if got := f.state.Rows[i].Columns[column]; math.Abs(got.Mean-m.Mean) > 1e-9 || got.N != m.N {
				t.Errorf("%s %s: %+v, want %+v", c.Method, column, got, m)
			}
		}
	}
}

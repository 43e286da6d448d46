//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/backend/budget"
	"recallbench/internal/door/meter"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

// A rig is a model server that counts what it charges, and strikes when it has seen some
// more requests.
type rig struct {
	*modelserver.Server
	busy sync.WaitGroup

	mu     sync.Mutex
	calls  int // of language models
	tokens int
	left   int
	strike func()
}

// newRig starts a rig on a free port of an address.
func newRig(t *testing.T, address string, o modelserver.Options) *rig {
	t.Helper()
	r := &rig{Server: modelserver.NewHandler(o)}
	s := httptest.NewUnstartedServer(http.HandlerFunc(r.serve))
	_ = s.Listener.Close()
	s.Listener = try.Get(new(net.ListenConfig).Listen(t.Context(), "tcp", address+":0"))(t)
	s.Start()
	t.Cleanup(s.Close)
	r.URL = s.URL + "/v1"
	return r
}

func (r *rig) serve(w http.ResponseWriter, req *http.Request) {
	r.busy.Add(1)
	defer r.busy.Done()
	r.mu.Lock()
	strike := r.strike
	r.left--
	struck := r.left == 0 && strike != nil
	r.mu.Unlock()
	if struck {
		strike()
	}
	answered := httptest.NewRecorder()
	r.ServeHTTP(answered, req)
	var reply struct {
		Usage struct {
			Total int `json:"total_tokens"`
		}
	}
	if json.Unmarshal(answered.Body.Bytes(), &reply) == nil && reply.Usage.Total > 0 {
		r.mu.Lock()
		r.tokens += reply.Usage.Total
		if strings.HasSuffix(req.URL.Path, "completions") {
			r.calls++
		}
		r.mu.Unlock()
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(answered.Code)
	_, _ = w.Write(answered.Body.Bytes()) // who asked may have been killed
}

// after has the rig call strike at its nth request from now on.
func (r *rig) after(n int, strike func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left, r.strike = n, strike
}

// kill runs a process until it ends, by a signal at the rig's nth request if there are as
// many, and returns what it printed and its exit code: -1 where it was killed.
func (r *rig) kill(t *testing.T, cmd *exec.Cmd, signal os.Signal, n int) (said string, code int) {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	try.Do(t, cmd.Start())
	r.after(n, func() { _ = cmd.Process.Signal(signal) }) // it may have ended
	_ = cmd.Wait()                                        // what it leaves is what counts
	return out.String(), cmd.ProcessState.ExitCode()
}

// disturbed runs commands until one ends by itself, after some kills, each at one of the
// next requests at random. It returns what the last of them printed.
func (r *rig) disturbed(t *testing.T, random *rand.Rand, requests, kills int, args func() []string) string {
	t.Helper()
	for n := 0; ; n++ {
		at := 1 + random.IntN(requests)
		if n >= kills {
			at = 0
		}
		said, code := r.kill(t, process(t, args()...), os.Kill, at)
		if code == exitOK || code == exitBudget {
			return said
		}
		if code != -1 {
			t.Fatalf("exit %d\n%s", code, said)
		}
	}
}

func (r *rig) charged() (calls, tokens int) {
	r.busy.Wait() // what was in flight at a kill is charged, too
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls, r.tokens
}

// A drill runs one config again and again, each time in a folder of its own, while
// something goes wrong, and compares what is left with a run that was left alone.
type drill struct {
	*rig
	config, model string
	flags         []string          // of run and resume
	want          map[string]string // the files of the run that was left alone
	table         string
	requests      int // that it made
	tokens        int // that it was charged
}

// newDrill has a config run undisturbed, with recordings of a mode.
func newDrill(t *testing.T, r *rig, calls, config string) *drill {
	t.Helper()
	d := &drill{rig: r, config: config, model: liveModel(t, r.Server, ""), flags: []string{"--calls", calls, "--store", filepath.Join(t.TempDir(), "calls")}}
	dir := filepath.Join(t.TempDir(), "alone")
	must(t, d.args(dir)...)
	_, d.tokens = r.charged()
	d.want, d.table, d.requests = recorded(t, dir), must(t, "table", dir).stdout, r.Stats().Arrived
	return d
}

// args begins a run in a folder, with more flags, or goes on with the one that is there.
func (d *drill) args(dir string, more ...string) []string {
	args := append([]string{"run", d.config, "--model", d.model, "--out", dir}, more...)
	if _, err := os.Stat(filepath.Join(dir, "config.yaml")); err == nil {
		args = []string{"resume", dir}
	}
	return slices.Concat(args, d.flags, []string{"--display", "none"})
}

// same checks that a run is what the one left alone is.
func (d *drill) same(t *testing.T, dir string) {
	t.Helper()
	if diff := cmp.Diff(d.want, recorded(t, dir)); diff != "" {
		t.Fatalf("the records differ (-left alone +disturbed):\n%s", diff)
	}
	if diff := cmp.Diff(d.table, must(t, "table", dir).stdout); diff != "" {
		t.Fatalf("the tables differ (-left alone +disturbed):\n%s", diff)
	}
}

// records counts the whole lines of all records of a run.
func records(t *testing.T, dir string) (n int) {
	t.Helper()
	files := try.Get(filepath.Glob(filepath.Join(dir, "cells", "*", "records.jsonl")))(t)
	for _, path := range files {
		n += strings.Count(read(t, path), "\n")
	}
	return n
}

// accounts holds what a run says that it paid, or what its judge did, against what the
// server charged since: the rest is calls that were in flight at kills, at most so many,
// and together with their estimates the budget is kept.
func (r *rig) accounts(t *testing.T, dir string, judged bool, calls, tokens, inFlight, bound int) meter.Paid {
	t.Helper()
	nowCalls, nowTokens := r.charged()
	calls, tokens = nowCalls-calls, nowTokens-tokens
	said, open := meter.Paid{USD: new(0.0)}, make(map[uint64]int)
	for line := range try.Each(t, record.Lines[budget.Entry](record.Folder(dir).Payments())) {
		switch e := line.Value; {
		case (e.Judge != "") != judged:
		case e.Paid == nil:
			open[e.Lease] = e.Tokens
		default:
			delete(open, e.Lease)
			said = said.Add(*e.Paid)
		}
	}
	h := try.Get(record.ReadHeader(dir))(t)
	if !judged && (h.Paid == nil || h.Paid.Calls != said.Calls || h.Paid.Tokens != said.Tokens || inFlight > 0 && !slices.Equal(h.Models[0].Served, []string{"test-model"})) {
		t.Errorf("the header says %+v of %+v, its payments %+v", h.Paid, h.Models[0].Served, said)
	}
	estimates := 0
	for _, n := range open {
		estimates += n
	}
	t.Logf("charged %d calls and %d tokens of %d; the run says %d and %d, and %d calls were in flight at kills", calls, tokens, bound, said.Calls, said.Tokens, len(open))
	if len(open) > inFlight || calls < said.Calls || calls > said.Calls+len(open) || tokens < said.Tokens || tokens > said.Tokens+estimates || tokens > bound {
		t.Errorf("the server charged %d calls and %d tokens of %d, the run says %+v, with %d calls and %d tokens in flight, at most %d calls", calls, tokens, bound, said, len(open), estimates, inFlight)
	}
	return said
}

// A fleetDrill is a coordinator, the first, and workers, as processes of their own, which start
// again when they are killed.
type fleetDrill struct {
	t       *testing.T
	args    [][]string
	on      func(who int, cmd *exec.Cmd) // puts a process on its host; nil for this one
	all     []*exec.Cmd
	ended   chan int
	strikes chan func()
	done    chan struct{}
}

// newFleet returns a drill of a number of workers; serve are the arguments of the
// coordinator, which listens at an address.
func newFleet(t *testing.T, workers int, dir, address string, serve ...string) *fleetDrill {
	t.Helper()
	f := &fleetDrill{t: t, args: [][]string{append(serve, "--out", dir, "--resume", "--patience", "1s", "--display", "none", "--addr", address)}}
	for i := range workers {
		f.args = append(f.args, []string{"work", "tls://" + address, "--access", filepath.Join(dir+".access", "worker.json"), "--wait", "--name", fmt.Sprint("worker-", i+1)})
	}
	f.all, f.ended, f.strikes, f.done = make([]*exec.Cmd, len(f.args)), make(chan int), make(chan func()), make(chan struct{})
	return f
}

func (f *fleetDrill) start(who int) {
	cmd := process(f.t, f.args[who]...)
	if f.on != nil {
		f.on(who, cmd)
	}
	if err := cmd.Start(); err != nil {
		f.t.Error(err)
	}
	f.all[who] = cmd
	go func() {
		_ = cmd.Wait() // how the coordinator ends is seen
		f.ended <- who
	}()
}

// strike has something done to the fleet, from another goroutine.
func (f *fleetDrill) strike(what func()) {
	select {
	case f.strikes <- what:
	case <-f.done:
	}
}

// run returns when the coordinator has ended by itself, and the workers with it.
func (f *fleetDrill) run() {
	for who := range f.args {
		f.start(who)
	}
	over := false
	for running := len(f.args); running > 0; {
		select {
		case what := <-f.strikes:
			if !over {
				what()
			}
		case who := <-f.ended:
			running--
			code := f.all[who].ProcessState.ExitCode()
			switch {
			case code == -1 && !over:
				f.start(who)
				running++
			case who == 0:
				if over = true; code != exitOK && code != exitBudget {
					f.t.Errorf("the coordinator ends with %d", code)
				}
				for _, worker := range f.all[1:] {
					_ = worker.Process.Kill() // one that was never told
				}
			}
		}
	}
	close(f.done)
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l := try.Get(new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	return l.Addr().String()
}

//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/interrupt"
	"recallbench/internal/door/meter"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/histories"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

const killConfig = `
name: kill
seeds: [3, 4]
datasets: [{use: sample}]
methods: [{use: stateless}, {use: flat-rag, options: {k: 5}}]
models: [{use: stand-in}]
metrics: [f1@mem0, changes, stored, evidence-recall, tokens]
concurrency: {samples: 2, requests: 4}
`

// TestKill kills a run at random requests of its work, and again while it
// resumes, goes on with it until it is complete, and compares every file and
// the tables with those of a run that was left alone. Conversations of one of its datasets
// are read from their file when they are asked about, and another one asks in the middle
// of a history.
func TestKill(t *testing.T) {
	longtest.SkipRace(t)
	d := newDrill(t, newRig(t, "127.0.0.1", modelserver.Options{}), "off", write(t, "kill.yaml", strings.Replace(killConfig, "{use: sample}",
		fmt.Sprintf("{use: sample}, {use: longmemeval, options: {path: %q}}, {use: changes, options: {histories: 1, questions: 20}}", shortHistories(t)), 1)))
	total := 0
	for name, text := range d.want {
		if strings.HasSuffix(name, "records.jsonl") {
			total += strings.Count(text, "\n")
		}
	}
	random := rand.New(rand.NewPCG(25, 1))
	midway, moments := 0, longtest.N(2, 25)
	for range moments {
		dir := filepath.Join(t.TempDir(), "run")
		d.disturbed(t, random, d.requests/2, 2, func() []string {
			if n := records(t, dir); 0 < n && n < total {
				midway++
			}
			return d.args(dir)
		})
		d.same(t, dir)
	}
	if t.Logf("%d processes went on with a run that was killed while it asked", midway); midway == 0 {
		t.Errorf("none of %d runs was killed while it asked", moments)
	}
}

// shortHistories writes a file of six questions about histories of two sessions.
func shortHistories(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	try.Do(t, histories.Write(&b, 6, 2))
	return write(t, "histories.json", b.String())
}

// TestDataChanges changes a byte of a history during a run: the run ends with the exit
// code of changed data, and goes on when the file is as it was.
func TestDataChanges(t *testing.T) {
	path := shortHistories(t)
	before := try.Get(os.ReadFile(path))(t)
	after := bytes.Clone(before)
	after[bytes.LastIndex(after, []byte(`"content": "w`))+len(`"content": "`)] = 'v'
	d := newDrill(t, newRig(t, "127.0.0.1", modelserver.Options{}), "off", write(t, "changes.yaml", fmt.Sprintf(`name: changes
datasets: [{use: longmemeval, options: {path: %q}}]
methods: [{use: flat-rag, options: {k: 5}}]
models: [{use: stand-in}]
metrics: [f1@mem0]
concurrency: {samples: 1, requests: 1}
`, path)))
	dir := filepath.Join(t.TempDir(), "run")
	d.after(1, func() {
		if err := os.WriteFile(path, after, 0o644); err != nil {
			t.Error(err)
		}
	})
	for range 2 { // resumed with the other file, too
		if got := run(t, d.args(dir)...); got.code != exitFingerprint || !strings.Contains(got.stderr, "the data has changed since it was opened") && records(t, dir) == 0 {
			t.Fatalf("exit %d\n%s", got.code, got.stderr)
		}
		if n := records(t, dir); n == 0 || n > 5 {
			t.Errorf("%d records, want those of questions before the last", n)
		}
	}
	try.Do(t, os.WriteFile(path, before, 0o644))
	must(t, d.args(dir)...)
	d.same(t, dir)
}

// TestFileLimit runs with a limit on the size of files, which fails writes as
// a full disk does: the run says so and can be resumed.
func TestFileLimit(t *testing.T) {
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash, whose ulimit counts in KB")
	}
	d := newDrill(t, newRig(t, "127.0.0.1", modelserver.Options{}), "off", write(t, "kill.yaml", killConfig))
	dir := filepath.Join(t.TempDir(), "limited")
	limited := process(t, d.args(dir)...)
	limited.Args = append([]string{shell, "-c", `ulimit -f 20; exec "$0" "$@"`, limited.Path}, limited.Args[1:]...)
	limited.Path = shell
	out, err := limited.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "file too large") || !strings.Contains(string(out), "bench resume "+dir) {
		t.Fatalf("with files of at most 20 KB: %v\n%s", err, out)
	}
	must(t, d.args(dir)...)
	d.same(t, dir)
}

// payInFlight is how many calls a process has in flight with payConfig: those of two
// memories that are built, and of four requests.
const payInFlight = 2 + 4

// payDrill asks a language model and embeddings, so many tokens in all. Each reply takes a
// moment, so that calls are in flight.
func payDrill(t *testing.T) *drill {
	t.Helper()
	return newDrill(t, newRig(t, "127.0.0.1", modelserver.Options{Latency: 3 * time.Millisecond}), "off", write(t, "pay.yaml", fmt.Sprintf(`
name: pay
datasets: [{use: jsonl, options: {files: [%s]}}]
methods: [{use: flat-rag, options: {k: 5}}, {use: stateless}]
metrics: [f1@mem0]
concurrency: {samples: 2, requests: 4}
`, chats(t, longtest.N(10, 24)))))
}

// TestKillPays kills a run with a budget again and again, wherever it is: what it says
// that it paid is what the server charged, but for calls in flight.
func TestKillPays(t *testing.T) {
	longtest.SkipRace(t)
	d := payDrill(t)
	random := rand.New(rand.NewPCG(31, 7))
	for round := range longtest.N(2, 8) {
		bound, kills := d.tokens/2, longtest.N(2, 4)
		if round%2 == 1 {
			bound = 2 * d.tokens // enough for what is paid again after kills
		}
		dir := filepath.Join(t.TempDir(), "run")
		calls, tokens := d.charged()
		mode := []string{"off", "reuse"}[round/2%2]
		d.flags = []string{"--calls", mode, "--store", filepath.Join(t.TempDir(), "calls")}
		d.disturbed(t, random, d.requests/kills, kills, func() []string { return d.args(dir, "--set", fmt.Sprint("budget.tokens=", bound)) })
		d.accounts(t, dir, false, calls, tokens, kills*payInFlight, bound)
		if bound > d.tokens && mode == "off" {
			d.same(t, dir)
		}
	}
}

// TestKillPaysJudge kills a judging in the same way.
func TestKillPaysJudge(t *testing.T) {
	longtest.Skip(t)
	r := newRig(t, "127.0.0.1", modelserver.Options{Latency: 3 * time.Millisecond})
	model, dir := liveModel(t, r.Server, ""), filepath.Join(t.TempDir(), "run")
	must(t, "run", questions(t, 4, 60, "name: judged\n"), "--out", dir, "--display", "none")
	kills, bound := longtest.N(2, 3), 30000
	last := r.disturbed(t, rand.New(rand.NewPCG(31, 9)), 50, kills, func() []string {
		return []string{"judge", dir, "--model", model, "--calls", "off", "--set", fmt.Sprint("budget.tokens=", bound), "--set", "concurrency.requests=4", "--display", "none"}
	})
	if said := r.accounts(t, dir, true, 0, 0, kills*4, bound); !strings.Contains(last, said.String()) {
		t.Errorf("want %s\n%s", said, last)
	}
}

// TestKillPaysFleet does the same with four workers, kills these and the coordinator, and
// lets a worker hang until its conversations are given to others.
func TestKillPaysFleet(t *testing.T) {
	longtest.Skip(t)
	d := payDrill(t)
	random := rand.New(rand.NewPCG(31, 8))
	for round := range longtest.N(1, 7) {
		bound := 4 * d.tokens
		if round%2 == 1 {
			bound = d.tokens / 2
		}
		calls, tokens := d.charged()
		dir, strikes := filepath.Join(t.TempDir(), "run"), longtest.N(3, 5)
		f := newFleet(t, 4, dir, freeAddress(t), "serve", d.config, "--model", d.model, "--set", fmt.Sprint("budget.tokens=", bound), "--calls", "off")
		struck := 0
		next := func() {}
		next = func() {
			d.after(1+random.IntN(d.requests/strikes), func() {
				f.strike(func() {
					who := random.IntN(5)
					switch struck++; struck {
					case 1: // hangs
						p := f.all[1+who%4].Process
						_ = p.Signal(syscall.SIGSTOP)
						time.AfterFunc(2*time.Second, func() { _ = p.Signal(syscall.SIGCONT) })
					case 2:
						_ = f.all[0].Process.Kill()
					default:
						_ = f.all[who].Process.Kill()
					}
					if struck < strikes {
						next()
					}
				})
			})
		}
		next()
		f.run()
		d.accounts(t, dir, false, calls, tokens, struck*4*payInFlight, bound)
		if bound > d.tokens {
			d.same(t, dir)
		}
	}
}

// Replies that are of no use are paid all the same: they count against the budget, and
// the run says them. Where some of a call's attempts are, each counts.
func TestUselessReplies(t *testing.T) {
	message := func(text string) func(string, []byte) (json.RawMessage, bool) {
		return func(string, []byte) (json.RawMessage, bool) { return json.RawMessage(text), true }
	}
	for name, o := range map[string]modelserver.Options{
		"empty":    {Script: message(`{"role": "assistant", "content": ""}`)},
		"refused":  {Script: message(`{"role": "assistant", "content": "", "refusal": "I will not say."}`)},
		"filtered": {Rate: 1, Faults: []modelserver.Fault{modelserver.ContentFilter}},
		"garbled":  {Script: message(`null`)},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "127.0.0.1", o)
			dir := filepath.Join(t.TempDir(), "run")
			const bound = 1500
			got := run(t, "run", questions(t, 2, 30, "name: useless\n"), "--model", liveModel(t, r.Server, ", limits: {max: 1}"), "--calls", "off", "--set", fmt.Sprint("budget.tokens=", bound), "--out", dir, "--display", "none")
			_, tokens := r.charged()
			r.accounts(t, dir, false, 0, 0, 0, bound)
			used := 0
			for _, rec := range recordsOf(t, dir) {
				for _, u := range rec.Usage["query"] {
					used += u.Total()
				}
			}
			if tokens == 0 || name != "garbled" && (got.code != exitBudget || used != tokens) {
				t.Errorf("exit %d, want %d; the records have used %d tokens of %d", got.code, exitBudget, used, tokens)
			}
		})
	}
}

// TestTenRunsOneStore has ten runs of one config share a store. No call is paid
// for twice, but for those in flight when a process is killed.
func TestTenRunsOneStore(t *testing.T) {
	longtest.Skip(t)
	const runs, samples, each, inFlight = 10, 8, 100, 16
	for _, killed := range []int{0, 5} {
		random := rand.New(rand.NewPCG(1, uint64(killed)))
		s := modelserver.New(t, modelserver.Options{Latency: 20 * time.Millisecond})
		config, model, base := questions(t, samples, each, fmt.Sprintf("concurrency: {requests: %d}\n", inFlight)), liveModel(t, s, ""), t.TempDir()
		var wait sync.WaitGroup
		for i := range runs {
			dir, after := filepath.Join(base, fmt.Sprint("run", i)), random.IntN(samples*each)
			cmd := process(t, "run", config, "--model", model, "--out", dir, "--store", filepath.Join(base, "calls"), "--display", "none")
			var out strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &out
			try.Do(t, cmd.Start())
			wait.Go(func() {
				for i < killed && s.Stats().Answered < after {
					time.Sleep(time.Millisecond)
				}
				if i < killed {
					_ = cmd.Process.Kill() // it may have ended
				}
				if err := cmd.Wait(); i >= killed && (err != nil || records(t, dir) != samples*each) {
					t.Errorf("%s: %v\n%s", dir, err, &out)
				}
			})
		}
		wait.Wait()
		s.Idle()
		answered, distinct := s.Stats().Answered, len(s.Stats().Replies)
		if distinct != samples*each || answered > distinct+killed*inFlight {
			t.Errorf("%d killed: %d calls for %d distinct ones, want %d and at most %d more", killed, answered, distinct, samples*each, killed*inFlight)
		}
	}
}

// A gated server answers while nobody has locked its gate, and says when a request
// came.
type gated struct {
	*modelserver.Server
	came chan struct{}
	gate sync.RWMutex
}

func gatedServer(t *testing.T) *gated {
	t.Helper()
	g := &gated{came: make(chan struct{}, 1000)}
	g.Server = modelserver.New(t, modelserver.Options{Observe: func(*http.Request, []byte) {
		g.came <- struct{}{}
		g.gate.RLock()
		defer g.gate.RUnlock()
	}})
	return g
}

// interrupt sends a command a signal when n of its calls are in flight. It
// returns when the command has said so; wait returns its exit code and all that
// it said.
func (g *gated) interrupt(t *testing.T, cmd *exec.Cmd, signal os.Signal, n int) (wait func() (code int, said string)) {
	t.Helper()
	stderr := try.Get(cmd.StderrPipe())(t)
	try.Do(t, cmd.Start())
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(stderr); s.Scan(); {
			lines <- s.Text()
		}
	}()
	var said strings.Builder
	for came := 0; came < n; {
		select {
		case <-g.came:
			came++
		case line, ok := <-lines:
			if said.WriteString(line + "\n"); !ok {
				t.Fatalf("it ended after %d calls, want %d\n%s", came, n, &said)
			}
		}
	}
	try.Do(t, cmd.Process.Signal(signal))
	want := fmt.Sprintf("waiting up to 10m0s for %d calls in flight", n)
	for line := range lines {
		if said.WriteString(line + "\n"); strings.Contains(line, want) {
			want = ""
			break
		}
	}
	if want != "" {
		t.Fatalf("it does not say %q:\n%s", want, &said)
	}
	return func() (int, string) {
		for line := range lines {
			said.WriteString(line + "\n")
		}
		_ = cmd.Wait() // its exit code says how it ended
		return cmd.ProcessState.ExitCode(), said.String()
	}
}

// The first signal lets calls in flight end, and what they return is recorded:
// a run and a judging that go on pay for nothing twice.
func TestInterruptLetsCallsEnd(t *testing.T) {
	t.Parallel() // most of it is waiting
	const requests, inFlight = 20, 4
	base := t.TempDir()
	dir, store := filepath.Join(base, "run"), filepath.Join(base, "calls")
	config := questions(t, 2, requests/2, fmt.Sprintf("concurrency: {requests: %d}\n", inFlight))
	run := func(s *gated) []string {
		return []string{"run", config, "--model", liveModel(t, s.Server, ""), "--out", dir, "--store", store, "--display", "none"}
	}
	resume := func(*gated) []string { return []string{"resume", dir, "--store", store, "--display", "none"} }
	judge := func(s *gated) []string {
		return []string{"judge", dir, "--model", liveModel(t, s.Server, ""), "--store", store, "--display", "none", "--set", fmt.Sprintf("concurrency.requests=%d", inFlight)}
	}
	s := gatedServer(t)
	for _, tt := range []struct {
		first, again func(*gated) []string
		signal       os.Signal
		goOn         string
	}{
		{run, resume, os.Interrupt, "continue with: bench resume " + dir},
		{judge, judge, syscall.SIGTERM, "run the same command again"},
	} {
		before := s.Stats().Answered
		s.gate.Lock()
		args := tt.first(s)
		cmd := process(t, args...)
		cmd.Env = append(cmd.Env, interrupt.GraceEnv+"=10m")
		wait := s.interrupt(t, cmd, tt.signal, inFlight)
		s.gate.Unlock()
		if code, said := wait(); code != exitInterrupted || !strings.Contains(said, tt.goOn) {
			t.Errorf("%s: exit code %d, want %d and how to go on\n%s", args[0], code, exitInterrupted, said)
		}
		if n := s.Stats().Answered - before; n != inFlight {
			t.Errorf("%s: %d calls were answered, want the %d in flight", args[0], n, inFlight)
		}
		r := runWith(t, "", tt.again(s)...)
		if n := s.Stats().Answered - before; n != requests {
			t.Errorf("%s and %s: %d calls, want %d\n%s", args[0], tt.again(s)[0], n, requests, r.stderr)
		}
		for len(s.came) > 0 {
			<-s.came
		}
	}
	for id, n := range s.Stats().Replies {
		if n != 1 {
			t.Errorf("%d replies to %s", n, id)
		}
	}
}

// A rig is a model server that counts what it charges, and strikes when it has seen some
// more requests.
type rig struct {
	*modelserver.Server
	back http.Handler // the server
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
	r := &rig{Server: modelserver.New(t, o)}
	r.back = httputil.NewSingleHostReverseProxy(try.Get(url.Parse(r.Root))(t))
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
	r.back.ServeHTTP(answered, req)
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

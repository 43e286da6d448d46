//go:build unix

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"recallbench/internal/external/wire"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

// A disturbance is what goes wrong with an adapter.
type disturbance struct {
	Folder   string // of notes: a line for each start, end and session
	Seed     uint64
	Ends     int           // of processes, in all
	Mean     time.Duration // from the start of a process to its end
	Stop     time.Duration // a process stands still for so long; 0 for one that is killed
	Garbage  bool          // comes among the replies
	Snapshot bool          // the adapter makes them
}

func (d disturbance) note(file, line string) (before int) {
	f, err := os.OpenFile(filepath.Join(d.Folder, file), os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return 0
	}
	defer f.Close()
	data, _ := os.ReadFile(f.Name())
	_, _ = f.WriteString(line + "\n")
	return bytes.Count(data, []byte("\n"))
}

// strike lets the process end, or stand still, at a time that the seed gives.
func (d disturbance) strike(start int) {
	draw := rand.New(rand.NewPCG(d.Seed, uint64(start)))
	for {
		time.Sleep(time.Duration(draw.ExpFloat64() * float64(d.Mean)))
		if d.note("ends", "") >= d.Ends {
			return
		}
		if d.Stop == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		wake := exec.Command("sh", "-c", fmt.Sprintf("sleep %f; kill -CONT %d", d.Stop.Seconds(), os.Getpid())) //nolint:noctx // it ends with the group
		if wake.Start() == nil {
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			_ = wake.Wait()
		}
	}
}

// adapterMain remembers of each session what the model says of it, and finds
// sessions by their words.
func adapterMain(setting string) {
	var d disturbance
	if err := json.Unmarshal([]byte(setting), &d); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if os.Getenv("OPENAI_API_KEY") != "sk-rb-none" { // it runs for more than a handshake
		start := d.note("starts", strconv.Itoa(os.Getpid()))
		go d.strike(start)
	}
	// The kit, which another test is built with, has taken the other outputs.
	out := os.NewFile(1, "replies")
	memories := make(map[string]*drillMemory)
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Memory, Path, Restore string
				Models                wire.Models
				Session               wire.Session
				Request               wire.Request
				K                     int
			}
		}
		if err := json.Unmarshal(line, &m); err != nil || m.ID == nil {
			continue
		}
		if d.Garbage {
			_, _ = fmt.Fprintf(out, "garbage\n{\"id\":%s,\n", m.ID)
		}
		p := m.Params
		var result any = struct{}{}
		switch mem := memories[p.Memory]; m.Method {
		case wire.Initialize:
			result = wire.InitializeResult{Protocol: wire.Protocol, Name: "drill", Version: "1", Capabilities: wire.Capabilities{Search: true, Deterministic: true, Sources: "exact", Snapshot: d.Snapshot}}
		case wire.Open:
			mem = &drillMemory{models: p.Models}
			memories[p.Memory] = mem
			if p.Restore != "" {
				err = mem.restore(filepath.Join(p.Restore, "blocks.json"))
			}
		case wire.Add:
			d.note("sessions", p.Memory+" "+p.Session.ID)
			err = mem.add(p.Session)
		case wire.Search:
			result = wire.SearchResult{Blocks: mem.search(p.Request.Text, p.K)}
		case wire.Snapshot:
			err = mem.save(p.Path)
		}
		reply, _ := json.Marshal(result)
		if err != nil {
			_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":%q,"data":{"kind":"model"}}}`+"\n", m.ID, err)
			continue
		}
		_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, reply)
	}
}

type drillMemory struct {
	models wire.Models
	Blocks []wire.Block
}

func (m *drillMemory) add(s wire.Session) error {
	var text strings.Builder
	b := wire.Block{Time: s.Time}
	for _, t := range s.Turns {
		fmt.Fprintf(&text, "%s: %s\n", t.Speaker, t.Text)
		b.Sources = append(b.Sources, t.ID)
	}
	body, _ := json.Marshal(map[string]any{"model": m.models.Chat, "messages": []any{map[string]string{"role": "user", "content": text.String()}}})
	r, err := http.NewRequest(http.MethodPost, m.models.BaseURL+"/chat/completions", bytes.NewReader(body)) //nolint:noctx // the process may end
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+m.models.Key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var reply struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil || len(reply.Choices) == 0 {
		return fmt.Errorf("HTTP %s: %w", resp.Status, err)
	}
	b.Text = text.String() + reply.Choices[0].Message.Content
	m.Blocks = append(m.Blocks, b)
	return nil
}

func (m *drillMemory) search(question string, k int) []wire.Block {
	found := slices.Clone(m.Blocks)
	for i := range found {
		for word := range strings.FieldsSeq(question) {
			found[i].Score += float64(strings.Count(found[i].Text, word))
		}
	}
	slices.SortStableFunc(found, func(a, b wire.Block) int { return cmp.Compare(b.Score, a.Score) })
	return found[:min(k, len(found))]
}

func (m *drillMemory) save(dir string) error {
	data, err := json.Marshal(m)
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "blocks.json"), data, 0o600)
}

func (m *drillMemory) restore(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, m)
}

// A drill runs the same requests again and again, with an adapter that something
// goes wrong with.
type drill struct {
	config  string
	samples int
	each    int
	latency time.Duration

	records map[string]string // of the run that is left alone
	paid    int               // its calls
}

const sessions = 3 // of a sample

// newDrill makes the run, and has it run undisturbed.
func newDrill(t *testing.T, samples, each int, latency time.Duration) *drill {
	t.Helper()
	var data strings.Builder
	for i := range samples {
		for s := range sessions {
			for k, speaker := range []string{"Ana", "Ben"} {
				fmt.Fprintf(&data, `{"type":"turn","sample":"s%d","session":"%d","time":"2024-03-0%d 10:00","id":"t%d-%d","speaker":%q,"text":"Session %d of talk %d has the word w%d-%d in turn %d."}`+"\n",
					i, s, s+1, s, k, speaker, s, i, i, s, k)
			}
		}
		for q := range each {
			fmt.Fprintf(&data, `{"type":"question","sample":"s%d","id":"q%d","question":"Where is w%d-%d said, asked for the time %d?","answer":"session %d","evidence":["t%d-0"]}`+"\n", i, q, i, q%sessions, q, q%sessions, q%sessions)
		}
	}
	dir := t.TempDir()
	d := &drill{config: filepath.Join(dir, "run.yaml"), samples: samples, each: each, latency: latency}
	try.Do(t, os.WriteFile(filepath.Join(dir, "data.jsonl"), []byte(data.String()), 0o600))
	var s *modelserver.Server
	run := d.begin(t, disturbance{}, nil)
	s = run.server
	must(t, run.args...)
	d.records, d.paid = d.check(t, run), s.Stats().Answered
	if want := samples * (sessions + each); d.paid < want {
		t.Fatalf("%d calls were paid, want a call a session and a call a request, %d", d.paid, want)
	}
	return d
}

// A drillRun is one run of a drill, in a folder and with a store of its own.
type drillRun struct {
	server *modelserver.Server
	dir    string // of the run
	notes  string
	args   []string
	resume []string
}

// begin prepares a run.
func (d *drill) begin(t *testing.T, how disturbance, observe func(*http.Request, []byte)) drillRun {
	t.Helper()
	base := t.TempDir()
	how.Folder = filepath.Join(base, "notes")
	try.Do(t, os.Mkdir(how.Folder, 0o700))
	setting := try.Get(json.Marshal(how))(t)
	self := try.Get(os.Executable())(t)
	// Each fault that is drawn may hit the same memory. A process that stands still
	// is given up after a tenth of that time.
	options := fmt.Sprintf("command: [%s], set: {%s: %q}, k: 2, restarts: 10000", self, asAdapter, setting)
	if how.Stop > 0 {
		options += fmt.Sprintf(", timeout: %s", how.Stop/10)
	}
	text := `
datasets: [{use: jsonl, options: {files: [data.jsonl]}}]
metrics: [f1@mem0, evidence-recall, tokens]
concurrency: {samples: 4, requests: 4}
`
	try.Do(t, os.WriteFile(d.config, []byte(text+"methods: [{use: external, options: {"+options+"}}]\n"), 0o600))
	r := drillRun{
		server: modelserver.New(t, modelserver.Options{Latency: d.latency, Observe: observe}),
		dir:    filepath.Join(base, "run"), notes: how.Folder,
	}
	calls := []string{"--calls", "reuse", "--store", filepath.Join(base, "calls"), "--display", "none"}
	r.args = append([]string{"run", d.config, "--model", liveModel(t, r.server, ""), "--out", r.dir}, calls...)
	r.resume = append([]string{"resume", r.dir}, calls...)
	return r
}

// noted counts the lines of a file of notes.
func (r drillRun) noted(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(r.notes, file))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// told is what a record says of faults: the step of a request whose memory was built
// again, and in the structure of a memory how often that was and how long it took
// until something was found.
var told = regexp.MustCompile(`\{"name":"restart","data":\{[^{}]*\}\},?|"(canary_ms|restarts)":[0-9]+,?`)

// check returns the records of a run without times and faults. It fails where a record
// is there twice, is missing, or has an error.
func (d *drill) check(t *testing.T, r drillRun) map[string]string {
	t.Helper()
	seen := make(map[string]int)
	for _, rec := range recordsOf(t, r.dir) {
		seen[rec.Sample+"/"+rec.Request]++
		if rec.Status != record.OK {
			t.Errorf("%s/%s: %s, %+v", rec.Sample, rec.Request, rec.Status, rec.Error)
		}
	}
	for name, n := range seen {
		if n != 1 {
			t.Errorf("%s has %d records", name, n)
		}
	}
	if len(seen) != d.samples*d.each {
		t.Errorf("%d requests have records, want %d", len(seen), d.samples*d.each)
	}
	all := recorded(t, r.dir)
	for name, text := range all {
		all[name] = told.ReplaceAllString(text, "")
	}
	return all
}

// compare checks the records of a run against those of the one left alone.
func (d *drill) compare(t *testing.T, r drillRun) {
	t.Helper()
	if diff := gocmp.Diff(d.records, d.check(t, r)); diff != "" {
		t.Errorf("the records differ (-left alone +disturbed):\n%s", diff)
	}
}

// TestDrill runs with an adapter that is killed at random, that stands still at
// random, and with garbage among its replies: no record is lost, none is wrong, and
// nothing is paid twice. Whatever the machine's speed, what must hold is the same;
// only where the faults strike depends on it.
func TestDrill(t *testing.T) {
	longtest.Skip(t)
	d := newDrill(t, longtest.N(4, 40), longtest.N(3, 10), time.Duration(longtest.N(5, 20))*time.Millisecond)
	for name, how := range map[string]disturbance{
		"killed":      {},
		"stopped":     {Stop: time.Duration(longtest.N(200, 2000)) * time.Millisecond},
		"garbage":     {Garbage: true},
		"snapshotted": {Snapshot: true},
	} {
		t.Run(name, func(t *testing.T) {
			// Of four processes at a time each lives four times as long.
			wanted, mean := longtest.N(4, 200), time.Duration(4*longtest.N(60, 150))*time.Millisecond
			for seed, ends, runs := uint64(1), 0, 0; ends < wanted; seed++ {
				how.Seed, how.Ends, how.Mean = seed, wanted-ends, mean
				run := d.begin(t, how, nil)
				must(t, run.args...)
				d.compare(t, run)
				if paid := run.server.Stats().Answered; paid != d.paid {
					t.Errorf("%d calls were paid, want %d as in the run left alone", paid, d.paid)
				}
				struck := min(len(run.noted(t, "ends")), how.Ends)
				ends, runs = ends+struck, runs+1
				t.Logf("seed %d: %d faults, %d processes for %d memories", seed, struck, len(run.noted(t, "starts")), d.samples)
				if t.Failed() {
					return
				}
			}
		})
	}
}

// TestDrillBench kills bench itself at random, with its adapters, and resumes the run
// until it is complete.
func TestDrillBench(t *testing.T) {
	longtest.Skip(t)
	d := newDrill(t, longtest.N(4, 40), longtest.N(3, 10), time.Duration(longtest.N(5, 20))*time.Millisecond)
	for name, how := range map[string]disturbance{"built again": {}, "restored": {Snapshot: true}} {
		t.Run(name, func(t *testing.T) {
			wanted := longtest.N(2, 100) // in each half of the drill
			draw := rand.New(rand.NewPCG(17, 1))
			for kills, runs := 0, 0; kills < wanted; runs++ {
				run := d.begin(t, how, nil)
				args, here := run.args, 0
				for kills < wanted {
					if d.killed(t, run, process(t, args...), draw) {
						kills++
						here++
					}
					if _, header, err := record.Open(run.dir); err == nil {
						args = run.resume
						if header.Status == record.Complete {
							break
						}
					}
				}
				must(t, args...)
				d.compare(t, run)
				// A call is lost with the process that waits for it: at most those in
				// flight, of 4 memories that are built or 4 requests that are asked.
				if over := run.server.Stats().Answered - d.paid; over < 0 || over > 8*here {
					t.Errorf("%d calls more were paid than in the run left alone, want 0 to 8 for each of %d kills", over, here)
				}
				t.Logf("run %d: %d kills, %d processes for %d memories", runs, here, len(run.noted(t, "starts")), d.samples)
				if t.Failed() {
					return
				}
			}
		})
	}
}

// killed runs a command and kills it at a random time after it has begun to start
// adapters. It reports whether it was still running. No adapter outlives it.
func (d *drill) killed(t *testing.T, run drillRun, cmd *exec.Cmd, draw *rand.Rand) bool {
	t.Helper()
	wait := time.Duration(draw.ExpFloat64() * float64(150*time.Millisecond))
	before := len(run.noted(t, "starts"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = append(cmd.Env, "TMPDIR="+t.TempDir()) // for what it leaves when it is killed
	try.Do(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for len(run.noted(t, "starts")) == before {
		select {
		case err := <-ended: // all was built, or it never began
			if err != nil {
				t.Fatalf("%v\n%s", err, &out)
			}
			return false
		case <-time.After(5 * time.Millisecond):
		}
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Fatalf("%v\n%s", err, &out)
		}
		return false
	case <-time.After(wait):
	}
	_ = cmd.Process.Kill()
	if err := <-ended; err == nil {
		return false // it was just done
	}
	if runtime.GOOS != "linux" { // where nothing ends the children
		return true
	}
	for _, pid := range run.noted(t, "starts") {
		gone := func() bool {
			env, err := os.ReadFile(filepath.Join("/proc", pid, "environ"))
			return err != nil || !bytes.Contains(env, []byte(run.notes))
		}
		for wait := time.Millisecond; !gone(); wait *= 2 {
			if wait > 10*time.Second {
				t.Fatalf("the adapter %s goes on after its harness was killed", pid)
			}
			time.Sleep(wait)
		}
	}
	return true
}

// TestKept kills a run whose memory was built, and goes on with it: no session is
// added a second time, and what the memory took is what it took at first.
func TestKept(t *testing.T) {
	longtest.Skip(t)
	d := newDrill(t, 1, 6, time.Millisecond)
	k := killer{signal: os.Kill}
	var seen atomic.Int64
	run := d.begin(t, disturbance{Snapshot: true}, func(r *http.Request, body []byte) {
		if bytes.Contains(body, []byte("asked for the time")) { // the reader's
			seen.Add(1)
			k.observe(r, body)
		}
	})
	first := process(t, run.args...)
	first.Env = append(first.Env, "TMPDIR="+t.TempDir())
	k.kill(t, first, 3)
	if n := records(t, run.dir); n >= d.each || seen.Load() == 0 {
		t.Fatalf("%d of %d requests have records, %d were asked; the run was not killed midway", n, d.each, seen.Load())
	}
	must(t, run.resume...)
	if got := run.noted(t, "sessions"); len(got) != sessions {
		t.Errorf("sessions were added as %q, want each of %d once", got, sessions)
	}
	if got := run.noted(t, "starts"); len(got) != 2 {
		t.Errorf("%d processes held the memory, want 2", len(got))
	}
	d.compare(t, run)
}

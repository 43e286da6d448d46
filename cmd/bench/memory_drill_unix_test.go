//go:build unix

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
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
	reply, err := askModel(m.models, text.String())
	b.Text = text.String() + reply
	if err == nil {
		m.Blocks = append(m.Blocks, b)
	}
	return err
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

// A memoryDrill is a drill with an adapter that something goes wrong with.
type memoryDrill struct {
	*drill
	samples, each int
	notes         string // of the last run
}

const sessions = 3 // of a sample

// newMemoryDrill makes the drill, and has its run undisturbed.
func newMemoryDrill(t *testing.T, samples, each int, latency time.Duration) *memoryDrill {
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
	d := &memoryDrill{drill: &drill{config: write(t, "run.yaml", "")}, samples: samples, each: each}
	try.Do(t, os.WriteFile(filepath.Join(filepath.Dir(d.config), "data.jsonl"), []byte(data.String()), 0o600))
	d.set(t, disturbance{})
	d.drill = newDrill(t, newRig(t, "127.0.0.1", modelserver.Options{Latency: latency}), "reuse", d.config)
	if want := samples * (sessions + each); d.requests < want {
		t.Fatalf("%d calls were paid, want a call a session and a call a request, %d", d.requests, want)
	}
	for name, text := range d.want {
		d.want[name] = told.ReplaceAllString(text, "")
	}
	return d
}

// set makes a config whose adapter goes wrong, and a folder for its notes.
func (d *memoryDrill) set(t *testing.T, how disturbance) {
	t.Helper()
	d.notes = t.TempDir()
	how.Folder = d.notes
	setting := try.Get(json.Marshal(how))(t)
	// Each fault that is drawn may hit the same memory. A process that stands still
	// is given up after a tenth of that time.
	options := fmt.Sprintf("command: [%s], set: {%s: %q}, k: 2, restarts: 10000", try.Get(os.Executable())(t), asAdapter, setting)
	if how.Stop > 0 {
		options += fmt.Sprintf(", timeout: %s", how.Stop/10)
	}
	try.Do(t, os.WriteFile(d.config, []byte(`
datasets: [{use: jsonl, options: {files: [data.jsonl]}}]
metrics: [f1@mem0, evidence-recall, tokens]
concurrency: {samples: 4, requests: 4}
methods: [{use: external, options: {`+options+"}}]\n"), 0o600))
}

// begin sets a fault and returns the folder of a run and what was asked before it.
func (d *memoryDrill) begin(t *testing.T, how disturbance) (dir string, arrived int) {
	t.Helper()
	d.set(t, how)
	base := t.TempDir()
	d.flags = []string{"--calls", "reuse", "--store", filepath.Join(base, "calls")}
	return filepath.Join(base, "run"), d.Stats().Answered
}

// noted returns the lines of a file of notes.
func (d *memoryDrill) noted(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(d.notes, file))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// told is what a record says of faults: the step of a request whose memory was built
// again, and in the structure of a memory how often that was and how long it took
// until something was found.
var told = regexp.MustCompile(`\{"name":"restart","data":\{[^{}]*\}\},?|"(canary_ms|restarts)":[0-9]+,?`)

// check compares the records of a run, without times and faults, with those of the run
// left alone. Each request has one, and none an error.
func (d *memoryDrill) check(t *testing.T, dir string) {
	t.Helper()
	seen := make(map[string]bool)
	for _, rec := range recordsOf(t, dir) {
		if name := rec.Sample + "/" + rec.Request; rec.Status != record.OK || seen[name] {
			t.Errorf("%s: %s, %+v, or there twice", name, rec.Status, rec.Error)
		}
		seen[rec.Sample+"/"+rec.Request] = true
	}
	if len(seen) != d.samples*d.each {
		t.Errorf("%d requests have records, want %d", len(seen), d.samples*d.each)
	}
	all := recorded(t, dir)
	for name, text := range all {
		all[name] = told.ReplaceAllString(text, "")
	}
	if diff := gocmp.Diff(d.want, all); diff != "" {
		t.Errorf("the records differ (-left alone +disturbed):\n%s", diff)
	}
}

// TestDrill runs with an adapter that is killed at random, that stands still at
// random, and with garbage among its replies: no record is lost, none is wrong, and
// nothing is paid twice. Whatever the machine's speed, what must hold is the same;
// only where the faults strike depends on it.
func TestDrill(t *testing.T) {
	longtest.Skip(t)
	d := newMemoryDrill(t, longtest.N(4, 40), longtest.N(3, 10), time.Duration(longtest.N(5, 20))*time.Millisecond)
	for name, how := range map[string]disturbance{
		"killed":      {},
		"stopped":     {Stop: time.Duration(longtest.N(200, 2000)) * time.Millisecond},
		"garbage":     {Garbage: true},
		"snapshotted": {Snapshot: true},
	} {
		t.Run(name, func(t *testing.T) {
			// Of four processes at a time each lives four times as long.
			wanted := longtest.N(4, 200)
			how.Mean = time.Duration(4*longtest.N(60, 150)) * time.Millisecond
			for ends := 0; ends < wanted && !t.Failed(); how.Seed++ {
				how.Ends = wanted - ends
				dir, before := d.begin(t, how)
				must(t, d.args(dir)...)
				d.check(t, dir)
				if paid := d.Stats().Answered - before; paid != d.requests {
					t.Errorf("%d calls were paid, want %d as in the run left alone", paid, d.requests)
				}
				ends += min(len(d.noted(t, "ends")), how.Ends)
			}
		})
	}
}

// TestDrillBench kills bench itself at random, with its adapters, and resumes the run
// until it is complete.
func TestDrillBench(t *testing.T) {
	longtest.Skip(t)
	d := newMemoryDrill(t, longtest.N(4, 40), longtest.N(3, 10), time.Duration(longtest.N(5, 20))*time.Millisecond)
	for name, how := range map[string]disturbance{"built again": {}, "restored": {Snapshot: true}} {
		t.Run(name, func(t *testing.T) {
			wanted := longtest.N(2, 100) // in each half of the drill
			draw := rand.New(rand.NewPCG(17, 1))
			for kills := 0; kills < wanted && !t.Failed(); {
				dir, before := d.begin(t, how)
				here := 0
				for d.killed(t, process(t, d.args(dir)...), draw) && kills+here < wanted {
					here++
				}
				must(t, d.args(dir)...)
				d.check(t, dir)
				// A call is lost with the process that waits for it: at most those in
				// flight, of 4 memories that are built or 4 requests that are asked.
				if over := d.Stats().Answered - before - d.requests; over < 0 || over > 8*(here+1) {
					t.Errorf("%d calls more were paid than in the run left alone, want 0 to 8 for each of %d kills", over, here+1)
				}
				kills += here
			}
		})
	}
}

// killed runs a command and kills it at a random time after it has begun to start
// adapters. It reports whether it was still running. No adapter outlives it.
func (d *memoryDrill) killed(t *testing.T, cmd *exec.Cmd, draw *rand.Rand) bool {
	t.Helper()
	wait := time.Duration(draw.ExpFloat64() * float64(150*time.Millisecond))
	before := len(d.noted(t, "starts"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = append(cmd.Env, "TMPDIR="+t.TempDir()) // for what it leaves when it is killed
	try.Do(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	begun := time.Time{}
	for begun.IsZero() || time.Since(begun) < wait {
		select {
		case err := <-ended: // all was built, or it never began
			if err != nil {
				t.Fatalf("%v\n%s", err, &out)
			}
			return false
		case <-time.After(5 * time.Millisecond):
		}
		if begun.IsZero() && len(d.noted(t, "starts")) != before {
			begun = time.Now()
		}
	}
	_ = cmd.Process.Kill()
	if err := <-ended; err == nil {
		return false // it was just done
	}
	for _, pid := range d.noted(t, "starts") {
		until(t, func() bool {
			env, err := os.ReadFile(filepath.Join("/proc", pid, "environ"))
			return err != nil || !bytes.Contains(env, []byte(d.notes)) || runtime.GOOS != "linux" // where nothing ends the children
		})
	}
	return true
}

// TestKept kills a run whose memory was built, and goes on with it: no session is
// added a second time, and what the memory took is what it took at first.
func TestKept(t *testing.T) {
	longtest.Skip(t)
	d := newMemoryDrill(t, 1, 6, time.Millisecond)
	dir, _ := d.begin(t, disturbance{Snapshot: true})
	first := process(t, d.args(dir)...)
	first.Env = append(first.Env, "TMPDIR="+t.TempDir())
	d.kill(t, first, os.Kill, sessions+3)
	if n := records(t, dir); n >= d.each {
		t.Fatalf("%d of %d requests have records; the run was not killed midway", n, d.each)
	}
	must(t, d.args(dir)...)
	if got := d.noted(t, "sessions"); len(got) != sessions {
		t.Errorf("sessions were added as %q, want each of %d once", got, sessions)
	}
	if got := d.noted(t, "starts"); len(got) != 2 {
		t.Errorf("%d processes held the memory, want 2", len(got))
	}
	d.check(t, dir)
}

package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/histories"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// asMachine is set in a test that has network and mounts of its own.
const asMachine = "BENCH_TEST_AS_MACHINE"

// skipped is how a test says that it was skipped, and why.
var skipped = regexp.MustCompile(`(?m)^\s+\S+\.go:\d+: (.*)\n--- SKIP`)

// ownMachine reports whether the test has network and mounts of its own, which it may
// change. Where it has not, the test runs again with them and the result is its own.
func ownMachine(t *testing.T) bool {
	t.Helper()
	if os.Getenv(asMachine) != "" {
		return true
	}
	args := []string{"-test.run=^" + t.Name() + "$", "-test.v"}
	if end, ok := t.Deadline(); ok {
		args = append(args, fmt.Sprint("-test.timeout=", time.Until(end)*9/10)) // so that it says where it stands
	}
	cmd := process(t, args...)
	cmd.Env = append(os.Environ(), asMachine+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if id := os.Getuid(); id != 0 {
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: id, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	if _, ran := errors.AsType[*exec.ExitError](err); err != nil && !ran {
		t.Skipf("namespaces cannot be made here: %v", err)
	}
	if m := skipped.FindSubmatch(out); m != nil {
		t.Skipf("%s", m[1])
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	return false
}

// ip changes the network of the test's machine; it skips the test where it cannot.
func ip(t *testing.T, command string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "ip", strings.Fields(command)...).CombinedOutput(); err != nil {
		t.Skipf("networks cannot be made here: ip %s: %v %s", command, err, bytes.TrimSpace(out))
	}
}

// newHosts makes hosts h1, h2, … with the addresses 10.0.0.11, 10.0.0.12, … on a switch
// where the test has 10.0.0.1.
func newHosts(t *testing.T, n int) {
	t.Helper()
	if err := syscall.Mount("none", "/run", "tmpfs", 0, ""); err != nil { // where ip has its names
		t.Skipf("nothing can be mounted here: %v", err)
	}
	ip(t, "link set lo up")
	ip(t, "link add switch type bridge")
	ip(t, "addr add 10.0.0.1/24 dev switch")
	ip(t, "link set switch up")
	for i := 1; i <= n; i++ {
		ip(t, fmt.Sprintf("netns add h%d", i))
		ip(t, fmt.Sprintf("link add port%[1]d type veth peer name eth0 netns h%[1]d", i))
		ip(t, fmt.Sprintf("link set port%d master switch up", i))
		ip(t, fmt.Sprintf("-n h%[1]d addr add 10.0.0.1%[1]d/24 dev eth0", i))
		ip(t, fmt.Sprintf("-n h%d link set eth0 up", i))
		ip(t, fmt.Sprintf("-n h%d link set lo up", i))
	}
}

// The kinds of faults that a fleet meets: each strikes a host, and its function ends it.
// They meet the calls in flight of one worker, or of all.
var fleetFaults = map[string]struct {
	strike func(f *fleetDrill, host int) (end func())
	all    bool
}{
	"worker killed": {func(f *fleetDrill, host int) func() {
		_ = f.all[host].Process.Kill()
		return func() {}
	}, false},
	"worker hung": {func(f *fleetDrill, host int) func() {
		p := f.all[host].Process
		_ = p.Signal(syscall.SIGSTOP)
		return func() { _ = p.Signal(syscall.SIGCONT) }
	}, false},
	"host cut off": {func(f *fleetDrill, host int) func() {
		ip(f.t, fmt.Sprintf("link set port%d down", host))
		return func() { ip(f.t, fmt.Sprintf("link set port%d up", host)) }
	}, true},
	"coordinator out of reach": {func(f *fleetDrill, host int) func() {
		host = max(host, 2)
		ip(f.t, fmt.Sprintf("-n h%d route replace blackhole 10.0.0.11/32", host))
		return func() { ip(f.t, fmt.Sprintf("-n h%d route flush type blackhole", host)) }
	}, false},
	"coordinator killed": {func(f *fleetDrill, _ int) func() {
		_ = f.all[0].Process.Kill()
		return func() {}
	}, true},
}

// disturb has each kind of fault strike once, in some order, as calls arrive. It returns
// how many calls they may meet: two at a time in each worker.
func (f *fleetDrill) disturb(random *rand.Rand, r *rig, calls int) (inFlight int) {
	kinds := slices.Sorted(maps.Keys(fleetFaults))
	random.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	var next func(i int)
	next = func(i int) {
		host, lasts := 1+random.IntN(3), time.Duration(random.Int64N(int64(3*time.Second)))
		r.after(1+random.IntN(calls/len(kinds)), func() {
			f.strike(func() {
				f.t.Logf("%s (host %d, %s)", kinds[i], host, lasts)
				time.AfterFunc(lasts, fleetFaults[kinds[i]].strike(f, host))
				if i+1 < len(kinds) {
					next(i + 1)
				}
			})
		})
	}
	next(0)
	for _, kind := range kinds {
		if inFlight += 2; fleetFaults[kind].all {
			inFlight += 4
		}
	}
	return inFlight
}

// Whatever happens to hosts, workers and the coordinator, the folder is that of an
// undisturbed run, and no reply is paid for twice but those of calls in flight.
func TestServeDrill(t *testing.T) {
	longtest.Skip(t)
	if !ownMachine(t) {
		return
	}
	newHosts(t, 3)
	tool := try.Get(exec.LookPath("ip"))(t)
	d := newDrill(t, newRig(t, "10.0.0.1", modelserver.Options{Latency: 20 * time.Millisecond}), "reuse", write(t, "run.yaml", fmt.Sprintf(`
name: drill
datasets: [{use: jsonl, options: {files: [%s]}}]
methods: [{use: flat-rag, options: {k: 5}}, {use: stateless}]
metrics: [f1@mem0, evidence-recall, tokens]
concurrency: {samples: 2, requests: 2}
`, chats(t, 7))))
	random := rand.New(rand.NewPCG(22, 1))
	for round := range longtest.N(1, 20) {
		root := t.TempDir()
		dir := filepath.Join(root, "many")
		f := newFleet(t, 3, dir, "10.0.0.11:4222", "serve", d.config, "--model", d.model, "--calls", "reuse", "--store", filepath.Join(root, "calls"))
		f.on = func(who int, cmd *exec.Cmd) {
			cmd.Path, cmd.Args = tool, append([]string{"ip", "netns", "exec", fmt.Sprint("h", max(who, 1)), cmd.Path}, cmd.Args[1:]...)
		}
		before := d.Stats().Arrived
		inFlight := f.disturb(random, d.rig, d.requests)
		f.run()
		time.Sleep(3 * time.Second) // the last fault ends
		d.same(t, dir)
		arrived := d.Stats().Arrived - before
		if h := try.Get(record.ReadHeader(dir))(t); arrived < d.requests || arrived > d.requests+inFlight || h.Paid == nil || h.Paid.Calls > arrived {
			t.Fatalf("round %d made %d calls, want %d and at most %d that were in flight, and counts %+v", round, arrived, d.requests, inFlight, h.Paid)
		}
	}
}

// A run whose disk is full ends and says where; with room it goes on. A worker needs
// no room.
func TestServeFull(t *testing.T) {
	longtest.Skip(t)
	if !ownMachine(t) {
		return
	}
	ip(t, "link set lo up")
	root := t.TempDir()
	small := filepath.Join(root, "small")
	try.Do(t, os.Mkdir(small, 0o755))
	if err := syscall.Mount("none", small, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("nothing can be mounted here: %v", err)
	}
	defer func() { _ = syscall.Unmount(small, syscall.MNT_DETACH) }()
	ballast := filepath.Join(small, "ballast")
	fill := func() {
		f := try.Get(os.Create(ballast))(t)
		defer f.Close()
		var err error
		for _, size := range []int{1 << 20, 1 << 12, 1} { // the last page too
			for err = nil; err == nil; {
				_, err = f.Write(make([]byte, size))
			}
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
	}
	var held sync.Mutex // no call comes while the disk is being filled
	server := modelserver.New(t, modelserver.Options{Latency: 20 * time.Millisecond, Observe: func(*http.Request, []byte) {
		held.Lock()
		defer held.Unlock()
	}})
	config, model := questions(t, 8, 3, "name: live\nconcurrency: {samples: 2, requests: 2}\n"), liveModel(t, server, "")
	one := filepath.Join(root, "one")
	must(t, "run", config, "--model", model, "--calls", "reuse", "--store", filepath.Join(root, "own"), "--out", one, "--display", "none")
	for _, tt := range []struct {
		dir, store string
		code       int
	}{
		{filepath.Join(small, "many"), filepath.Join(root, "calls"), exitInternal},
		{filepath.Join(root, "many"), filepath.Join(small, "calls"), exitUnavailable},
	} {
		before := server.Stats().Arrived
		args := []string{config, "--model", model, "--calls", "reuse", "--store", tt.store, "--out", tt.dir, "--resume"}
		s := serve(t.Context(), t, args...)
		var working sync.WaitGroup
		working.Go(func() { s.work(t) })
		until(t, func() bool { return server.Stats().Arrived-before >= 3 })
		func() {
			held.Lock()
			defer held.Unlock()
			fill()
		}()
		working.Wait()
		s.ended(t, tt.code)
		if !strings.Contains(s.ran.stderr, "no space left on device") || !strings.Contains(s.ran.stderr, small) {
			t.Errorf("nothing says which disk is full:\n%s", s.ran.stderr)
		}
		try.Do(t, os.Remove(ballast))
		s = serve(t.Context(), t, args...)
		s.works(t, 1)
		s.ended(t, exitOK)
		try.Equal(t, "two runs", recorded(t, one), recorded(t, tt.dir))
		if n := server.Stats().Arrived - before; n > 24+2 {
			t.Errorf("%d calls, want 24 and those in flight", n)
		}
	}
	s := serve(t.Context(), t, config, "--model", model, "--calls", "off", "--out", filepath.Join(root, "worker"))
	fill()
	t.Setenv("TMPDIR", small)
	s.works(t, 1) // a worker needs no room
	s.ended(t, exitOK)
}

// writeHistories writes a file of made-up histories.
func writeHistories(tb testing.TB, path string, questions, sessions int) {
	tb.Helper()
	f := try.Get(os.Create(path))(tb)
	defer f.Close()
	try.Do(tb, histories.Write(f, questions, sessions))
	if info, err := f.Stat(); err == nil {
		tb.Logf("%d questions, %d MB", questions, info.Size()>>20)
	}
}

// TestLargeData bounds the memory of reading and asking about histories that are
// larger than it.
func TestLargeData(t *testing.T) {
	longtest.Skip(t)
	if longtest.UnderRace {
		t.Skip("the race detector takes memory of its own")
	}
	check := func(t *testing.T, most int, args ...string) {
		t.Helper()
		measured(t, 0, most, args...)
	}
	config := func(dataset string, requests int) string {
		return write(t, "run.yaml", fmt.Sprintf(`name: large
datasets: [%s]
methods: [{use: flat-rag}]
models: [{use: stand-in}]
metrics: [f1@mem0, bleu1@nltk, rouge-l@rouge_score, evidence-recall, tokens]
concurrency: {samples: 2}
limits: {requests: %d}
`, dataset, requests))
	}
	t.Run("s", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "s.json")
		writeHistories(t, file, longtest.N(20, 500), 48)
		check(t, 150, "data", "stats", "longmemeval", "--options", fmt.Sprintf("{path: %q}", file))
		check(t, 300, "run", config(fmt.Sprintf("{use: longmemeval, options: {path: %q}}", file), longtest.N(4, 60)), "--out", filepath.Join(t.TempDir(), "run"))
		info := try.Get(os.Stat(file))(t)
		try.Do(t, os.Truncate(file, info.Size()-1000))
		if said := measured(t, exitUsage, 150, "data", "stats", "longmemeval", "--options", fmt.Sprintf("{path: %q}", file)); !strings.Contains(said, "the file is cut off") {
			t.Errorf("a file that is cut off: %s", said)
		}
	})
	if longtest.N(0, 1) == 0 {
		return // what follows takes minutes
	}
	t.Run("m", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "m.json")
		writeHistories(t, file, 500, 500)
		check(t, 250, "data", "stats", "longmemeval", "--options", fmt.Sprintf("{path: %q}", file))
		// The goal is 500 MB, see docs/design/performance.md; this holds what is reached.
		check(t, 650, "run", config(fmt.Sprintf("{use: longmemeval, options: {path: %q}}", file), 10), "--out", filepath.Join(t.TempDir(), "run"))
	})
	t.Run("beam", func(t *testing.T) {
		beam := fmt.Sprintf("{sizes: [10M], path: %q}", filepath.Join(realdata.Datasets(t), "beam", "chats"))
		check(t, 150, "data", "stats", "beam", "--options", beam)
		check(t, 600, "run", config("{use: beam, options: "+beam+"}", 20), "--out", filepath.Join(t.TempDir(), "run"))
	})
}

// measured runs the command, which may take so many MB, and returns what it says.
func measured(t *testing.T, code, most int, args ...string) string {
	t.Helper()
	cmd := process(t, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	peak, err := peakMemory(cmd)
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		t.Fatalf("%v, want exit code %d\n%s", err, code, out.Bytes())
	}
	t.Logf("%s: peak %d MB, %.1f s of processor time", args[:2], peak, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
	if peak > most {
		t.Errorf("%s: peak %d MB, want at most %d", args[:2], peak, most)
	}
	return out.String()
}

// peakMemory runs a process and returns its peak resident memory in MB, read until
// shortly before it ends. The system's account at its end would be that of the test
// too, where the test is the larger one.
func peakMemory(cmd *exec.Cmd) (peak int, err error) {
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			return peak >> 10, err
		case <-look.C:
			peak = max(peak, highWater(cmd.Process.Pid))
		}
	}
}

// highWater returns the peak resident memory of a process in KB; 0 where it has ended.
func highWater(pid int) (kb int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	text, _, _ := strings.Cut(strings.TrimSpace(after), " ")
	kb, _ = strconv.Atoi(text)
	return kb
}

// TestServeMemory bounds the memory of a coordinator while it serves 100,000 requests.
func TestServeMemory(t *testing.T) {
	if longtest.N(0, 1) == 0 || longtest.UnderRace {
		t.Skip("takes a minute, and the race detector takes memory; set BENCH_LONG=1 to run it")
	}
	config, dir := questions(t, 1000, 100, "name: many\nmodels: [{use: stand-in}]\n"), filepath.Join(t.TempDir(), "many")
	serving := process(t, "serve", config, "--calls", "off", "--out", dir, "--addr", "127.0.0.1:4789", "--display", "none")
	try.Do(t, serving.Start())
	var workers []*exec.Cmd
	for range 2 {
		worker := process(t, "work", "tls://127.0.0.1:4789", "--access", filepath.Join(dir+".access", "worker.json"), "--wait")
		try.Do(t, worker.Start())
		workers = append(workers, worker)
	}
	for _, w := range workers {
		if err := w.Wait(); err != nil {
			t.Error(err)
		}
	}
	served := highWater(serving.Process.Pid) >> 10
	try.Do(t, serving.Wait())
	t.Logf("peak %d MB while it served", served)
	if served == 0 || served > 210 {
		t.Errorf("peak %d MB while it served, want at most 210", served)
	}
}

// TestLargeResults bounds the memory of comparing results that are larger than it: lines
// of 10 KB, and a log of Inspect of as many samples.
func TestLargeResults(t *testing.T) {
	longtest.Skip(t)
	if longtest.UnderRace {
		t.Skip("the race detector takes memory of its own")
	}
	items, dir := longtest.N(2000, 100_000), t.TempDir()
	answer := strings.Repeat("An answer of ten thousand letters. ", 300)
	for _, side := range []int{2, 3} {
		lines := try.Get(os.Create(filepath.Join(dir, fmt.Sprint(side, ".jsonl"))))(t)
		log := try.Get(os.Create(filepath.Join(dir, fmt.Sprint(side, ".eval"))))(t)
		w, archive := bufio.NewWriter(lines), zip.NewWriter(log)
		put := func(name, text string) {
			in := try.Get(archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store}))(t)
			try.Get(io.WriteString(in, text))(t)
		}
		put("header.json", `{"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}}`)
		for i := range items {
			right := min(1, i%side)
			try.Get(fmt.Fprintf(w, `{"id": "c%d/q%d", "prediction": %q, "scores": {"right": %d}}`+"\n", i%100, i, answer, right))(t)
			put(fmt.Sprintf("samples/q%d_epoch_1.json", i),
				fmt.Sprintf(`{"id": "q%d", "epoch": 1, "input": "?", "output": {"completion": %q}, "metadata": {"conversation": "c%d"}, "scores": {"right": {"value": %d}}}`, i, answer, i%100, right))
		}
		try.Do(t, errors.Join(w.Flush(), lines.Close(), archive.Close(), log.Close()))
	}
	for _, args := range [][]string{
		{"compare", filepath.Join(dir, "2.jsonl"), filepath.Join(dir, "3.jsonl")},
		{"compare", filepath.Join(dir, "2.eval"), filepath.Join(dir, "3.eval"), "--cluster", "metadata.conversation"},
	} {
		if out := measured(t, 0, 300, args...); !strings.Contains(out, strconv.Itoa(items)) {
			t.Errorf("want %d pairs in\n%s", items, out)
		}
	}
}

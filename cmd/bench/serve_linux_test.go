package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
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

// A fleetDrill disturbs a coordinator and a worker on each of three hosts.
type fleetDrill struct {
	t      *testing.T
	serve  []string
	access string

	mu       sync.Mutex
	stops    int // of the coordinator that the test made
	inFlight int // calls that faults may have met
	said     []*bytes.Buffer
	all      [4]*exec.Cmd // the coordinator on host 1, and a worker on each
}

// start starts the coordinator, which is 0, or the worker of a host.
func (d *fleetDrill) start(who int) {
	host, args := max(who, 1), d.serve
	if who > 0 {
		args = []string{"work", "tls://10.0.0.11:4222", "--access", d.access, "--wait", "--name", fmt.Sprint("worker-", who)}
	}
	cmd := process(d.t, append([]string{"netns", "exec", fmt.Sprint("h", host), os.Args[0]}, args...)...)
	var err error
	if cmd.Path, err = exec.LookPath("ip"); err != nil {
		d.t.Error(err)
	}
	said := bytes.NewBufferString(strings.Join(cmd.Args, " ") + "\n")
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		d.t.Error(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all[who], d.said = cmd, append(d.said, said)
}

func (d *fleetDrill) process(who int) *exec.Cmd {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.all[who]
}

// kill kills a process and starts it again.
func (d *fleetDrill) kill(who int) {
	p := d.process(who)
	_ = p.Process.Kill() // it may have ended
	if who > 0 {
		_ = p.Wait()
		d.start(who)
	}
}

// The kinds of faults that a fleet meets: each strikes a host, and its function ends it.
var fleetFaults = map[string]func(d *fleetDrill, host int) (end func()){
	"worker killed": func(d *fleetDrill, host int) func() {
		d.kill(host)
		return func() {}
	},
	"worker hung": func(d *fleetDrill, host int) func() {
		p := d.process(host).Process
		_ = p.Signal(syscall.SIGSTOP)
		return func() { _ = p.Signal(syscall.SIGCONT) }
	},
	"host cut off": func(d *fleetDrill, host int) func() {
		ip(d.t, fmt.Sprintf("link set port%d down", host))
		return func() { ip(d.t, fmt.Sprintf("link set port%d up", host)) }
	},
	"coordinator out of reach": func(d *fleetDrill, host int) func() {
		host = max(host, 2)
		ip(d.t, fmt.Sprintf("-n h%d route replace blackhole 10.0.0.11/32", host))
		return func() { ip(d.t, fmt.Sprintf("-n h%d route flush type blackhole", host)) }
	},
	"coordinator killed": func(d *fleetDrill, _ int) func() {
		d.mu.Lock()
		d.stops++
		d.mu.Unlock()
		d.kill(0)
		return func() {}
	},
}

// run disturbs a run when so many more calls have arrived, and returns when it is over.
func (d *fleetDrill) run(random *rand.Rand, server *modelserver.Server, calls int) {
	for who := range d.all {
		d.start(who)
	}
	kinds := slices.Sorted(maps.Keys(fleetFaults))
	random.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	at := make([]int, len(kinds))
	for i := range at {
		at[i] = server.Stats().Arrived + 1 + random.IntN(calls-1)
	}
	slices.Sort(at)
	over := make(chan struct{})
	var disturbing sync.WaitGroup
	disturbing.Go(func() {
		for i, kind := range kinds {
			host, lasts := 1+random.IntN(3), time.Duration(random.Int64N(int64(3*time.Second)))
			for server.Stats().Arrived < at[i] {
				select {
				case <-over:
					return
				case <-time.After(time.Millisecond):
				}
			}
			d.t.Logf("after %d calls: %s (host %d, %s)", at[i], kind, host, lasts)
			met := 2 // calls at a time in each worker
			if kind == "coordinator killed" || kind == "host cut off" && host == 1 {
				met *= 3
			}
			d.inFlight += met
			end := fleetFaults[kind](d, host)
			disturbing.Go(func() {
				select {
				case <-time.After(lasts):
				case <-over:
				}
				end()
			})
		}
	})
	for stops := 0; ; stops++ {
		err := d.process(0).Wait()
		d.mu.Lock()
		again := stops < d.stops
		d.mu.Unlock()
		if !again {
			if err != nil {
				d.t.Errorf("the coordinator ends with %v", err)
			}
			break
		}
		d.start(0)
	}
	close(over)
	disturbing.Wait()
	for who := 1; who < len(d.all); who++ {
		_ = d.process(who).Process.Kill() // one that was cut off looks for the coordinator
		_ = d.process(who).Wait()
	}
}

// Whatever happens to hosts, workers and the coordinator, the folder is that of an
// undisturbed run, and no reply is paid for twice but those of calls in flight.
func TestServeDrill(t *testing.T) {
	longtest.Skip(t)
	if !ownMachine(t) {
		return
	}
	newHosts(t, 3)
	listener := try.Get(new(net.ListenConfig).Listen(t.Context(), "tcp", "10.0.0.1:0"))(t)
	server := modelserver.NewHandler(modelserver.Options{Latency: 20 * time.Millisecond})
	provider := &http.Server{Handler: server, ReadHeaderTimeout: time.Minute}
	go func() { _ = provider.Serve(listener) }()
	defer provider.Close()
	server.URL = "http://" + listener.Addr().String() + "/v1"
	model := liveModel(t, server, "")
	config := write(t, "run.yaml", fmt.Sprintf(`
name: drill
datasets: [{use: jsonl, options: {files: [%s]}}]
methods: [{use: flat-rag, options: {k: 5}}, {use: stateless}]
metrics: [f1@mem0, evidence-recall, tokens]
concurrency: {samples: 2, requests: 2}
`, chats(t, 7)))
	random, root := rand.New(rand.NewPCG(22, 1)), t.TempDir()
	one := filepath.Join(root, "one")
	store := filepath.Join(root, "calls")
	must(t, "run", config, "--model", model, "--calls", "reuse", "--store", store, "--out", one, "--display", "none")
	want, calls := drilled(t, one), server.Stats().Arrived
	for round := range longtest.N(1, 20) {
		dir := filepath.Join(root, fmt.Sprint("many-", round))
		d := &fleetDrill{t: t, access: filepath.Join(dir+".access", "worker.json"), serve: []string{
			"serve", config, "--model", model, "--calls", "reuse", "--store", store, "--out", dir, "--resume",
			"--addr", "10.0.0.11:4222", "--patience", "1s", "--display", "none",
		}}
		try.Do(t, os.RemoveAll(store))
		before := server.Stats()
		d.run(random, server, calls)
		if diff := cmp.Diff(want, drilled(t, dir)); diff != "" {
			t.Errorf("round %d (-one +many):\n%s", round, diff)
		}
		arrived := server.Stats().Arrived - before.Arrived
		if arrived < calls || arrived > calls+d.inFlight {
			t.Errorf("round %d made %d calls, want %d and at most %d that were in flight", round, arrived, calls, d.inFlight)
		}
		h := try.Get(record.ReadHeader(dir))(t)
		if h.Paid == nil || h.Paid.Calls > arrived {
			t.Errorf("round %d counts %+v, and %d calls were made", round, h.Paid, arrived)
		}
		t.Logf("round %d: %d calls for %d replies, at most %d in flight at a fault", round, arrived, calls, d.inFlight)
		if t.Failed() {
			for _, said := range d.said {
				t.Logf("%s", said)
			}
			return
		}
	}
}

// paid is what a header says about payments; nobody knows what killed processes paid.
var paid = regexp.MustCompile(`(?s)"paid": \{.*?\}`)

// drilled returns what is the same in a run and in one that was disturbed.
func drilled(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := allOf(t, dir)
	all["run.json"] = paid.ReplaceAllString(all["run.json"], "")
	return all
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
		name, dir, store string
		code             int
	}{
		{"folder", filepath.Join(small, "many"), filepath.Join(root, "calls"), exitInternal},
		{"recordings", filepath.Join(root, "many"), filepath.Join(small, "calls"), exitUnavailable},
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
			t.Errorf("%s: nothing says which disk is full:\n%s", tt.name, s.ran.stderr)
		}
		try.Do(t, os.Remove(ballast))
		s = serve(t.Context(), t, args...)
		if r := s.work(t); r.code != 0 {
			t.Errorf("%s: a worker ends with %d\n%s", tt.name, r.code, r.stderr)
		}
		s.ended(t, exitOK)
		if diff := cmp.Diff(recorded(t, one), recorded(t, tt.dir)); diff != "" {
			t.Errorf("%s (-one +many):\n%s", tt.name, diff)
		}
		if n := server.Stats().Arrived - before; n > 24+2 {
			t.Errorf("%s: %d calls, want 24 and those in flight", tt.name, n)
		}
	}
	s := serve(t.Context(), t, config, "--model", model, "--calls", "off", "--out", filepath.Join(root, "worker"))
	fill()
	t.Setenv("TMPDIR", small)
	if r := s.work(t); r.code != 0 {
		t.Errorf("a worker without room ends with %d\n%s", r.code, r.stderr)
	}
	s.ended(t, exitOK)
}

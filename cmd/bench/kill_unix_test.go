//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

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

//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	k := killer{signal: os.Kill}
	s := modelserver.New(t, modelserver.Options{Observe: k.observe})
	config := write(t, "kill.yaml", strings.Replace(killConfig, "{use: sample}",
		fmt.Sprintf("{use: sample}, {use: longmemeval, options: {path: %q}}, {use: changes, options: {histories: 1, questions: 20}}", shortHistories(t)), 1))
	options := []string{"--model", liveModel(t, s, ""), "--calls", "off", "--display", "none"}
	whole := filepath.Join(t.TempDir(), "whole")
	must(t, append([]string{"run", config, "--out", whole}, options...)...)
	want, total := recorded(t, whole), records(t, whole)
	wantTable := must(t, "table", whole).stdout
	random := rand.New(rand.NewPCG(25, 1))
	midway, moments := 0, longtest.N(2, 25)
	for i := range moments {
		dir := filepath.Join(t.TempDir(), strconv.Itoa(i))
		args := append([]string{"run", config, "--out", dir}, options...)
		k.kill(t, process(t, args...), 1+random.IntN(total))
		if _, err := os.Stat(filepath.Join(dir, "config.yaml")); err != nil {
			// It had not begun, and the same command begins again.
			must(t, args...)
		}
		if n := records(t, dir); 0 < n && n < total {
			midway++
		}
		k.kill(t, process(t, "resume", dir, "--calls", "off", "--display", "none"), 1+random.IntN(total-records(t, dir)+1))
		if out, err := process(t, "resume", dir, "--calls", "off", "--display", "none").CombinedOutput(); err != nil {
			t.Fatalf("resume: %v\n%s", err, out)
		}
		if diff := cmp.Diff(want, recorded(t, dir)); diff != "" {
			t.Fatalf("a run that was killed and resumed differs (-whole +resumed):\n%s", diff)
		}
		if diff := cmp.Diff(wantTable, must(t, "table", dir).stdout); diff != "" {
			t.Fatalf("tables differ (-whole +resumed):\n%s", diff)
		}
	}
	t.Logf("%d of %d runs were killed while they asked", midway, moments)
	if midway == 0 {
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
	var once sync.Once
	s := modelserver.New(t, modelserver.Options{Observe: func(*http.Request, []byte) {
		once.Do(func() {
			if err := os.WriteFile(path, after, 0o644); err != nil {
				t.Error(err)
			}
		})
	}})
	config := write(t, "changes.yaml", fmt.Sprintf(`name: changes
datasets: [{use: longmemeval, options: {path: %q}}]
methods: [{use: flat-rag, options: {k: 5}}]
models: [{use: stand-in}]
metrics: [f1@mem0]
concurrency: {samples: 1, requests: 1}
`, path))
	options := []string{"--model", liveModel(t, s, ""), "--calls", "off", "--display", "none"}
	dir, whole := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "whole")
	const message = "the data has changed since it was opened"
	if got := run(t, append([]string{"run", config, "--out", dir}, options...)...); got.code != exitFingerprint || !strings.Contains(got.stderr, message) {
		t.Fatalf("exit %d\n%s", got.code, got.stderr)
	}
	if n := records(t, dir); n == 0 || n > 5 {
		t.Errorf("%d records, want those of questions before the last", n)
	}
	if got := run(t, "resume", dir, "--calls", "off", "--display", "none"); got.code != exitFingerprint {
		t.Errorf("resumed with the other file: exit %d\n%s", got.code, got.stderr)
	}
	try.Do(t, os.WriteFile(path, before, 0o644))
	must(t, "resume", dir, "--calls", "off", "--display", "none")
	must(t, append([]string{"run", config, "--out", whole}, options...)...)
	if diff := cmp.Diff(recorded(t, whole), recorded(t, dir)); diff != "" {
		t.Errorf("the resumed run differs (-whole +resumed):\n%s", diff)
	}
}

// A killer sends a signal to a process when a model server has seen some of its
// requests.
type killer struct {
	signal os.Signal

	mu      sync.Mutex
	process *os.Process
	left    int
}

func (k *killer) observe(*http.Request, []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.left--; k.left == 0 && k.process != nil {
		_ = k.process.Signal(k.signal) // it may have ended
	}
}

// kill runs a command, which gets the signal at its nth request, until it ends.
func (k *killer) kill(t *testing.T, cmd *exec.Cmd, n int) {
	t.Helper()
	k.mu.Lock()
	err := cmd.Start()
	k.process, k.left = cmd.Process, n
	k.mu.Unlock()
	try.Do(t, err)
	_ = cmd.Wait() // what it leaves is what counts
}

// records counts the whole lines of all records of a run.
func records(t *testing.T, dir string) (n int) {
	t.Helper()
	files := try.Get(filepath.Glob(filepath.Join(dir, "cells", "*", "records.jsonl")))(t)
	for _, path := range files {
		data := try.Get(os.ReadFile(path))(t)
		n += strings.Count(string(data), "\n")
	}
	return n
}

// TestFileLimit runs with a limit on the size of files, which fails writes as
// a full disk does: the run says so and can be resumed.
func TestFileLimit(t *testing.T) {
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash, whose ulimit counts in KB")
	}
	config := write(t, "kill.yaml", killConfig)
	whole := filepath.Join(t.TempDir(), "whole")
	must(t, "run", config, "--out", whole, "--display", "none")
	dir := filepath.Join(t.TempDir(), "limited")
	limited := process(t, "run", config, "--out", dir, "--display", "none")
	limited.Args = append([]string{shell, "-c", `ulimit -f 20; exec "$0" "$@"`, limited.Path}, limited.Args[1:]...)
	limited.Path = shell
	out, err := limited.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "file too large") || !strings.Contains(string(out), "bench resume "+dir) {
		t.Fatalf("with files of at most 20 KB: %v\n%s", err, out)
	}
	must(t, "resume", dir, "--display", "none")
	if diff := cmp.Diff(recorded(t, whole), recorded(t, dir)); diff != "" {
		t.Errorf("the resumed run differs (-whole +resumed):\n%s", diff)
	}
}

// TestInterrupt sends an interrupt to a run that is far from its end: it stops
// cleanly, says how to go on, and what it finished is on the disk.
func TestInterrupt(t *testing.T) {
	k := killer{signal: os.Interrupt}
	s := modelserver.New(t, modelserver.Options{Observe: k.observe})
	config := questions(t, 2, 200, "concurrency: {requests: 4}\n")
	dir := filepath.Join(t.TempDir(), "run")
	cmd := process(t, "run", config, "--model", liveModel(t, s, ""), "--calls", "off", "--out", dir, "--display", "none")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	k.kill(t, cmd, 50)
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("exit code %d, want %d", code, exitInterrupted)
	}
	if n := records(t, dir); n == 0 || n == 400 {
		t.Errorf("%d of 400 records, want those of the requests before the interrupt", n)
	}
	if !strings.Contains(stderr.String(), "continue with: bench resume "+dir) {
		t.Errorf("stderr does not say how to go on:\n%s", &stderr)
	}
	_, header, err := record.Open(dir)
	if err != nil || header.Status != record.Interrupted {
		t.Errorf("status %q, %v; want interrupted", header.Status, err)
	}
}

//go:build unix

package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const killConfig = `
name: kill
seed: 3
datasets: [{use: sample}]
methods: [{use: stateless}, {use: flat-rag, options: {k: 5}}, {use: in-context}]
models: [{use: offline}]
metrics: [f1@mem0, evidence-recall, tokens]
concurrency: {samples: 2, requests: 4}
`

// TestKill kills a run at 25 random moments, and again while it resumes, goes
// on with it until it is complete, and compares every file and the tables with
// those of a run that was left alone.
func TestKill(t *testing.T) {
	config := write(t, "kill.yaml", killConfig)
	whole := filepath.Join(t.TempDir(), "whole")
	start := time.Now()
	if out, err := process(t, "run", config, "--out", whole, "--display", "none").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	length := time.Since(start)
	want := recorded(t, whole)
	wantTable := must(t, "table", whole).stdout
	random := rand.New(rand.NewPCG(25, 1))
	var killed, midway int
	for i := range 25 {
		dir := filepath.Join(t.TempDir(), strconv.Itoa(i))
		if kill(t, random, length, "run", config, "--out", dir, "--display", "none") {
			killed++
		}
		if _, err := os.Stat(filepath.Join(dir, "run.json")); err != nil {
			// It had not begun: a folder without a header is no run yet.
			continue
		}
		if finished := records(t, dir); 0 < finished && finished < strings.Count(wantLines(want), "\n") {
			midway++
		}
		kill(t, random, length, "resume", dir, "--display", "none")
		if out, err := process(t, "resume", dir, "--display", "none").CombinedOutput(); err != nil {
			t.Fatalf("resume: %v\n%s", err, out)
		}
		if diff := cmp.Diff(want, recorded(t, dir)); diff != "" {
			t.Fatalf("a run that was killed and resumed differs (-whole +resumed):\n%s", diff)
		}
		if diff := cmp.Diff(wantTable, must(t, "table", dir).stdout); diff != "" {
			t.Fatalf("tables differ (-whole +resumed):\n%s", diff)
		}
	}
	t.Logf("%d of 25 runs were killed before their end, %d of them while they asked", killed, midway)
	if killed < 10 {
		t.Errorf("only %d of 25 runs were killed before their end", killed)
	}
}

// kill starts the command and kills it at a random moment of the length. It
// reports whether the command was still going on.
func kill(t *testing.T, random *rand.Rand, length time.Duration, args ...string) bool {
	t.Helper()
	cmd := process(t, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Duration(random.Int64N(int64(length))))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	_, died := err.(*exec.ExitError)
	return died
}

// records counts the whole lines of all records of a run.
func records(t *testing.T, dir string) (n int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "cells", "*", "records.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		n += strings.Count(string(data), "\n")
	}
	return n
}

func wantLines(files map[string]string) (all string) {
	for name, text := range files {
		if strings.HasSuffix(name, "records.jsonl") {
			all += text
		}
	}
	return all
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
	limited.Args = append([]string{shell, "-c", `ulimit -f 40; exec "$0" "$@"`, limited.Path}, limited.Args[1:]...)
	limited.Path = shell
	out, err := limited.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "file too large") || !strings.Contains(string(out), "bench resume "+dir) {
		t.Fatalf("with files of at most 40 KB: %v\n%s", err, out)
	}
	must(t, "resume", dir, "--display", "none")
	if diff := cmp.Diff(recorded(t, whole), recorded(t, dir)); diff != "" {
		t.Errorf("the resumed run differs (-whole +resumed):\n%s", diff)
	}
}

// TestInterrupt sends an interrupt: the run stops cleanly and says how to go
// on.
func TestInterrupt(t *testing.T) {
	config := write(t, "kill.yaml", killConfig)
	dir := filepath.Join(t.TempDir(), "run")
	cmd := process(t, "run", config, "--out", dir, "--display", "none")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 2000 {
		if records(t, dir) > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Skip("the run was over before the interrupt")
	}
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("exit code %d, want %d", code, exitInterrupted)
	}
	if !strings.Contains(stderr.String(), "go on with: bench resume "+dir) {
		t.Errorf("stderr does not say how to go on:\n%s", &stderr)
	}
	must(t, "resume", dir, "--display", "none")
}

//go:build unix

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/record"
)

const killConfig = `
name: kill
seeds: [3, 4]
datasets: [{use: sample}]
methods: [{use: stateless}, {use: flat-rag, options: {k: 5}}]
models: [{use: offline}]
metrics: [f1@mem0, evidence-recall, tokens]
concurrency: {samples: 2, requests: 4}
`

// TestKill kills a run at 25 random moments of its work, and again while it
// resumes, goes on with it until it is complete, and compares every file and
// the tables with those of a run that was left alone.
func TestKill(t *testing.T) {
	config := write(t, "kill.yaml", killConfig)
	whole := filepath.Join(t.TempDir(), "whole")
	must(t, "run", config, "--out", whole, "--display", "none")
	want, total := recorded(t, whole), records(t, whole)
	wantTable := must(t, "table", whole).stdout
	random := rand.New(rand.NewPCG(25, 1))
	const moments = 25
	midway := 0
	for i := range moments {
		dir := filepath.Join(t.TempDir(), strconv.Itoa(i))
		kill(t, random, total, dir, "run", config, "--out", dir, "--display", "none")
		if _, err := os.Stat(filepath.Join(dir, "config.yaml")); err != nil {
			// It had not begun, and the same command begins again.
			must(t, "run", config, "--out", dir, "--display", "none")
		}
		if n := records(t, dir); 0 < n && n < total {
			midway++
		}
		kill(t, random, total, dir, "resume", dir, "--display", "none")
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
	t.Logf("%d of %d runs were killed while they asked", midway, moments)
	if midway < moments/5 {
		t.Errorf("only %d of %d runs were killed while they asked", midway, moments)
	}
}

// kill starts the command and kills it a random moment after a random number
// of records is on the disk, or after its end. With none the moment is any,
// before the first request too.
func kill(t *testing.T, random *rand.Rand, total int, dir string, args ...string) {
	t.Helper()
	cmd := process(t, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it was killed or has ended; its files are what counts
		close(ended)
	}()
	for stop := random.IntN(total); stop > 0 && records(t, dir) < stop; {
		select {
		case <-ended:
			return
		case <-time.After(500 * time.Microsecond):
		}
	}
	time.Sleep(time.Duration(random.IntN(int(5 * time.Millisecond))))
	if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	<-ended
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

// TestInterrupt sends an interrupt to a run that is far from its end: it stops
// cleanly, says how to go on, and what it finished is on the disk.
func TestInterrupt(t *testing.T) {
	var lines strings.Builder
	writeConversations(&lines)
	data := write(t, "turns.jsonl", lines.String())
	config := write(t, "long.yaml", fmt.Sprintf(`
datasets: [{use: jsonl, options: {files: [%q]}}]
methods: [{use: flat-rag}, {use: in-context}, {use: stateless}]
metrics: [f1@mem0]
`, data))
	dir := filepath.Join(t.TempDir(), "run")
	cmd := process(t, "run", config, "--out", dir, "--display", "none")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); records(t, dir) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no record after a minute\n%s", &stderr)
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("exit code %d (%v), want %d", code, err, exitInterrupted)
	}
	if !strings.Contains(stderr.String(), "go on with: bench resume "+dir) {
		t.Errorf("stderr does not say how to go on:\n%s", &stderr)
	}
	_, header, err := record.Open(dir)
	if err != nil || header.Status != record.Interrupted {
		t.Errorf("status %q, %v; want interrupted", header.Status, err)
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
)

// asAdapter makes the test binary an adapter; its value says what goes wrong with
// it.
const asAdapter = "BENCH_TEST_AS_ADAPTER"

// asMain makes the test binary behave as the command itself.
const asMain = "BENCH_TEST_AS_MAIN"

func TestMain(m *testing.M) {
	for name, be := range map[string]func(string){asListener: listenerMain, asAdapter: adapterMain} {
		if how := os.Getenv(name); how != "" {
			be(how)
			return
		}
	}
	if os.Getenv(asMain) == "1" {
		main()
		return
	}
	debug.SetGCPercent(400) // nearly each test makes and drops a whole run
	os.Exit(m.Run())
}

// A ran is how a command ended.
type ran struct {
	stdout, stderr string
	code           int
}

// run runs the command within the test.
func run(t *testing.T, args ...string) ran {
	t.Helper()
	return runWith(t, "", args...)
}

// runWith is run with something on stdin.
func runWith(t *testing.T, stdin string, args ...string) ran {
	t.Helper()
	var stdout, stderr bytes.Buffer
	err := bench(t.Context(), args, strings.NewReader(stdin), &stdout, &stderr)
	return ran{stdout.String(), stderr.String(), exitCode(err)}
}

// must runs the command and fails the test where it does not end with 0.
func must(t *testing.T, args ...string) ran {
	t.Helper()
	r := run(t, args...)
	if r.code != 0 {
		t.Fatalf("bench %s: exit %d\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r
}

// runOf runs a config into a new folder, and returns the folder.
func runOf(t *testing.T, config string, more ...string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	must(t, append([]string{"run", config, "--out", dir, "--display", "none"}, more...)...)
	return dir
}

// has checks that a text contains all of some parts.
func has(t *testing.T, what, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%s: no %q in\n%s", what, want, text)
		}
	}
}

// ends checks that a command ends with an exit code, and says why.
func ends(t *testing.T, code int, want string, args ...string) {
	t.Helper()
	if r := run(t, args...); r.code != code || !strings.Contains(r.stderr, want) {
		t.Errorf("bench %s: exit %d, want %d and %q\n%s", strings.Join(args, " "), r.code, code, want, r.stderr)
	}
}

// refused checks that a command ends as wrong usage does.
func refused(t *testing.T, want string, args ...string) {
	t.Helper()
	ends(t, exitUsage, want, args...)
}

// process returns the command as a process of its own.
func process(tb testing.TB, args ...string) *exec.Cmd {
	tb.Helper()
	self := try.Get(os.Executable())(tb)
	cmd := exec.CommandContext(tb.Context(), self, args...)
	cmd.Env = append(os.Environ(), asMain+"=1")
	return cmd
}

// write makes a file in a temporary folder and returns its path.
func write(tb testing.TB, name, content string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	try.Do(tb, os.WriteFile(path, []byte(content), 0o644))
	return path
}

// header returns the header of a run.
func header(tb testing.TB, dir string) record.Header {
	tb.Helper()
	_, h, err := record.Open(dir)
	try.Do(tb, err)
	return h
}

// decode reads JSON.
func decode[V any, T ~string | ~[]byte](tb testing.TB, text T) (v V) {
	tb.Helper()
	try.Do(tb, json.Unmarshal([]byte(text), &v))
	return v
}

// times matches the field of a record that may differ between two runs of the
// same work.
var times = regexp.MustCompile(`"time":\{(?:[^{}]|\{[^{}]*\})*\}`)

// recorded returns the files of a run's cells and its scores by name, without
// times.
func recorded(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := try.Get(filepath.Glob(filepath.Join(dir, "cells", "*", "*")))(t)
	all := make(map[string]string)
	for _, path := range append(files, filepath.Join(dir, "scores.jsonl")) {
		all[try.Get(filepath.Rel(dir, path))(t)] = times.ReplaceAllString(read(t, path), "")
	}
	return all
}

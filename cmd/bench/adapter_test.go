package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"recallbench/adapters"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

// What is needed to run a new adapter.
var programs = map[string]string{"python": "python3", "node": "node"}

// TestAdapterNew writes an adapter in each language, follows what the command says,
// and expects that it passes all checks and is measured.
func TestAdapterNew(t *testing.T) {
	longtest.Skip(t)
	longtest.SkipRace(t)
	if runtime.GOOS == "windows" {
		t.Skip("the lines that install an adapter are for a POSIX shell")
	}
	for _, language := range adapters.Languages() {
		t.Run(language, func(t *testing.T) {
			if _, err := exec.LookPath(programs[language]); err != nil {
				t.Skip(err)
			}
			dir := filepath.Join(t.TempDir(), "mine")
			said := must(t, "adapter", "new", "--lang", language, dir).stdout
			for line := range strings.Lines(said) {
				if line = strings.TrimSpace(line); strings.HasPrefix(line, "(cd ") {
					if out, err := exec.CommandContext(t.Context(), "sh", "-c", line).CombinedOutput(); err != nil {
						t.Fatalf("%s: %v\n%s", line, err, out)
					}
				}
			}
			checked := must(t, "adapter", "check", dir).stdout
			if !strings.Contains(checked, ": mutates false, sources exact; ") ||
				!strings.HasSuffix(checked, "external-memory/1: PASS (9 ok, 0 warn, 0 failed, 1 skipped)\n") {
				t.Errorf("the checks of a new adapter:\n%s", checked)
			}
			out := filepath.Join(t.TempDir(), "run")
			must(t, "run", filepath.Join(dir, "run.yaml"), "--out", out, "--display", "none")
			if table := must(t, "table", out, "--format", "csv").stdout; !strings.Contains(table, "\nsample,mine,55,0,") || !strings.Contains(table, "adapter mine 1.0, clock: session") {
				t.Errorf("the table:\n%s", table)
			}
			refused(t, "exists already", "adapter", "new", "--lang", language, dir)
		})
	}
}

// TestAdapterThirty checks that the protocol alone makes an adapter of 30 lines.
func TestAdapterThirty(t *testing.T) {
	longtest.Skip(t)
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	file := filepath.Join("..", "..", "adapters", "testdata", "thirty.py")
	text, err := os.ReadFile(file)
	if n := strings.Count(string(text), "\n"); err != nil || n > 30 {
		t.Errorf("%s has %d lines, %v; want at most 30", file, n, err)
	}
	if checked := must(t, "adapter", "check", "--", "python3", file).stdout; !strings.HasSuffix(checked, "external-memory/1: PASS (9 ok, 0 warn, 0 failed, 1 skipped)\n") {
		t.Errorf("the checks:\n%s", checked)
	}
}

// TestAdapterService checks and runs the service of docs/adapters.md.
func TestAdapterService(t *testing.T) {
	longtest.Skip(t)
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	_, code, _ := strings.Cut(read(t, "../../docs/adapters.md"), "```python\n")
	code, _, _ = strings.Cut(code, "```")
	if n := strings.Count(code, "\n"); n > 21 {
		t.Errorf("the service has %d lines", n)
	}
	free := try.Get(new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	_, port, _ := net.SplitHostPort(free.Addr().String())
	try.Do(t, free.Close())
	service := exec.CommandContext(t.Context(), "python3", "-c", strings.Replace(code, "8700", port, 1))
	try.Do(t, service.Start())
	t.Cleanup(func() { _, _ = service.Process.Kill(), service.Wait() })
	config := write(t, "run.yaml", "datasets: [{use: sample}]\nmethods: [{use: external, label: words, options: {url: \"http://127.0.0.1:"+port+"/rpc\"}}]\n")
	if checked := must(t, "adapter", "check", config).stdout; !strings.Contains(checked, "0 failed") {
		t.Errorf("the checks:\n%s", checked)
	}
	out := filepath.Join(t.TempDir(), "run")
	must(t, "run", config, "--out", out, "--display", "none")
	if table := must(t, "table", out, "--format", "csv").stdout; !strings.Contains(table, "\nsample,words,55,0,") || !strings.Contains(table, "adapter words 1, clock: session; model calls not metered: a service that bench did not start") {
		t.Errorf("the table:\n%s", table)
	}
}

// TestAdapterEstimate checks that what an adapter asks of models is unknown before it
// has run, to the estimate and to the doctor.
func TestAdapterEstimate(t *testing.T) {
	longtest.SkipRace(t)
	exe := try.Get(os.Executable())(t)
	s := modelserver.New(t, modelserver.Options{})
	config := write(t, "run.yaml", fmt.Sprintf(`
datasets: [{use: sample}]
methods: [{use: external, label: asks, options: {command: [%q], set: {%s: %q, %s: "1"}}}]
models: [{use: live, label: m, options: {chat: {base_url: %s, model: m, price: {input: 1, output: 2}}, tokenizer: o200k_base}}]
calls: {mode: "off"}
`, exe, asListener, t.TempDir(), asking, s.URL))
	t.Chdir(t.TempDir())
	for args, want := range map[string]string{
		"run " + config + " --plan":        "unknown: the model calls of an adapter",
		"doctor " + config + " --no-calls": "method asks: adapter blank 1, clock: session, answers initialize",
	} {
		if out := must(t, strings.Fields(args)...).stdout; !strings.Contains(out, want) {
			t.Errorf("bench %s lacks %q:\n%s", args, want, out)
		}
	}
	if calls := s.Stats().Arrived; calls > 0 {
		t.Errorf("%d calls were made", calls)
	}
}

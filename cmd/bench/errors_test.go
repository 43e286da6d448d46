package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
)

// TestErrors runs a config whose requests all fail: the run says why at its end,
// prints no published table, and the verb lists what failed.
func TestErrors(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	config := write(t, "small.yaml", smallConfig)
	r := run(t, "run", config, "--out", dir, "--display", "none", "--limit", "3",
		"--set", "limits.request.tokens=1", "--set", "published=[xmemory-table1]")
	if r.code != exitErrors || strings.Contains(r.stdout, "Nemori") || !strings.Contains(r.stdout, "stateless") {
		t.Errorf("exit %d, want %d, measured rows and no published ones\n%s", r.code, exitErrors, r.stdout)
	}
	golden.Check(t, "errors_run.txt", strings.ReplaceAll(r.stderr, dir, "DIR"))

	all := must(t, "errors", dir)
	golden.Check(t, "errors.txt", strings.ReplaceAll(all.stdout, dir, "DIR"))
	some := must(t, "errors", dir, "--method", "Naive RAG", "--kind", "limit", "--limit", "1")
	golden.Check(t, "errors_some.txt", strings.ReplaceAll(some.stdout, dir, "DIR"))

	n := 0
	for line := range strings.Lines(must(t, "errors", dir, "--method", "stateless", "--json").stdout) {
		var f record.FailedRequest
		if err := json.Unmarshal([]byte(line), &f); err != nil || f.Method != "stateless" || f.Kind != "limit" || f.Message == "" || f.Sample == "" || f.Request == "" {
			t.Errorf("%v in %s", err, line)
		}
		n++
	}
	if n != 3 {
		t.Errorf("%d lines, want 3", n)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--kind", "limits"}, `--kind: no request failed there: unknown kind "limits"; did you mean "limit"?`},
		{[]string{"--sample", "none", "--model", "gpt"}, `--model: no request failed there: unknown model "gpt"; have stand-in`},
		{[]string{"--limit", "-1"}, "--limit is -1, want at least 0"},
	} {
		if r := run(t, append([]string{"errors", dir}, tt.args...)...); r.code != exitUsage || !strings.Contains(r.stderr, tt.want) || r.stdout != "" {
			t.Errorf("%q: exit %d, want %q\n%s", tt.args, r.code, tt.want, r.stderr)
		}
	}
	if r := run(t, "errors", t.TempDir()); r.code != exitUsage {
		t.Errorf("no run: exit %d", r.code)
	}
	// Without failures a filter finds nothing, which is no fault.
	if r := must(t, "errors", smallRun(t), "--kind", "timeout"); r.stdout != "0 of 16 requests failed\n" {
		t.Error(r.stdout)
	}
}

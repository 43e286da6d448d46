package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/config"
)

const quickstart = "../../configs/quickstart.yaml"

func TestValidate(t *testing.T) {
	got := must(t, "doctor", "--faults", quickstart)
	want := quickstart + ": ok: quickstart: datasets sample; methods stateless, in-context, Flat RAG, Semantic Anchoring, xMemory; models qwen2.5-coder-1.5b-instruct; 5 metrics\n"
	if got.stdout != want || got.stderr != "" {
		t.Errorf("got %q and %q, want %q", got.stdout, got.stderr, want)
	}
	// What is wrong with one config does not hide the next.
	bad := write(t, "bad.yaml", "datasets: [{use: smaple}]\nmethods: [{use: stateless}]\nsed: 1\n")
	got = run(t, "doctor", "--faults", bad, quickstart, filepath.Join(t.TempDir(), "absent.yaml"))
	if got.code != exitUsage || !strings.Contains(got.stdout, "quickstart.yaml: ok") {
		t.Errorf("exit %d, stdout %q", got.code, got.stdout)
	}
	for _, want := range []string{
		"bench: " + bad + `:1:18: datasets[0].use: unknown dataset "smaple"; did you mean "sample"?`,
		"bench: " + bad + `:3:1: unknown key "sed"; did you mean "seed"?`,
		"absent.yaml",
	} {
		if !strings.Contains(got.stderr, want) {
			t.Errorf("stderr lacks %q:\n%s", want, got.stderr)
		}
	}
}

// What --print writes is a config that says the same.
func TestValidatePrint(t *testing.T) {
	first := must(t, "doctor", "--print", quickstart, "--set", "methods.Flat RAG.options.k=7")
	if !strings.Contains(first.stdout, "k: 7\n") || !strings.Contains(first.stdout, "ranking: dense\n") {
		t.Errorf("not in full:\n%s", first.stdout)
	}
	second := must(t, "doctor", "--print", write(t, "full.yaml", first.stdout))
	if diff := cmp.Diff(first.stdout, second.stdout); diff != "" {
		t.Errorf("(-first +second):\n%s", diff)
	}
}

func TestValidateSchema(t *testing.T) {
	if got := must(t, "doctor", "--schema"); !bytes.Equal([]byte(got.stdout), config.Schema()) {
		t.Errorf("--schema printed %.100q", got.stdout)
	}
}

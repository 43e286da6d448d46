package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/result/record"
)

// TestStopWhen ends a run once a method with a memory is shown to be better than one
// without, asks nothing after that, and says so in tables.
func TestStopWhen(t *testing.T) {
	dir := t.TempDir()
	var data strings.Builder
	for i := range 16 {
		for j := range 2 {
			fmt.Fprintf(&data, `{"type":"turn","sample":"s%[1]d","session":"1","id":"t%[2]d","speaker":"Ana","text":"My lucky number %[2]d is %[3]d."}`+"\n", i, j, 100+7*i+j)
			fmt.Fprintf(&data, `{"type":"question","sample":"s%[1]d","id":"q%[2]d","question":"What is lucky number %[2]d of Ana?","answer":"My lucky number %[2]d is %[3]d."}`+"\n", i, j, 100+7*i+j)
		}
	}
	config := filepath.Join(dir, "run.yaml")
	for path, text := range map[string]string{
		filepath.Join(dir, "data.jsonl"): data.String(),
		config: `
datasets: [{use: jsonl, options: {files: [data.jsonl]}}]
methods: [{use: stateless}, {use: flat-rag, label: "RAG, k=5"}]
metrics: [f1@mem0]
`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const rule = "f1@mem0 RAG, k=5 vs stateless, delta 10"
	stopped := func(name string) (string, *record.Stopping) {
		out := filepath.Join(dir, name)
		table := must(t, "run", config, "--out", out, "--display", "none", "--stop-when", rule).stdout
		if !strings.Contains(table, "was stopped early after") {
			t.Errorf("the table does not say that the run was stopped:\n%s", table)
		}
		_, h, err := record.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		if h.Status != record.Interrupted || !strings.HasPrefix(h.Stopped, "stopped early: RAG, k=5 and stateless differ in f1@mem0 after") || h.Stopping == nil {
			t.Fatalf("status %s, stopped %q, %+v", h.Status, h.Stopped, h.Stopping)
		}
		return out, h.Stopping
	}
	first, s := stopped("first")
	n := len(s.Looks)
	if n < 6 || n > 15 || !s.Shown || s.Looks[n-1].E < 20 || s.Looks[n-2].E >= 20 || s.Interval == nil || s.Interval.Lo <= 0 {
		t.Fatalf("stopped by %+v", s)
	}
	asked := make(map[string]int)
	for _, r := range recordsOf(t, first) {
		asked[r.Sample]++
	}
	for _, l := range s.Looks {
		if asked[l.Sample] != 4 {
			t.Errorf("sample %s has %d records, want 4", l.Sample, asked[l.Sample])
		}
	}
	if len(asked) != n {
		t.Errorf("%d samples were asked, and %d looked at", len(asked), n)
	}
	if _, again := stopped("again"); !slices.Equal(s.Looks, again.Looks) {
		t.Errorf("the second time it looked at %v, the first at %v", again.Looks, s.Looks)
	}
	must(t, "resume", first, "--display", "none")
	if got := len(recordsOf(t, first)); got != 64 {
		t.Errorf("the resumed run has %d records, want 64", got)
	}
	if r := run(t, "run", config, "--out", filepath.Join(dir, "faulty"), "--shard", "1/2", "--stop-when", rule); r.code != exitUsage || !strings.Contains(r.stderr, "a shard does not see all samples") {
		t.Errorf("a shard: exit %d, %s", r.code, r.stderr)
	}
	for rule, want := range map[string]string{
		"f1@mem0 RAG vs stateless":                    "want \"COLUMN NEW vs BASE, delta POINTS\"",
		"f1@mem1 RAG, k=5 vs stateless, delta 2":      `unknown column "f1@mem1"`,
		"f1@mem0 rag vs stateless, delta 2":           `unknown method "rag"`,
		"f1@mem0 stateless vs stateless, delta 2":     "held against itself",
		"tokens-query RAG, k=5 vs stateless, delta 2": "does not score answers",
	} {
		r := run(t, "run", config, "--out", filepath.Join(dir, "faulty"), "--display", "none", "--stop-when", rule)
		if r.code != exitUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: exit %d, %s", rule, r.code, r.stderr)
		}
	}
}

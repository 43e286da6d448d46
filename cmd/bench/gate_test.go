package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/publish/gate"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// Each verdict ends the command with its exit code.
func TestGate(t *testing.T) {
	first, baselines := blessed(t)
	t.Setenv("BENCH_BASELINES", baselines)
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	strict := write(t, "strict.yaml", "fail_on: [regression, soft, insufficient data]\nrules: [{columns: [f1@span, evidence-recall], margin: 0}, {columns: [tokens-query], ratio: 1.05}]\n")
	loose := write(t, "loose.yaml", "rules: [{columns: [f1@span], margin: 50}]\n")
	floor := write(t, "floor.yaml", "rules: [{columns: [f1@span], methods: [Naive RAG], min: 20}, {columns: [f1@span], categories: [temporal], methods: ['*RAG'], min: 5}]\n")
	alike := write(t, "alike.yaml", "allow: []\nrules: [{columns: [f1@span, evidence-recall], margin: 0}]\n")
	of := func(s *record.Score, every int) bool {
		return *s.Values["f1@span"] > 0 && len(s.Request) > 1 && int(s.Request[len(s.Request)-1]-'0')%every == 0
	}
	worse := rescored(t, first, nil, func(s *record.Score) {
		if of(s, 2) {
			s.Values["f1@span"] = new(0.0)
		}
	})
	little := rescored(t, first, nil, func(s *record.Score) {
		if s.Request == "q11" {
			s.Values["f1@span"] = new(*s.Values["f1@span"] * 0.9)
		}
	})
	better := rescored(t, first, nil, func(s *record.Score) {
		if *s.Values["f1@span"] > 0 {
			s.Values["f1@span"] = new(1.0)
		}
	})
	other := rescored(t, first, func(h *record.Header) { h.Models[0].Reader = "other-model" }, nil)
	unfinished := rescored(t, first, func(h *record.Header) { h.Status, h.Cells[0].Planned = record.Interrupted, 60 }, nil)
	for _, c := range []struct {
		name, run, rules string
		code             int
		said             string // how often each verdict was reached, but for stable
	}{
		{"same", first, "", exitOK, ""},
		{"regression", worse, "", exitGate, "regression:1 soft:1"},
		{"soft", little, "", exitOK, "soft:1"},
		{"soft_fails", little, strict, exitGate, "soft:1"},
		{"within_the_margin", worse, loose, exitOK, "soft:1"},
		{"improvement", better, strict, exitOK, "improvement:1"},
		{"unlike", other, alike, exitGate, "insufficient data:4"},
		{"unlike_allowed", other, "", exitOK, ""},
		{"unfinished", unfinished, "", exitGate, "insufficient data:4"},
		{"floor", worse, floor, exitGate, "regression:2"},
		{"floor_holds", first, floor, exitOK, ""},
		{"one_conversation", little, "", exitGate, "insufficient data:1"},
	} {
		args := []string{"gate", c.run}
		if !strings.HasPrefix(c.name, "floor") {
			args = append(args, "--baseline", "main")
		}
		if c.rules != "" {
			args = append(args, "--rules", c.rules)
		}
		if c.name != "one_conversation" {
			args = append(args, "--unit", "request")
		}
		r := run(t, append(args, "--format", "json")...)
		result := decode[gate.Result](t, []byte(r.stdout))
		delete(result.Counts, gate.Stable)
		if said := fmt.Sprint(result.Counts); r.code != c.code || r.stderr != "" || said != "map["+c.said+"]" || result.Failed != (c.code != exitOK) {
			t.Errorf("%s: exit %d, %s, want %d, %s; %s", c.name, r.code, said, c.code, c.said, r.stderr)
		}
		if c.name == "regression" {
			golden.Check(t, "gate.txt", strings.ReplaceAll(run(t, args...).stdout, runID(t, first), "RUNID"))
		}
	}

	// A gate writes several files at once, and a step summary behind what is there.
	dir := t.TempDir()
	summary := filepath.Join(dir, "summary")
	try.Do(t, os.WriteFile(summary, []byte("before\n"), 0o644))
	t.Setenv("GITHUB_STEP_SUMMARY", summary)
	args := []string{"gate", worse, "--baseline", filepath.Join(baselines, "main"), "--unit", "request", "--format", "json"}
	for _, name := range []string{"a.xml", "a.md", "a.txt", "a.json"} {
		args = append(args, "--out", filepath.Join(dir, name))
	}
	r := run(t, args...)
	for file, want := range map[string]string{
		"summary": "before\n### gate FAILED: 1 regression", "a.xml": "<?xml", "a.md": "### gate FAILED", "a.txt": "gate FAILED", "a.json": r.stdout,
	} {
		if got := read(t, filepath.Join(dir, file)); !strings.HasPrefix(got, want) {
			t.Errorf("%s is\n%s", file, got)
		}
	}
	if r.code != exitGate || r.stderr != "" {
		t.Errorf("exit %d, stderr %s", r.code, r.stderr)
	}
}

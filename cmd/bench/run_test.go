package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/testkit/try"
)

const smallConfig = `
name: small
seed: 1
datasets: [{use: sample}]
methods: [{use: stateless}, {use: flat-rag, label: Naive RAG, options: {k: 5}}]
metrics: [f1@mem0, evidence-recall, tokens]
`

func TestRunTwice(t *testing.T) {
	config := write(t, "small.yaml", smallConfig)
	dir := t.TempDir()
	var tables []string
	for _, name := range []string{"a", "b"} {
		out := filepath.Join(dir, name)
		must(t, "run", config, "--out", out, "--display", "none", "--set", "concurrency.requests="+map[string]string{"a": "1", "b": "9"}[name])
		tables = append(tables, must(t, "table", out, "--format", "csv").stdout)
	}
	if diff := cmp.Diff(recorded(t, filepath.Join(dir, "a")), recorded(t, filepath.Join(dir, "b"))); diff != "" {
		t.Errorf("two runs differ (-a +b):\n%s", diff)
	}
	if diff := cmp.Diff(tables[0], tables[1]); diff != "" {
		t.Errorf("tables of two runs differ (-a +b):\n%s", diff)
	}
}

func TestRunJSON(t *testing.T) {
	config := write(t, "small.yaml", smallConfig)
	r := must(t, "run", config, "--out", filepath.Join(t.TempDir(), "run"), "--json", "--display", "plain", "--limit", "3")
	var events []string
	for line := range strings.Lines(r.stdout) {
		var event struct {
			Event    string
			Requests int
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		events = append(events, event.Event)
		if event.Event == "done" && event.Requests != 6 {
			t.Errorf("done after %d requests, want 3 by each of 2 methods", event.Requests)
		}
	}
	if got := strings.Join(events, " "); !strings.HasPrefix(got, "start table ") || !strings.HasSuffix(got, " done") {
		t.Errorf("events: %s", got)
	}
	if !strings.Contains(r.stderr, "6/6 questions") {
		t.Errorf("no progress on stderr:\n%s", r.stderr)
	}
}

// TestConfigRepeats checks that the config in a run folder repeats the run.
func TestConfigRepeats(t *testing.T) {
	config := write(t, "small.yaml", smallConfig)
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	must(t, "run", config, "--out", first, "--display", "none", "--set", "methods[1].options.k=2", "--limit", "4")
	must(t, "run", filepath.Join(first, "config.yaml"), "--out", second, "--display", "none")
	if diff := cmp.Diff(recorded(t, first), recorded(t, second)); diff != "" {
		t.Errorf("the run's own config gives another run (-first +second):\n%s", diff)
	}
}

func TestResumeComplete(t *testing.T) {
	config := write(t, "small.yaml", smallConfig)
	dir := filepath.Join(t.TempDir(), "run")
	first := must(t, "run", config, "--out", dir, "--display", "none")
	want := recorded(t, dir)
	again := must(t, "resume", dir, "--display", "none")
	if diff := cmp.Diff(first.stdout, again.stdout); diff != "" {
		t.Errorf("resuming a complete run prints (-run +resume):\n%s", diff)
	}
	if diff := cmp.Diff(want, recorded(t, dir)); diff != "" {
		t.Errorf("resuming a complete run changes it (-before +after):\n%s", diff)
	}
}

// TestResumeUnbegun resumes a folder as a process leaves it that was killed
// between writing the config and the header.
func TestResumeUnbegun(t *testing.T) {
	config := write(t, "small.yaml", smallConfig)
	whole := filepath.Join(t.TempDir(), "whole")
	must(t, "run", config, "--out", whole, "--display", "none")
	data := try.Get(os.ReadFile(filepath.Join(whole, "config.yaml")))(t)
	dir := t.TempDir()
	try.Do(t, os.WriteFile(filepath.Join(dir, "config.yaml"), data, 0o644))
	must(t, "resume", dir, "--display", "none")
	if diff := cmp.Diff(recorded(t, whole), recorded(t, dir)); diff != "" {
		t.Errorf("the resumed run differs (-whole +resumed):\n%s", diff)
	}
}

func TestScorePredictions(t *testing.T) {
	r := runWith(t, `{"id":"a","category":4,"prediction":"the beach","gold":"beach"}`+"\n",
		"score", "--predictions", "-", "--metrics", "f1@mem0,f1@locomo,bleu1@nltk,rouge-l@rouge_score")
	var got map[string]any
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil || r.code != 0 {
		t.Fatalf("exit %d, %v\n%s%s", r.code, err, r.stdout, r.stderr)
	}
	want := map[string]any{
		"id": "a", "category": 4.0, "f1@mem0": 2.0 / 3, "f1@locomo": 1.0, "bleu1@nltk": 0.5, "rouge-l@rouge_score": 2.0 / 3,
	}
	try.Equal(t, "scores", want, got)
}

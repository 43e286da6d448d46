package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"recallbench/internal/testkit/try"
)

func TestInit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	must(t, "init", file)
	r := must(t, "run", file, "--out", filepath.Join(t.TempDir(), "run"), "--display", "none", "--limit", "2")
	for _, want := range []string{"grep", "flat-rag", "in-context", "6 answers, no errors."} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("the run of what init wrote has no %q:\n%s", want, r.stdout)
		}
	}
	if r := run(t, "init", file); r.code != exitUsage || !strings.Contains(r.stderr, "exists") {
		t.Errorf("a second init: exit %d, want %d\n%s", r.code, exitUsage, r.stderr)
	}
	for _, model := range starterNames {
		other := filepath.Join(t.TempDir(), model+".yaml")
		must(t, "init", other, "--model", model)
		must(t, "doctor", "--faults", other)
	}

	// Data and a model of the user's own are named from the run file's folder.
	data := write(t, "chat.jsonl", `{"type": "turn", "sample": "s", "session": "1", "id": "a1", "speaker": "Ann", "text": "My router died on Sunday."}
{"type": "question", "sample": "s", "question": "When did Ann's router die?", "answer": "Sunday", "evidence": ["a1"]}
`)
	own := filepath.Join(filepath.Dir(data), "own.yaml")
	t.Chdir(filepath.Dir(data))
	must(t, "init", own, "--data", "./chat.jsonl", "--methods", "grep")
	must(t, "run", own, "--out", filepath.Join(t.TempDir(), "run"), "--display", "none")

	bad := run(t, "init", filepath.Join(t.TempDir(), "bad.yaml"), "--data", "smple", "--methods", "grep,flatrag", "--model", "gpt")
	for _, want := range []string{`--data: unknown value "smple"; did you mean "sample"?`, `--methods: unknown value "flatrag"; did you mean "flat-rag"?`, `--model: unknown value "gpt"; have stand-in, openai, ollama`} {
		if bad.code != exitUsage || !strings.Contains(bad.stderr, want) {
			t.Errorf("exit %d, want %d and %q in\n%s", bad.code, exitUsage, want, bad.stderr)
		}
	}
}

// An empty line takes the default, and an input that ends writes nothing.
func TestInitAsks(t *testing.T) {
	var answers initAnswers
	flags := pflag.NewFlagSet("init", pflag.ContinueOnError)
	flags.StringVar(&answers.data, "data", "sample", "")
	flags.StringVar(&answers.methods, "methods", "grep", "")
	flags.StringVar(&answers.model, "model", "stand-in", "")
	var out bytes.Buffer
	try.Do(t, answers.ask(flags, strings.NewReader("\ngrep, xmemory\nopenai\n"), &out))
	text := try.Get(answers.runFile(t.TempDir()))(t)
	for _, want := range []string{"datasets: [{use: sample}]", "{use: grep}\n  - {use: xmemory}", "gpt-4.1-mini"} {
		if !strings.Contains(text, want) {
			t.Errorf("the run file has no %q:\n%s", want, text)
		}
	}
	if err := answers.ask(flags, strings.NewReader("\n"), &out); err == nil || !strings.Contains(err.Error(), "nothing is written") {
		t.Errorf("an input that ends: %v", err)
	}
}

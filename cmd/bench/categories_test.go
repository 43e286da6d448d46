package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestCategoryNames refuses to score names of categories that mean other things to
// LoCoMo than to mem0 by a metric with rules for their numbers, wherever they come
// from.
func TestCategoryNames(t *testing.T) {
	const question = `{"type": "turn", "sample": "s", "session": "1", "id": "a", "speaker": "Ann", "text": "I like Rome and Oslo."}
{"type": "question", "sample": "s", "question": "What cities does Ann like?", "answer": "Rome, Oslo", "category": "multi-hop"}
`
	chat := write(t, "chat.jsonl", question)
	config := func(categories, metrics string) string {
		return write(t, "run.yaml", "datasets: [{use: jsonl, label: support, options: {files: ["+chat+"]"+categories+"}}]\nmethods: [{use: in-context}]\nmetrics: ["+metrics+"]\n")
	}
	const fault = `dataset support: f1@locomo needs category numbers, but these are names: "multi-hop" (1 to locomo, 3 to mem0)`
	out := filepath.Join(t.TempDir(), "run")
	if r := run(t, "run", config("", "f1@locomo"), "--out", out, "--display", "none"); r.code != exitUsage || !strings.Contains(r.stderr, fault) {
		t.Errorf("run: exit %d, %s", r.code, r.stderr)
	}
	must(t, "run", config("", "f1@mem0"), "--out", out, "--display", "none")
	if r := run(t, "score", out, "--metrics", "f1@locomo"); r.code != exitUsage || !strings.Contains(r.stderr, fault) {
		t.Errorf("score: exit %d, %s", r.code, r.stderr)
	}
	if text := must(t, "run", config(", categories: mem0", "f1@locomo"), "--out", out+"2", "--display", "none").stdout; !strings.Contains(text, "f1@locomo") {
		t.Errorf("with a map the run prints\n%s", text)
	}

	predictions := write(t, "p.jsonl", `{"id": 1, "category": "multi-hop", "prediction": "Oslo", "gold": "Rome, Oslo"}`+"\n")
	if r := run(t, "score", "--predictions", predictions, "--metrics", "f1@locomo"); r.code != exitUsage || !strings.Contains(r.stderr, "is a name, 1 to locomo, 3 to mem0") || r.stdout != "" {
		t.Errorf("predictions: exit %d, %s%s", r.code, r.stdout, r.stderr)
	}
	for categories, want := range map[string]string{"locomo": "0.5", "mem0": "0.6666666666666666"} {
		if got := must(t, "score", "--predictions", predictions, "--metrics", "f1@locomo", "--categories", categories).stdout; !strings.Contains(got, `"f1@locomo":`+want) {
			t.Errorf("with %s: %s, want %s", categories, got, want)
		}
	}
	if r := run(t, "score", out, "--categories", "mem0"); r.code != exitUsage || !strings.Contains(r.stderr, "--categories is for --predictions") {
		t.Errorf("score of a run: exit %d, %s", r.code, r.stderr)
	}
	if r := run(t, "score", "--predictions", predictions, "--metrics", "f1@mem0", "--categories", "memo"); r.code != exitUsage || !strings.Contains(r.stderr, `--categories: unknown map of categories "memo"; did you mean "mem0"?`) {
		t.Errorf("unknown map: exit %d, %s", r.code, r.stderr)
	}
}

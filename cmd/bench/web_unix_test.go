//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// BenchmarkReport writes the page of a run of 20,000 requests, four methods on
// 5,000 questions with 10 to 20 blocks of evidence each, as a process of its own.
func BenchmarkReport(b *testing.B) {
	dir := b.TempDir()
	config, run, page := filepath.Join(dir, "run.yaml"), filepath.Join(dir, "run"), filepath.Join(dir, "report.html")
	create(b, filepath.Join(dir, "turns.jsonl"), writeTalks)
	create(b, config, func(w *strings.Builder) {
		fmt.Fprint(w, `
datasets: [{use: jsonl, options: {files: [turns.jsonl]}}]
methods:
  - {use: flat-rag, label: k10, options: {k: 10, chunk: {size: 40}}}
  - {use: flat-rag, label: k13, options: {k: 13, chunk: {size: 40}}}
  - {use: flat-rag, label: k16, options: {k: 16, chunk: {size: 50}}}
  - {use: flat-rag, label: k20, options: {k: 20, chunk: {size: 30}}}
metrics: [f1@mem0, f1@locomo, bleu1@nltk, rouge-l@rouge_score, exact-match, evidence-recall, tokens]
`)
	})
	if out, err := process(b, "run", config, "--display", "none", "--out", run).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	var peak int64
	var used float64
	for b.Loop() {
		cmd := process(b, "report", run, "--out", page)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		if !ok {
			b.Fatal("the system does not tell what a process used")
		}
		peak = max(peak, int64(usage.Maxrss)) //nolint:unconvert // its type differs between systems
		used += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	}
	info, err := os.Stat(page)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(peak)/1024, "peak-MB") // Maxrss is in KB on Linux
	b.ReportMetric(used/float64(b.N), "cpu-s/op")
	b.ReportMetric(float64(info.Size())/1e6, "page-MB")
}

// writeTalks writes 100 conversations of 200 turns with 50 questions each.
func writeTalks(w *strings.Builder) {
	r := rand.New(rand.NewPCG(1, 3))
	for s := range 100 {
		for t := range 200 {
			fmt.Fprintf(w, `{"type": "turn", "sample": "s%d", "session": %d, "time": "2024-0%d-04 09:30", "speaker": %q, "text": "%s."}`+"\n",
				s, t/50, 1+t/50, []string{"Ann", "Raj"}[t%2], sentence(r, 14))
		}
		for q := range 50 {
			fmt.Fprintf(w, `{"type": "question", "sample": "s%d", "category": %d, "question": "When did Ann talk about the %s?", "answer": "4 March 2024"}`+"\n",
				s, q%4, sentence(r, 2))
		}
	}
}

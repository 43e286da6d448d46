//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

// BenchmarkReport writes the page of a run of 20,000 requests, four methods on
// 5,000 questions with 10 to 20 blocks of evidence each, as a process of its own.
func BenchmarkReport(b *testing.B) {
	dir := b.TempDir()
	config, run, page := filepath.Join(dir, "run.yaml"), filepath.Join(dir, "run"), filepath.Join(dir, "report.html")
	create(b, filepath.Join(dir, "turns.jsonl"), func(w *strings.Builder) {
		writeTalks(w, rand.New(rand.NewPCG(1, 3)), 100, 200)
	})
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
	measure(b, func() []string { return []string{"report", run, "--out", page} })
	info := try.Get(os.Stat(page))(b)
	b.ReportMetric(float64(info.Size())/1e6, "page-MB")
}

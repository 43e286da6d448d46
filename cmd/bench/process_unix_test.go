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
	"time"

	"recallbench/internal/testkit/try"
)

// BenchmarkProcess runs the command as processes of their own and reports the
// peak of their resident memory. A new process begins with that of the test,
// so that small peaks do not show.
func BenchmarkProcess(b *testing.B) {
	dir := b.TempDir()
	answers, turns, config := filepath.Join(dir, "answers.jsonl"), filepath.Join(dir, "turns.jsonl"), filepath.Join(dir, "run.yaml")
	create(b, answers, writeAnswers)
	create(b, turns, writeConversations)
	create(b, config, func(w *strings.Builder) {
		fmt.Fprint(w, `
datasets: [{use: jsonl, options: {files: [turns.jsonl]}}]
methods: [{use: flat-rag, options: {k: 20}}]
metrics: [f1@mem0, f1@locomo, bleu1@nltk, rouge-l@rouge_score, evidence-recall, hit-density, coverage, tokens]
`)
	})
	runs := 0
	for _, bb := range []struct {
		name string
		args func() []string
	}{
		{"help", func() []string { return []string{"--help"} }},
		{"predictions=1500", func() []string {
			return []string{"score", "--predictions", answers, "--metrics", "f1@mem0,f1@locomo,bleu1@nltk,rouge-l@rouge_score"}
		}},
		{"requests=20000", func() []string {
			runs++
			return []string{"run", config, "--display", "none", "--out", filepath.Join(dir, fmt.Sprint("run", runs))}
		}},
	} {
		b.Run(bb.name, func(b *testing.B) { measure(b, bb.args) })
	}
}

// measure runs the command as processes and reports the peak of their memory and the
// processor time of one.
func measure(b *testing.B, args func() []string) {
	b.Helper()
	var peak int64
	var busy time.Duration
	for b.Loop() {
		cmd := process(b, args()...)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		if !ok {
			b.Fatal("the system does not tell what a process used")
		}
		peak = max(peak, int64(usage.Maxrss)) //nolint:unconvert // its type differs between systems
		busy += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	b.ReportMetric(float64(peak)/1024, "peak-MB") // Maxrss is in KB on Linux
	b.ReportMetric(busy.Seconds()/float64(b.N), "cpu-s/op")
}

func create(b *testing.B, path string, write func(*strings.Builder)) {
	b.Helper()
	var text strings.Builder
	write(&text)
	try.Do(b, os.WriteFile(path, []byte(text.String()), 0o644))
}

// words that generated texts are made of.
var words = strings.Fields("garden violin market river kitchen sister train library bread mountain guitar office doctor " +
	"summer winter ticket camera festival recipe puppy museum concert bicycle painting lesson holiday")

func sentence(r *rand.Rand, n int) string {
	var all []string
	for range n {
		all = append(all, words[r.IntN(len(words))])
	}
	return strings.Join(all, " ")
}

// writeAnswers writes 1,500 predictions of a few words.
func writeAnswers(w *strings.Builder) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 1500 {
		fmt.Fprintf(w, `{"id": %d, "category": %d, "prediction": "The %s, she said.", "gold": "the %s"}`+"\n",
			i, 1+i%4, sentence(r, 4), sentence(r, 5))
	}
}

// writeConversations writes 400 conversations of 60 turns with 50 questions each.
func writeConversations(w *strings.Builder) { writeTalks(w, rand.New(rand.NewPCG(1, 2)), 400, 60) }

// writeTalks writes conversations of some turns, in sessions, with 50 questions
// each.
func writeTalks(w *strings.Builder, r *rand.Rand, conversations, turns int) {
	for s := range conversations {
		for t := range turns {
			session := t / max(20, turns/4)
			fmt.Fprintf(w, `{"type": "turn", "sample": "s%d", "session": %d, "time": "2024-0%d-04 09:30", "speaker": %q, "text": "%s."}`+"\n",
				s, session, 1+session, []string{"Ann", "Raj"}[t%2], sentence(r, 14))
		}
		for q := range 50 {
			fmt.Fprintf(w, `{"type": "question", "sample": "s%d", "category": %d, "question": "When did Ann talk about the %s?", "answer": "4 March 2024"}`+"\n",
				s, q%4, sentence(r, 2))
		}
	}
}

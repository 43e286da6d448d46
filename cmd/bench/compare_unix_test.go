//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
)

// BenchmarkConclusions draws tables of runs of 20,000 requests, and compares two of
// them, as processes of their own: with four methods on 5,000 requests, or one on all,
// each with a sample of its own, which is the most that there can be to resample.
func BenchmarkConclusions(b *testing.B) {
	dir := b.TempDir()
	for _, methods := range []int{4, 1} {
		var runs []string
		for seed := range 2 {
			runs = append(runs, manyScores(b, filepath.Join(dir, fmt.Sprintf("run%d-%d", methods, seed)), methods, 20_000/methods, uint64(seed)))
		}
		for _, args := range [][]string{
			{"table", runs[0]},
			{"table", runs[0], "--ci"},
			{"compare", runs[0], runs[1]},
			{"compare", runs[0], runs[1], "--by=category"},
		} {
			name := args[0]
			if flag := args[len(args)-1]; strings.HasPrefix(flag, "--") {
				name += flag
			}
			b.Run(fmt.Sprintf("%s/methods=%d", name, methods), func(b *testing.B) {
				measure(b, func() []string { return args })
			})
		}
	}
}

// manyScores makes up a run folder with scores and nothing else.
func manyScores(b *testing.B, dir string, methods, requests int, seed uint64) string {
	b.Helper()
	h := record.Header{
		Schema: record.SchemaVersion, ID: filepath.Base(dir), Name: filepath.Base(dir), Status: record.Complete, Seed: 1,
		Datasets: []record.Dataset{{Label: "made", Name: "made", SHA256: "0", Samples: requests, Requests: requests}},
		Models:   []record.Model{{Label: "model", Reader: "model", Tokens: "o200k_base"}},
		Metrics:  []string{"f1@mem0", "f1@locomo", "bleu1@nltk", "rouge-l@rouge_score", "exact-match", "evidence-recall", "judge", "tokens"},
	}
	for m := range methods {
		label := "m" + strconv.Itoa(m)
		h.Cells = append(h.Cells, record.Cell{ID: label, Method: label, Use: label, Dataset: "made", Model: "model", Samples: requests, Planned: requests})
	}
	questions, answers := rand.New(rand.NewPCG(28, 0)), rand.New(rand.NewPCG(28, 1+seed))
	folder := record.Folder(dir)
	try.Do(b, os.Mkdir(dir, 0o755))
	if err := record.WriteFile(folder.Scores(), func(w io.Writer) error {
		enc := json.NewEncoder(w)
		for _, c := range h.Cells {
			for i := range requests {
				x := min(max(0.4+0.2*questions.NormFloat64()+0.2*answers.NormFloat64(), 0), 1)
				right, none := new(float64(int(x+0.5))), new(0.0)
				tokens := new(float64(answers.IntN(5000)))
				if err := enc.Encode(record.Score{
					Cell: c.ID, Sample: "s" + strconv.Itoa(i), Request: "q" + strconv.Itoa(i), Category: strconv.Itoa(1 + i%4), Status: record.OK,
					Values: map[string]*float64{
						"f1@mem0": &x, "f1@locomo": &x, "bleu1@nltk": &x, "rouge-l@rouge_score": &x, "exact-match": right, "evidence-recall": &x,
						"judge": right, "tokens-query": tokens, "tokens-input": tokens, "tokens-output": none, "tokens-ingest": none, "tokens-judge": none,
					},
				}); err != nil {
					return err
				}
			}
		}
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	try.Do(b, record.WriteFile(filepath.Join(dir, "run.json"), func(w io.Writer) error { return jsonout.Indented(w, h) }))
	return dir
}

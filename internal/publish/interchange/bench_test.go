package interchange_test

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"recallbench/internal/door/llm"
	"recallbench/internal/publish/interchange"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
)

// largeRun makes the folder of a run of 20,000 requests about 100 conversations,
// each with ten blocks.
func largeRun(b *testing.B) *scored.Run {
	b.Helper()
	folder := record.Folder(b.TempDir())
	h := record.Header{
		ID: "0123abcd", Metrics: []string{"f1@mem0", "bleu1@nltk", "tokens", "blocks"}, Start: start,
		Datasets: []record.Dataset{{Label: "mine", Name: "mine", Samples: 100, Requests: 20000}},
		Models:   []record.Model{{Label: "m", Backend: "openai", Reader: "m"}},
		Cells:    []record.Cell{{ID: "c", Dataset: "mine", Method: "plain", Use: "plain", Model: "m", Planned: 20000}},
	}
	var golds []record.Gold
	var records []record.Record
	var scores []record.Score
	var blocks []record.Block
	for s := range 100 {
		sample := fmt.Sprintf("s%d", s)
		for i := range 100 {
			blocks = append(blocks, record.Block{Block: fmt.Sprintf("%s-%d", sample, i), Sample: sample, Text: strings.Repeat("It was said before. ", 20), Sources: []string{"D1:1"}})
		}
		for r := range 200 {
			id := fmt.Sprintf("q%d", r)
			golds = append(golds, record.Gold{Sample: sample, Request: id, Category: "1", Question: "What was said in turn " + id + "?", Answer: "what was said"})
			rec := record.Record{Sample: sample, Request: id, Category: "1", Status: record.OK, Answer: "it was " + id, Usage: map[string]map[string]llm.Usage{"query": {"reader": {Input: 1000, Output: 10}}}}
			for k := range 10 {
				rec.Evidence = append(rec.Evidence, record.BlockRef{Block: fmt.Sprintf("%s-%d", sample, (r+k)%100), Score: 0.5})
			}
			records = append(records, rec)
			scores = append(scores, record.Score{Cell: "c", Sample: sample, Request: id, Category: "1", Status: record.OK, Values: map[string]*float64{"f1@mem0": new(0.5), "bleu1@nltk": new(0.5), "tokens-query": new(1010.0)}})
		}
	}
	writeLines(b, folder.Gold("mine"), golds)
	writeLines(b, folder.Records("c"), records)
	writeLines(b, folder.Blocks("c"), blocks)
	writeLines(b, folder.Scores(), scores)
	run, err := scored.Open(folder, h)
	if err != nil {
		b.Fatal(err)
	}
	return run
}

func BenchmarkExport(b *testing.B) {
	e := export(b, largeRun(b))
	for _, format := range []string{"csv", "jsonl"} {
		b.Run(format, func(b *testing.B) {
			f := find(b, format)
			b.ReportAllocs()
			for b.Loop() {
				if err := f.Write(e, io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	for _, format := range []string{"inspect", "lm-eval", "mem0"} {
		b.Run(format, func(b *testing.B) {
			f, dir := find(b, format), b.TempDir()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.WriteFolder(e, dir, record.WriteFile); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	var in strings.Builder
	in.WriteString("{")
	for c := range 10 {
		fmt.Fprintf(&in, "%s\n%q: [", map[bool]string{true: ","}[c > 0], strconv.Itoa(c))
		for i := range 200 {
			fmt.Fprintf(&in, "%s\n {\"question\": \"What was said in turn %d?\", \"answer\": \"that\", \"category\": 1, \"response\": \"this\", \"speaker_1_memories\": [", map[bool]string{true: ","}[i > 0], i)
			for m := range 30 {
				fmt.Fprintf(&in, "%s\n  {\"memory\": \"memory %d of those that were found\", \"timestamp\": \"1 May\", \"score\": 0.5}", map[bool]string{true: ","}[m > 0], m)
			}
			in.WriteString("]}")
		}
		in.WriteString("]")
	}
	in.WriteString("}")
	b.SetBytes(int64(in.Len()))
	b.ReportAllocs()
	for b.Loop() {
		file, err := interchange.ReadFrom(b.Context(), "mem0", "f", strings.NewReader(in.String()))
		if err != nil || len(file.Answers) != 2000 {
			b.Fatal(len(file.Answers), err)
		}
	}
}

package htmlreport_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"recallbench/internal/door/llm"
	"recallbench/internal/publish/htmlreport"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/metrics"
)

// fakeRun is a run folder that a test makes up.
type fakeRun struct {
	header  record.Header
	golds   []record.Gold // of the first dataset
	config  string
	records map[string][]record.Record // by cell
	blocks  map[string][]record.Block
	ingests map[string][]record.Ingest
	scores  []record.Score
}

var fakeMetrics = []*metrics.Spec{
	{Name: "f1", Doc: "overlap", Of: metrics.Answer, Columns: []metrics.Column{{Name: "f1", Scale: 100, Digits: 1}}},
	{Name: "judge", Doc: "a judge", Of: metrics.Judgement, Columns: []metrics.Column{{Name: "judge", Scale: 100, Digits: 1, Binary: true}}},
	{Name: "tokens", Doc: "tokens", Of: metrics.Usage, Columns: []metrics.Column{{Name: "tokens-query", Scale: 1, Digits: 0, Lower: true}}},
}

// page writes the folder and returns the page of it.
func (f *fakeRun) page(tb testing.TB) *htmlreport.Page {
	tb.Helper()
	folder, err := record.Create(filepath.Join(tb.TempDir(), "run"))
	try.Do(tb, err)
	write := func(path string, err error) {
		tb.Helper()
		if err != nil {
			tb.Fatalf("%s: %v", path, err)
		}
	}
	write("run.json", folder.WriteHeader(f.header))
	write("config.yaml", os.WriteFile(folder.Config(), []byte(f.config), 0o644))
	write("gold", writeLines(folder.Gold(f.header.Datasets[0].Label), f.golds))
	for _, c := range f.header.Cells {
		write("cell", os.MkdirAll(folder.Cell(c.ID), 0o755))
		write("records", writeLines(folder.Records(c.ID), f.records[c.ID]))
		write("blocks", writeLines(folder.Blocks(c.ID), f.blocks[c.ID]))
		write("ingests", writeLines(folder.Ingests(c.ID), f.ingests[c.ID]))
	}
	write("scores", writeLines(folder.Scores(), f.scores))
	_, header, err := record.Open(string(folder))
	try.Do(tb, err)
	return &htmlreport.Page{
		Title: header.Name, Runs: []htmlreport.Run{{Folder: folder, Header: header, Name: header.Name}}, Metrics: fakeMetrics,
		Tables: func() (*report.Document, error) {
			return &report.Document{Tables: []*report.Table{{
				Name: "main", Title: header.Name, Columns: []report.Column{{Name: "method"}},
				Rows: [][]report.Cell{{{Text: header.Cells[0].Method}}},
			}}}, nil
		},
		Rankings: func(column string) ([]report.Ranking, error) {
			row := func(k int, place string) report.RankingRow {
				low, high := 10.0, 40.0
				return report.RankingRow{
					Label: header.Cells[k].Method, Method: header.Cells[k].Method, Run: header.ID, Place: place, Stands: place + " " + hostile, Cells: []string{"7", "<b>8"},
					Estimate: &report.Estimate{Mean: 25, Low: &low, High: &high, Text: "25.0"},
				}
			}
			return []report.Ranking{{
				Dataset: header.Datasets[0].Label, Model: "m", Title: "title " + hostile, Column: report.ShownColumn{Name: cmp.Or(column, "f1")}, Text: "text " + hostile, Notes: []string{hostile},
				Columns: []report.RankingColumn{{Name: "words", Head: "words"}, {Name: "mean f1", Head: "f1", More: true}}, Rows: []report.RankingRow{row(0, "best"), row(len(header.Cells)-1, "worse")},
				Parts:       []report.RankingPart{{Name: "part " + hostile, N: 4, Means: []*report.Estimate{nil, {Mean: 5, Text: "5.0"}}}},
				Differences: []report.Difference{},
			}}, nil
		},
	}
}

func writeLines[T any](path string, lines []T) error {
	return record.WriteFile(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		for _, l := range lines {
			if err := enc.Encode(l); err != nil {
				return err
			}
		}
		return nil
	})
}

func fakeHeader(name, dataset string, samples, requests int, labels ...string) record.Header {
	h := record.Header{
		ID: "0123abcd", Name: name, Status: record.Complete, Argv: []string{"run", name + ".yaml"}, Seed: 1,
		Binary: record.Binary{Version: "devel", Go: "go1.26", Host: "linux/amd64"},
		Datasets: []record.Dataset{{
			Label: dataset, Name: dataset, Version: "1", SHA256: "00ff", Samples: samples, Requests: requests,
			Categories: []record.Category{{ID: "1", Name: "multi-hop"}, {ID: "2", Name: "temporal"}},
			Settings:   map[string]string{"folder": "/somewhere/else"},
		}},
		Models:  []record.Model{{Label: "m", Backend: "offline", Reader: "rules", Offline: true, Tokens: "o200k"}},
		Metrics: []string{"f1", "judge", "tokens"},
		Start:   time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), End: time.Date(2026, 1, 2, 3, 5, 5, 0, time.UTC),
	}
	for i, label := range labels {
		h.Cells = append(h.Cells, record.Cell{
			ID: fmt.Sprintf("cell%d", i), Dataset: dataset, Method: label, Use: "flat-rag", Model: "m", Seed: 1,
			Samples: samples, Planned: requests, Options: map[string]any{"k": 3.0},
		})
	}
	return h
}

// hostile is what no output may take for its own: markup, the ends of elements,
// what a terminal obeys, what turns a line around, and what is not text.
const hostile = `</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)> "'&amp; {{.}}` +
	"\x1b[31m\x00\u202eright to left\u202c\u2028|\n\tZoë 😀"

// large is the length of an answer that is too long to show at once.
const large = 1 << 20

// hostileRun is a run of two methods on four questions whose texts are hostile.
func hostileRun() *fakeRun {
	f := &fakeRun{
		header:  fakeHeader("run "+hostile, "talk "+hostile, 1, 4, "first", "second "+hostile),
		config:  "name: " + hostile,
		records: make(map[string][]record.Record), blocks: make(map[string][]record.Block), ingests: make(map[string][]record.Ingest),
	}
	sample := "sample " + hostile
	f.golds = []record.Gold{
		{Sample: sample, Request: "q0", Category: "1", Question: "Who has the boat?", Answer: "Nadia", Evidence: []string{"D1:3", "D1:4"}},
		{Sample: sample, Request: "q1", Category: "2", Question: "When? " + hostile, Answer: "in May " + hostile, Variants: []string{"5 " + hostile}, Evidence: []string{"D2:1"}, Labels: map[string]string{"split": hostile}},
		{Sample: sample, Request: "q2", Category: "2", Question: "What colour is the boat?", Answer: "blue"},
		{Sample: sample, Request: "q3", Category: "1", Question: "Who is the captain?", Abstain: true},
	}
	blocks := []record.Block{
		{Block: "b0", Sample: sample, Name: "chunk 0", Sources: []string{"D1:1", "D1:2", "D1:3"}, Text: "I bought the boat, said nadia.", Tokens: 9},
		{Block: "b1", Sample: sample, Name: "chunk " + hostile, Sources: []string{"D9 " + hostile}, Text: hostile, Tokens: 7},
		{Block: "b2", Sample: sample, Name: "chunk 2", Sources: []string{"D1:4"}, Text: "It is mine.", Tokens: 4},
	}
	usage := map[string]map[string]llm.Usage{"query": {"reader " + hostile: {Calls: 1, Input: 1234, Output: 5, Counted: true}}}
	for i, c := range f.header.Cells {
		f.blocks[c.ID] = blocks
		f.ingests[c.ID] = []record.Ingest{{Sample: sample, Status: record.OK, Usage: map[string]llm.Usage{"segment": {Calls: 3, Input: 777}}}}
		for n, g := range f.golds {
			r := record.Record{
				Sample: sample, Request: g.Request, Category: g.Category, Status: record.OK, Attempts: 1, Cost: new(0.25), Usage: usage,
				Answer:   []string{"Nadia", hostile, "red", strings.Repeat("captain ", large/8)}[n],
				Evidence: []record.BlockRef{{Block: "b1", Score: 0.75}, {Block: "b0", Score: 0.5}},
				Trace:    []methods.Step{{Name: "reader", Note: hostile, Data: map[string]any{hostile: hostile}}},
				Time:     record.Timing{Total: 12.5, Stages: map[string]float64{"retrieve": 2.5, "read": 10}},
			}
			exact := []float64{1, 0, 0, 0}[n]
			if i == 1 {
				r.Answer, exact = "Owen", 0
				r.Evidence = append(r.Evidence, record.BlockRef{Block: "b2"})
			}
			if i == 1 && n == 2 {
				r.Status, r.Answer, r.Evidence, r.Attempts = record.Error, "", nil, 3
				r.Error = &record.Failure{Kind: "rate-limit", Message: "429 " + hostile}
			}
			score := record.Score{Cell: c.ID, Sample: sample, Request: g.Request, Category: g.Category, Status: r.Status, Values: map[string]*float64{
				"f1": new(exact / 2), "judge": new(exact), "tokens-query": new(float64(1239 + n)),
			}}
			if g.Abstain {
				score.Values["judge"] = nil
			}
			f.records[c.ID] = append(f.records[c.ID], r)
			f.scores = append(f.scores, score)
		}
	}
	return f
}

// largeRun is a run of four methods on 50 conversations with so many questions
// each, and so many blocks of evidence to each answer, to twice as many.
func largeRun(questions, blocks int) *fakeRun {
	const samples, turns = 50, 200
	r := rand.New(rand.NewPCG(7, 7))
	vocabulary := make([]string, 3000)
	for i := range vocabulary {
		word := make([]byte, 2+r.IntN(8))
		for k := range word {
			word[k] = "etaoinshrdlucmfw"[r.IntN(16)]
		}
		vocabulary[i] = string(word)
	}
	say := func(n int) string {
		words := make([]string, n)
		for i := range words {
			words[i] = vocabulary[r.IntN(len(vocabulary))*r.IntN(len(vocabulary))/len(vocabulary)]
		}
		return strings.Join(words, " ")
	}
	f := &fakeRun{
		header: fakeHeader("large", "talks", samples, samples*questions, "alpha", "beta", "gamma", "delta"),
		config: "name: large\n", records: make(map[string][]record.Record), blocks: make(map[string][]record.Block),
	}
	for s := range samples {
		for q := range questions {
			f.golds = append(f.golds, record.Gold{
				Sample: fmt.Sprintf("talk-%d", s), Request: fmt.Sprintf("q%d", q), Category: strconv.Itoa(1 + q%2),
				Question: "When did " + say(8) + "?", Answer: say(3), Evidence: []string{fmt.Sprintf("D%d", r.IntN(turns))},
			})
		}
	}
	for i, c := range f.header.Cells {
		for s := range samples {
			for t := range turns {
				f.blocks[c.ID] = append(f.blocks[c.ID], record.Block{
					Block: fmt.Sprintf("%d-%d-%d", i, s, t), Sample: fmt.Sprintf("talk-%d", s), Name: fmt.Sprintf("chunk %d", t),
					Sources: []string{fmt.Sprintf("D%d", t), fmt.Sprintf("D%d", t+1)}, Text: say(10 * blocks), Tokens: 13 * blocks,
				})
			}
		}
		for n, g := range f.golds {
			rec := record.Record{
				Sample: g.Sample, Request: g.Request, Hash: fmt.Sprintf("%08x00000000", n), Category: g.Category, Status: record.OK, Attempts: 1,
				Answer: say(1 + r.IntN(20)), Cost: new(0.001),
				Usage: map[string]map[string]llm.Usage{"query": {"embed": {Calls: 1, Input: 12}, "reader": {Calls: 1, Input: 2000 + r.IntN(900), Output: 20}}},
				Trace: []methods.Step{{Name: "reader", Note: say(12)}},
				Time:  record.Timing{Total: 100 * r.Float64(), Stages: map[string]float64{"retrieve": 10 * r.Float64(), "reader": 90 * r.Float64()}},
			}
			first := r.IntN(turns - 2*blocks)
			for k := range blocks + r.IntN(blocks+1) {
				rec.Evidence = append(rec.Evidence, record.BlockRef{Block: fmt.Sprintf("%d-%d-%d", i, n/questions, first+k), Score: r.Float64()})
			}
			right := float64(r.IntN(2))
			f.records[c.ID] = append(f.records[c.ID], rec)
			f.scores = append(f.scores, record.Score{Cell: c.ID, Sample: g.Sample, Request: g.Request, Category: g.Category, Status: record.OK, Values: map[string]*float64{
				"f1": new(r.Float64()), "judge": &right, "tokens-query": new(float64(2000 + r.IntN(900))),
			}})
		}
	}
	return f
}

package interchange_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"recallbench/internal/door/llm"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/publish/interchange"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

// hostile is what any text of a run may hold.
const hostile = "<b>\"x\",'y'</b> | `$\\alpha$` \x1b[31mred\u202edlrow\x00\r\n\ttab\u2028 100 % end"

// writeLines writes values as the lines of a file.
func writeLines[T any](tb testing.TB, path string, values []T) {
	tb.Helper()
	try.Do(tb, os.MkdirAll(filepath.Dir(path), 0o755))
	try.Do(tb, record.WriteFile(path, func(w io.Writer) error { return jsonout.Lines(w, values...) }))
}

// specs are the metrics of the runs that these tests make up.
func specs(name string) (*metrics.Spec, error) {
	columns, ok := map[string][]metrics.Column{
		"f1@mem0":    {{Name: "f1@mem0", Scale: 100}},
		"bleu1@nltk": {{Name: "bleu1@nltk", Scale: 100}},
		"tokens":     {{Name: "tokens-query", Scale: 1, Lower: true}},
		"blocks":     {{Name: "blocks", Scale: 1, Neutral: true}},
	}[name]
	if !ok {
		return nil, fmt.Errorf("unknown metric %q", name)
	}
	return &metrics.Spec{Name: name, Columns: columns}, nil
}

var start = time.Date(2026, 3, 4, 5, 6, 7, 890123000, time.UTC)

// golds are three conversations with four questions, the last of which is right
// to be refused.
func golds() []record.Gold {
	return []record.Gold{
		{Sample: "c1", Request: "q0", Category: "1", Question: "Who sails?", Answer: "Nadia", Evidence: []string{"D1:1", "D1:2"}},
		{Sample: "c1", Request: "q1", Category: "2", Question: hostile, Answer: hostile, Variants: []string{"b"}, Labels: map[string]string{"split": "dev", "depth": "2"}},
		{Sample: "c2", Request: "q0", Category: "1", Question: "Who sings?", Answer: "Owen"},
		{Sample: "c3", Request: "q7", Category: "5", Question: "Who flies?", Abstain: true},
	}
}

// fakeRun makes the folder of a run of two methods, the second of which fails once,
// and returns it.
func fakeRun(tb testing.TB) *scored.Run {
	tb.Helper()
	folder := record.Folder(filepath.Join(tb.TempDir(), "run"))
	h := record.Header{
		ID: "0123abcd", Name: "fake", Status: record.Complete, Metrics: []string{"f1@mem0", "bleu1@nltk", "tokens", "blocks"}, Start: start, End: start.Add(90 * time.Second),
		Binary: record.Binary{Version: "1.2", Commit: "abc"}, Seed: 7,
		Datasets: []record.Dataset{{
			Label: "mine", Name: "locomo", Version: "v1", SHA256: "79fa87e90f04081343b8", Samples: 3, Requests: 4, Settings: map[string]string{"category5": "abstain"},
			Categories: []record.Category{{ID: "1", Name: "multi-hop"}, {ID: "2", Name: "temporal"}, {ID: "5", Name: "no 5-5"}},
		}},
		Models: []record.Model{{Label: "gpt", Backend: "openai", Reader: "gpt-4o-mini"}},
		Cells: []record.Cell{
			{ID: "cell1", Dataset: "mine", Method: "plain", Use: "stateless", Model: "gpt", Seed: 7, Samples: 3, Planned: 4},
			{ID: "cell2", Dataset: "mine", Method: "a/b <RAG>", Use: "flat-rag", Model: "gpt", Seed: 7, Samples: 3, Planned: 4, Options: map[string]any{"k": 2}},
		},
	}
	writeLines(tb, folder.Gold("mine"), golds())
	var scores []record.Score
	for n, c := range h.Cells {
		var records []record.Record
		for i, g := range golds() {
			r := record.Record{
				Sample: g.Sample, Request: g.Request, Category: g.Category, Status: record.OK, Answer: fmt.Sprintf("answer %d", i), Attempts: 1,
				Usage: map[string]map[string]llm.Usage{"query": {"reader": {Calls: 1, Input: 100 + i, Cached: 40, Output: 5}, "embed": {Calls: 1, Input: 9}}},
				Time:  record.Timing{Start: start.Add(time.Duration(i) * time.Second), Total: 250.5, Stages: map[string]float64{"reader": 200, "dense": 50}},
			}
			s := record.Score{Cell: c.ID, Sample: g.Sample, Request: g.Request, Category: g.Category, Labels: g.Labels, Status: record.OK, Values: map[string]*float64{
				"f1@mem0": new(float64(i*(n+1)) / 8), "bleu1@nltk": new(0.0), "tokens-query": new(105 + float64(i)), "blocks": nil,
			}}
			switch {
			case g.Abstain:
				s.Values["f1@mem0"], s.Values["bleu1@nltk"] = nil, nil
			case n == 1 && i == 2:
				r.Status, r.Answer, r.Error, r.Attempts = record.Refused, "", &record.Failure{Kind: "refused", Message: "no: " + hostile}, 3
				s.Status, s.Values["f1@mem0"] = record.Refused, new(0.0)
			}
			if n == 1 && i == 1 {
				r.Answer, r.Cost = hostile, new(0.25)
				r.Evidence = []record.BlockRef{{Block: "b1", Score: 0.5}, {Block: "b2"}}
			}
			records, scores = append(records, r), append(scores, s)
		}
		writeLines(tb, folder.Records(c.ID), records)
		writeLines(tb, folder.Blocks(c.ID), []record.Block{
			{Block: "b1", Sample: "c1", Name: "chunk 1", Sources: []string{"D1:1", "D1:9"}, Text: hostile, Tokens: 12},
			{Block: "b2", Sample: "c1", Name: "chunk 2", Text: "plain", Tokens: 1},
		})
	}
	writeLines(tb, folder.Scores(), scores)
	h.Judge = &record.Judge{ID: "j2"}
	writeLines(tb, folder.Judgements("cell1"), []record.Judgement{
		{Sample: "c1", Request: "q0", Judge: "j2", Reader: "gpt-5", Answer: note.Sum("answer 0"), Correct: new(false)},
		{Sample: "c1", Request: "q0", Judge: "j2", Reader: "gpt-5", Answer: note.Sum("answer 0"), Correct: new(true), Why: hostile},
		{Sample: "c1", Request: "q0", Judge: "j1", Reader: "other", Answer: note.Sum("answer 0"), Correct: new(false)},
		{Sample: "c1", Request: "q1", Judge: "j2", Reader: "gpt-5", Answer: note.Sum("an earlier answer"), Correct: new(true)},
	})
	return try.Get(scored.Open(folder, h))(tb)
}

// export returns the export of a run.
func export(tb testing.TB, run *scored.Run, methods ...string) *interchange.Export {
	tb.Helper()
	return try.Get(interchange.New([]*scored.Run{run}, methods, specs, "1.2"))(tb)
}

// find returns a format.
func find(tb testing.TB, name string) *interchange.Format {
	tb.Helper()
	return try.Get(interchange.Find(name))(tb)
}

package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

// TestAnchoringLive runs the linguistic memories with a server's models, weights
// chosen before the run and a layer of annotation from a chat model, whose replies
// are no annotation: what cannot be used is counted, and every request is answered.
// All of it is recorded, and replayed to the same records without a call.
func TestAnchoringLive(t *testing.T) {
	longtest.SkipRace(t)
	var calls atomic.Int64
	s := modelserver.New(t, modelserver.Options{Observe: func(r *http.Request, _ []byte) {
		if strings.Contains(r.URL.Path, "completions") || strings.Contains(r.URL.Path, "embeddings") {
			calls.Add(1)
		}
	}})
	dir := t.TempDir()
	config := write(t, "run.yaml", fmt.Sprintf(`
seeds: [1, 2]
datasets: [{use: sample}]
methods:
  - {use: vector-rag}
  - {use: entity-rag}
  - {use: semantic-anchoring}
  - {use: semantic-anchoring, label: names only, options: {layers: {coreference: false, discourse: false, dependencies: false}}}
models:
  - use: live
    label: one
    options:
      chat: {base_url: %[1]s, provider: test, model: one}
      embed: {use: openai, base_url: %[1]s, provider: test, model: test-embedder}
      annotate: {llm: [discourse]}
tuning: {datasets: [{use: sample, label: dev}], metric: f1@mem0, requests: 2}
metrics: [f1@mem0, tokens, degraded]
concurrency: {samples: 1}
limits: {requests: 3}
`, s.URL))
	store, run, again := filepath.Join(dir, "calls"), filepath.Join(dir, "run"), filepath.Join(dir, "again")
	must(t, "run", config, "--out", run, "--store", store, "--display", "none")
	h := header(t, run)
	if len(h.Cells) != 8 || len(h.Tunings) != 2 || h.Tunings[0].Requests != 2 || len(h.Tunings[0].Points) != 27 || len(h.Tunings[1].Points) != 6 {
		t.Fatalf("%d cells, tunings %+v", len(h.Cells), h.Tunings)
	}
	degraded := 0
	for _, c := range h.Cells {
		for line := range try.Each(t, record.Lines[record.Ingest](record.Folder(run).Ingests(c.ID))) {
			degraded += line.Value.Degraded["annotate"]
		}
	}
	if degraded == 0 {
		t.Error("replies that are no annotation left no trace")
	}
	before := calls.Load()
	must(t, "run", config, "--out", again, "--store", store, "--calls", "replay", "--display", "none")
	if n := calls.Load() - before; n != 0 {
		t.Errorf("%d calls in a replay", n)
	}
	first, second := recordsOf(t, run), recordsOf(t, again)
	if len(first) != 3*len(h.Cells) {
		t.Errorf("%d records, want 3 for each of %d cells", len(first), len(h.Cells))
	}
	for i := range first {
		if first[i].Answer != second[i].Answer || first[i].Status != record.OK {
			t.Errorf("request %s: status %s, %q, replayed %q", first[i].Request, first[i].Status, first[i].Answer, second[i].Answer)
		}
	}
}

// TestDenseOnly gives semantic-anchoring no weight but that of similarity: it finds
// what vector-rag finds, question by question, exactly or by the graph.
func TestDenseOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	must(t, "run", write(t, "run.yaml", `
datasets: [{use: sample}]
methods:
  - {use: vector-rag}
  - {use: semantic-anchoring, label: exact, options: {weights: {similarity: 1, entities: 0, discourse: 0}}}
  - {use: semantic-anchoring, label: graph, options: {weights: {similarity: 1, entities: 0, discourse: 0}, dense: {index: hnsw}}}
metrics: [evidence-recall]
`), "--out", dir, "--display", "none")
	h := header(t, dir)
	recall := make(map[string]map[string]*float64) // by cell and request
	for line := range try.Each(t, record.Lines[record.Score](record.Folder(dir).Scores())) {
		s := line.Value
		if recall[s.Cell] == nil {
			recall[s.Cell] = make(map[string]*float64)
		}
		recall[s.Cell][s.Request] = s.Values["evidence-recall"]
	}
	want := recall[h.Cells[0].ID]
	if len(want) == 0 {
		t.Fatal("no scores")
	}
	for _, c := range h.Cells[1:] {
		if diff := cmp.Diff(want, recall[c.ID]); diff != "" {
			t.Errorf("%s against vector-rag (-want +got):\n%s", c.Method, diff)
		}
	}
}

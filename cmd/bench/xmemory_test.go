package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

// models counts the calls of each model of a server.
type models struct {
	mu    sync.Mutex
	calls map[string]int
	plain int // probes that asked for log-probabilities
}

func (m *models) see(r *http.Request, body []byte) {
	var req struct {
		Model    string
		Logprobs any
	}
	if !strings.Contains(r.URL.Path, "completions") || json.Unmarshal(body, &req) != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.calls == nil {
		m.calls = make(map[string]int)
	}
	m.calls[req.Model]++
	if req.Logprobs != nil && req.Logprobs != false {
		m.plain++
	}
}

// TestXMemoryLive builds and asks memories with a server's models: two readers
// that share what one model built, and a prober with log-probabilities. Replies
// are recorded, and replayed to the same records without a call.
func TestXMemoryLive(t *testing.T) {
	var seen models
	s := modelserver.New(t, modelserver.Options{Observe: seen.see})
	dir := t.TempDir()
	entry := func(reader string) string {
		return fmt.Sprintf(`{use: live, label: %[2]s, options: {
  chat: {base_url: %[1]s, provider: test, model: %[2]s},
  roles: {
    boundary: {base_url: %[1]s, provider: test, model: builder}, episode: {base_url: %[1]s, provider: test, model: builder},
    predict: {base_url: %[1]s, provider: test, model: builder}, statements: {base_url: %[1]s, provider: test, model: builder},
    summary: {base_url: %[1]s, provider: test, model: builder}, probe: {base_url: %[1]s, provider: test, model: prober}},
  embed: {use: openai, base_url: %[1]s, provider: test, model: test-embedder}}}`, s.URL, reader)
	}
	config := write(t, "run.yaml", fmt.Sprintf(`
datasets: [{use: sample}]
methods: [{use: xmemory}]
models: [%s, %s]
metrics: [f1@mem0, tokens, tokens@xmemory, structure, degraded]
concurrency: {samples: 1}
limits: {requests: 4}
`, entry("one"), entry("two")))
	store := filepath.Join(dir, "calls")
	run := filepath.Join(dir, "run")
	must(t, "run", config, "--out", run, "--store", store, "--display", "none")
	if seen.calls["one"] != 4 || seen.calls["two"] != 4 {
		t.Errorf("readers were called %v times, want 4 each", seen.calls)
	}
	if seen.plain != seen.calls["prober"] || seen.plain == 0 {
		t.Errorf("%d of the prober's %d calls ask for log-probabilities", seen.plain, seen.calls["prober"])
	}
	built := seen.calls["builder"]
	h := header(t, run)
	if len(h.Cells) != 2 || h.Cells[0].Memory == "" || h.Cells[0].Memory != h.Cells[1].Memory {
		t.Fatalf("cells %+v do not share their memory", h.Cells)
	}
	total := 0
	for _, c := range h.Cells {
		for line := range try.Each(t, record.Lines[record.Ingest](record.Folder(run).Ingests(c.ID))) {
			i := line.Value
			calls := 0
			for role, u := range i.Usage {
				if role != "embed" {
					calls += u.Calls
				}
			}
			if i.Status != record.OK || i.Structure["messages"] == 0 || calls == 0 {
				t.Errorf("memory of %s: %+v", c.Model, i)
			}
			if total == 0 {
				total = calls
			} else if calls != total {
				t.Errorf("the memory of %s took %d calls, that of the other reader %d", c.Model, calls, total)
			}
		}
	}
	if total != built {
		t.Errorf("%d calls were made to build what took %d", built, total)
	}
	before := seen.calls["builder"] + seen.calls["prober"] + seen.calls["one"] + seen.calls["two"]
	again := filepath.Join(dir, "again")
	must(t, "run", config, "--out", again, "--store", store, "--calls", "replay", "--display", "none")
	if after := seen.calls["builder"] + seen.calls["prober"] + seen.calls["one"] + seen.calls["two"]; after != before {
		t.Errorf("%d calls in a replay", after-before)
	}
	first, second := recordsOf(t, run), recordsOf(t, again)
	for i := range first {
		if first[i].Answer != second[i].Answer || first[i].Status != record.OK {
			t.Errorf("request %s: %q, replayed %q", first[i].Request, first[i].Answer, second[i].Answer)
		}
	}
}

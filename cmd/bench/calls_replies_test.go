package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/backend/calls"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/modelserver"
)

// recordReplies records replies to demands for JSON; some do not fit.
func recordReplies(t *testing.T, dir string) {
	t.Helper()
	s, err := calls.Open(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, tt := range []struct {
		fixed, role string
		replies     []string
	}{
		{`{}`, "reader", []string{"In March 2024."}},
		{`{"format":"json_schema"}`, "boundary", []string{`{"boundary": true}`}},
		{`{"format":"json_schema"}`, "boundary", []string{`{"boundary": "yes"}`, `{"boundary": false}`}},
		{`{"format":"prompt"}`, "boundary", []string{"It shifts.", `{"boundary": tr`}},
	} {
		model := llm.GeneratorFunc(func(_ context.Context, r llm.Request) (llm.Reply, error) {
			text := tt.replies[0]
			tt.replies = tt.replies[1:]
			finish := "stop"
			if strings.HasSuffix(text, "tr") {
				finish = "length"
			}
			return llm.Reply{Text: text, Finish: finish, Usage: llm.Usage{Calls: 1, Input: 20 * len(r.Messages), Output: 5}}, nil
		})
		id := calls.Identity{Class: "openai", Provider: "api.example.com", Model: "gpt-4o-mini", Fixed: json.RawMessage(tt.fixed)}
		g := calls.NewRecorder(s, calls.Record).Generator(id, model)
		r := llm.Request{Role: tt.role, Messages: []llm.Message{{Role: llm.User, Content: "Does the topic shift with " + tt.replies[0] + "?"}}}
		if tt.role == "reader" {
			_, err = g.Generate(t.Context(), r)
		} else {
			r.Format = &llm.Format{Name: "boundary", Schema: json.RawMessage(`{"type":"object","properties":{"boundary":{"type":"boolean"}},"required":["boundary"],"additionalProperties":false}`)}
			_, _, err = llm.JSON[struct{ Boundary bool }](t.Context(), g, r)
		}
		if (err != nil) != strings.Contains(tt.fixed, "prompt") {
			t.Fatal(err)
		}
	}
}

// TestCallsReplies counts the replies of a server that writes JSON where it is
// asked for, but no query, and edits that cannot be carried out.
func TestCallsReplies(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	talk := filepath.Join(filepath.Dir(questions(t, 1, 2, "")), "data.jsonl")
	config := write(t, "tasks.yaml", `
datasets: [{use: tasks, options: {domains: [todo], turns: single}}, {use: jsonl, label: talk, options: {files: [`+talk+`]}}]
methods: [{use: in-context}, {use: semantic-xpath, options: {scorer: {kind: sem}}}, {use: xmemory, options: {reader: {max_tokens: 2}}}]
exclude: [{method: xmemory, dataset: tasks}, {method: semantic-xpath, dataset: talk}]
metrics: [failures]
limits: {requests: 2, errors: 1}
`)
	for _, by := range []string{"auto", "prompt"} {
		base := t.TempDir()
		dir, store := filepath.Join(base, "run"), filepath.Join(base, "calls")
		must(t, "run", config, "--model", liveModel(t, s, ", completions: true, format: "+by), "--out", dir, "--store", store, "--display", "none")
		groups, all := make(map[string]repliesCount), 0
		for line := range strings.Lines(must(t, "calls", "replies", "--store", store, "--json").stdout) {
			var g repliesCount
			if err := json.Unmarshal([]byte(line), &g); err != nil {
				t.Fatal(err)
			}
			if g.Reported != g.Calls || g.Input == 0 || g.Estimate == 0 || g.Output == 0 || g.Model != "test-model" || g.Provider != "test" {
				t.Errorf("%s: %s", by, line)
			}
			groups[g.Role+" "+g.Format+" "+g.AskedBy] = g
			all += g.Calls
		}
		if want := strings.Count(must(t, "calls", "ls", "--store", store, "--kind", "chat", "--limit", "0", "--json").stdout, "\n"); all != want {
			t.Errorf("%s: %d calls, want %d", by, all, want)
		}
		check := func(name string, ok func(g repliesCount) bool) {
			t.Helper()
			if g, there := groups[name]; !there || !ok(g) {
				t.Errorf("%s: %q is %+v", by, name, g)
			}
		}
		check("statements statements "+by, func(g repliesCount) bool { return g.Fit != nil && *g.Fit == g.Calls && g.Repairs == 0 })
		check("memory rewrite "+by, func(g repliesCount) bool {
			return g.Fit != nil && *g.Fit == g.Calls && g.Repairs > 0 && *g.RepairsFit == g.Repairs
		})
		check("translate query ", func(g repliesCount) bool { return g.Fit != nil && *g.Fit == 0 && g.Repairs > 0 && g.Repairs < g.Calls })
		check("probe text ", func(g repliesCount) bool { return g.Fit == nil && g.Asked == g.Calls && g.Logprobs == g.Calls })
		check("reader text ", func(g repliesCount) bool { return g.Fit == nil && g.Repairs == 0 && g.Cut > 0 && g.Asked == 0 })
	}
}

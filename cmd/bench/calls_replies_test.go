package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// TestCallsRepliesOutside counts replies to what external memories ask for.
func TestCallsRepliesOutside(t *testing.T) {
	dir := t.TempDir()
	s, err := calls.Open(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	tools := func(arguments string) string {
		call, err := json.Marshal([]any{map[string]any{"message": map[string]any{"tool_calls": []any{map[string]any{"function": map[string]any{"name": "f", "arguments": arguments}}}}}})
		if err != nil {
			t.Fatal(err)
		}
		return string(call)
	}
	for _, tt := range []struct{ rest, text, wire string }{
		{``, "Any text.", ``},
		{`{"response_format":{"type":"json_object"}}`, `{"memory":[]}`, ``},
		{`{"response_format":{"type":"json_object"},"top_p":0.1}`, `{"memory":[`, ``},
		{`{"response_format":{"json_schema":{"name":"Facts"},"type":"json_schema"}}`, `["no object"]`, ``},
		{`{"tools":[{"type":"function"}]}`, "", tools(`{"a":1}`)},
		{`{"tools":[{"type":"function"}],"top_p":0.1}`, "", tools(`{"a":`)},
		{`{"tools":[{"type":"function"}],"top_p":0.2}`, "Nothing to note.", `[{"message":{"content":"Nothing to note."}}]`},
	} {
		model := llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) {
			return llm.Reply{Text: tt.text, Wire: json.RawMessage(tt.wire), Finish: "stop", Usage: llm.Usage{Calls: 1, Input: 3, Output: 2}}, nil
		})
		g := calls.NewRecorder(s, calls.Record).Generator(calls.Identity{Class: "openai", Provider: "api.example.com", Model: "m"}, model)
		r := llm.Request{Role: "external", Messages: []llm.Message{{Role: llm.User, Content: "Ana sleeps."}}, Wire: &llm.Wire{Rest: json.RawMessage(tt.rest)}}
		if _, err := g.Generate(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for line := range strings.Lines(must(t, "calls", "replies", "--store", dir, "--json").stdout) {
		var g repliesCount
		if err := json.Unmarshal([]byte(line), &g); err != nil {
			t.Fatal(err)
		}
		fit := "any"
		if g.Fit != nil {
			fit = strconv.Itoa(*g.Fit)
		}
		got[g.Format+" "+g.AskedBy] = fit + " of " + strconv.Itoa(g.Calls)
	}
	want := map[string]string{"text ": "any of 1", "json json_object": "1 of 2", "Facts json_schema": "0 of 1", "tools tools": "2 of 3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fitting replies (-want +got):\n%s", diff)
	}
}

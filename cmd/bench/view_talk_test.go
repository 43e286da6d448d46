package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/engine/structure"
	"recallbench/internal/publish/server"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
)

// TestViewTalk asks the mounts of bench view for what there is of a request, notes
// about it, and talks to a memory.
func TestViewTalk(t *testing.T) {
	t.Chdir(t.TempDir())
	config := filepath.Join(t.TempDir(), "run.yaml")
	model := filepath.Join(t.TempDir(), "rules.yaml")
	for path, text := range map[string]string{
		config: `
datasets: [{use: tasks, options: {turns: multi, domains: [itinerary], split: dev}}]
methods: [{use: semantic-xpath}]
models: [{use: stand-in}]
metrics: [pass]
limits: {requests: 3}
`,
		model: "use: stand-in\n",
	} {
		try.Do(t, os.WriteFile(path, []byte(text), 0o644))
	}
	must(t, "run", config, "--out", "run")
	h := try.Get(record.ReadHeader("run"))(t)
	a := &app{stderr: t.Output(), env: func(key string) string { return map[string]string{"USER": "ann"}[key] }}
	var key string
	handler := func(f viewFlags) http.Handler {
		config, end, err := a.viewConfig([]string{"run"}, f)
		try.Do(t, err)
		t.Cleanup(end)
		config.Hosts = []string{"here"}
		key = config.Catalog.Index().Runs[0].Key
		served := server.New(config).Handler()
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Host = "here"
			r.Header.Set("Authorization", "Bearer "+config.Token)
			r.Header.Set("Content-Type", "application/json")
			served.ServeHTTP(w, r)
		})
	}
	on := handler(viewFlags{models: []string{model}})
	ask := func(h http.Handler, method, path, body string, v any) int {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body)))
		if err := json.Unmarshal(w.Body.Bytes(), v); err != nil {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
		return w.Code
	}
	var records []record.Record
	for r := range try.Each(t, record.Values[record.Record](record.Folder("run").Records(h.Cells[0].ID))) {
		records = append(records, r)
	}
	r := records[0]
	book := try.Get((&recordings{app: a}).openBook([]string{"run"}))(t)
	v, err := book.Structure(0)
	if shown, ok := v.(structure.Structure); err != nil || !ok || len(shown.Nodes) < 10 || shown.Query == "" || len(shown.Steps) == 0 {
		t.Errorf("structure: %+v, %v", v, err)
	}
	body := try.Get(json.Marshal(note.Note{Subject: note.Subject{Cell: h.Cells[0].ID, Sample: r.Sample, Request: r.Request}, Answer: note.Sum(r.Answer), Kind: note.Correct, Value: []byte("true")}))(t)
	var fault struct{ Error string }
	var kept note.Note
	if status := ask(on, "POST", "/api/run/"+key+"/notes", string(body), &kept); status != 201 || kept.Reviewer != "ann" {
		t.Errorf("note: %d %+v", status, kept)
	}
	var began struct{ ID string }
	if status := ask(on, "POST", "/api/chat", `{"source": {"dataset": "sample", "sample": "nadia-owen"}, "method": "flat-rag", "model": "rules"}`, &began); status != 201 {
		t.Errorf("chat: %d", status)
	}
	if found, _ := filepath.Glob("results/chats/*-" + began.ID + "/chat.jsonl"); len(found) != 1 {
		t.Errorf("chats kept: %v", found)
	}
	off := handler(viewFlags{readOnly: true})
	for _, tt := range []struct {
		h            http.Handler
		method, path string
		status       int
	}{
		{on, "GET", "/api/run/x/notes", 404},
		{off, "POST", "/api/run/" + key + "/notes", 405},
	} {
		if status := ask(tt.h, tt.method, tt.path, string(body), &fault); status != tt.status || fault.Error == "" {
			t.Errorf("%s %s: %d, want %d", tt.method, tt.path, status, tt.status)
		}
	}
	if _, _, err := a.viewConfig([]string{"run"}, viewFlags{models: []string{"none.yaml"}}); err == nil {
		t.Error("a model that is not there")
	}
}

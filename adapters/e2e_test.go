package adapters_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"recallbench/adapters"
	"recallbench/datasets"
	"recallbench/datasets/jsonl"
	"recallbench/internal/backend/standin"
	"recallbench/internal/door/llm"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
	"recallbench/methods/methodtest"
)

// A system is what stands behind a ready adapter.
type system struct {
	name    string
	chats   int    // calls of a chat model while the sample's memory is built
	options string // of the adapter, as YAML
	entry   string // the member of what it asks for as a JSON array in words alone; "" if it has tools or a format
}

var endToEnd = []system{
	{"mem0-python", 3, "{}", ""},
	{"mem0-node", 3, "{}", ""},
	{"langmem", 3, "{}", ""},
	{"memoryos-pro", 11, "{short_term_capacity: 6}", ""}, // its default asks nothing for so few turns
	{"simplemem", 1, "{planning: false, reflection: false}", "lossless_restatement"},
}

// TestE2E runs bench with ready adapters and the systems behind them, against a model
// server that writes what is said into what the systems ask for. BENCH_ADAPTERS is a
// folder that has for each adapter, by name, a virtual environment of Python or a
// folder with node_modules; what it lacks is looked for as the system has it. What is
// nowhere is skipped, unless BENCH_REQUIRE_ADAPTERS lists it.
func TestE2E(t *testing.T) {
	required := strings.FieldsFunc(os.Getenv("BENCH_REQUIRE_ADAPTERS"), func(r rune) bool { return r == ',' || r == ' ' })
	for _, name := range required {
		if !slices.ContainsFunc(endToEnd, func(s system) bool { return s.name == name }) {
			t.Errorf("BENCH_REQUIRE_ADAPTERS: no test of %q", name)
		}
	}
	bench := sync.OnceValue(func() string {
		file := filepath.Join(t.TempDir(), "bench")
		out, err := exec.CommandContext(t.Context(), "go", "build", "-o", file, "recallbench/cmd/bench").CombinedOutput()
		if err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
		return file
	})
	for _, s := range endToEnd {
		t.Run(s.name, func(t *testing.T) {
			if m := try.Get(adapters.Open(s.name, "."))(t); !m.Installed(t.Context(), os.Getenv) {
				if slices.Contains(required, s.name) {
					t.Fatalf("%s is not installed: %q fails", s.name, m.Probe)
				}
				t.Skipf("%s is not installed", s.name)
			}
			e := &e2e{T: t, system: s, bench: bench()}
			e.run()
		})
	}
}

// An e2e is the test of one system.
type e2e struct {
	*testing.T
	system
	bench string
}

// came is a request that reached the model server.
type came struct{ path, body string }

// serve starts a model server for the system, and returns what came to it so far.
func (s system) serve(t *testing.T) (server *modelserver.Server, all func() []came) {
	t.Helper()
	var mu sync.Mutex
	var requests []came
	server = modelserver.New(t, modelserver.Options{Script: s.script, Observe: func(r *http.Request, body []byte) {
		mu.Lock()
		defer mu.Unlock()
		if r.Method == http.MethodPost {
			requests = append(requests, came{r.URL.Path, string(body)})
		}
	}})
	return server, func() []came {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(requests)
	}
}

// script writes the lines "Name: text" of the last message into what a library asks
// for: its tool, or JSON. Other prompts, such as the reader's, are the server's.
func (s system) script(_ string, body []byte) (json.RawMessage, bool) {
	var b struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools  json.RawMessage `json:"tools"`
		Format *struct {
			Type string `json:"type"`
		} `json:"response_format"`
	}
	if json.Unmarshal(body, &b) != nil {
		return nil, false
	}
	inWords := b.Tools == nil && b.Format == nil
	if inWords && (s.entry == "" || !bytes.Contains(body, []byte(s.entry))) {
		return nil, false
	}
	r := llm.Request{Wire: &llm.Wire{Rest: body}}
	for _, m := range b.Messages {
		var text string
		_ = json.Unmarshal(m.Content, &text) // parts and null say nothing
		r.Messages = append(r.Messages, llm.Message{Role: llm.Role(m.Role), Content: text})
	}
	reply, err := standin.Generator().Generate(context.Background(), r)
	var choices []struct {
		Message json.RawMessage `json:"message"`
	}
	if err != nil || json.Unmarshal(reply.Wire, &choices) != nil || len(choices) == 0 {
		return nil, false
	}
	if inWords {
		entries := []map[string]string{}
		for fact := range strings.Lines(reply.Text) {
			entries = append(entries, map[string]string{s.entry: fact})
		}
		array, _ := json.Marshal(entries)                                                            //nolint:errchkjson // texts
		message, _ := json.Marshal(map[string]string{"role": "assistant", "content": string(array)}) //nolint:errchkjson // texts
		return message, true
	}
	return choices[0].Message, true
}

// An outcome is how a run ended.
type outcome struct {
	stderr  string
	err     error
	ingest  record.Ingest
	records []record.Record
	files   map[string]string // of the cell, without times and faults that were survived
}

var survived = regexp.MustCompile(`"time":\{(?:[^{}]|\{[^{}]*\})*\}|\{"name":"restart","data":\{[^{}]*\}\},?|"(canary_ms|restarts)":[0-9]+,?`)

// start prepares a run of the sample into a new folder.
func (e *e2e) start(s *modelserver.Server, store string, args ...string) (*exec.Cmd, string) {
	e.Helper()
	dir := e.TempDir()
	var data bytes.Buffer
	sample := &datasets.Set{Name: "sample"}
	sample.Fill(methodtest.Sample())
	for _, r := range sample.Entries[0].Requests {
		sample.SetGold(sample.Entries[0].ID, r.ID, datasets.Gold{Answer: "unknown"})
	}
	try.Do(e, jsonl.Write(e.Context(), &data, sample))
	for name, text := range map[string]string{
		"data.jsonl": data.String(),
		"run.yaml": fmt.Sprintf(`
datasets: [{use: jsonl, options: {files: [data.jsonl]}}]
methods: [{use: external, label: %s, options: {adapter: %[1]s, k: 5, options: %[3]s}}]
metrics: [f1@mem0, evidence-recall-by-text, tokens]
concurrency: {samples: 1, requests: 1}
limits: {errors: 1}
models:
  - use: live
    label: test
    options:
      chat: {base_url: %[2]s, provider: test, model: gpt-4o-mini, limits: {retries: 0}}
      embed: {use: openai, base_url: %[2]s, provider: test, model: text-embedding-3-small, limits: {retries: 0}}
`, e.name, s.URL, e.options),
	} {
		try.Do(e, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	out := filepath.Join(dir, "run")
	cmd := exec.CommandContext(e.Context(), e.bench, append([]string{"run", filepath.Join(dir, "run.yaml"), "--out", out, "--store", store, "--display", "none"}, args...)...)
	cmd.Env = append(os.Environ(), "TMPDIR="+e.TempDir())
	return cmd, out
}

// end runs a command that was prepared and reads what it recorded.
func (e *e2e) end(cmd *exec.Cmd, dir string) outcome {
	e.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	o := outcome{err: cmd.Run(), files: make(map[string]string)}
	o.stderr = stderr.String()
	folder, header, err := record.Open(dir)
	if err != nil || len(header.Cells) != 1 {
		e.Fatalf("%v: %v\n%s", cmd.Args, errors.Join(o.err, err), o.stderr)
	}
	cell := header.Cells[0].ID
	for i := range try.Each(e, record.Values[record.Ingest](folder.Ingests(cell))) {
		o.ingest = i
	}
	o.records = try.All(e, record.Values[record.Record](folder.Records(cell)))
	for _, path := range []string{folder.Records(cell), folder.Ingests(cell), folder.Blocks(cell)} {
		data := try.Get(os.ReadFile(path))(e)
		o.files[filepath.Base(path)] = survived.ReplaceAllString(string(data), "")
	}
	return o
}

func (e *e2e) run() {
	store := e.TempDir()
	server, all := e.serve(e.T)
	cmd, dir := e.start(server, store, "--calls", "reuse")
	first := e.end(cmd, dir)
	e.whole(first)
	e.recorded(all(), store)
	// It asked the proxy for no other host.
	if strings.Contains(first.stderr, "was refused another host") {
		e.Errorf("it asked for another host:\n%s", first.stderr)
	}
	if e.Failed() {
		return
	}
	before := len(all())
	cmd, dir = e.start(server, store, "--calls", "replay")
	again := e.end(cmd, dir)
	if again.err != nil {
		e.Fatalf("replay: %v\n%s", again.err, again.stderr)
	}
	try.Equal(e, "recorded and replayed", first.files, again.files)
	if n := len(all()) - before; n != 0 {
		e.Errorf("a replay made %d calls", n)
	}
}

// whole checks that every request was answered, from what it should find, and that
// what was used is told.
func (e *e2e) whole(o outcome) {
	e.Helper()
	if o.err != nil || len(o.records) != 7 {
		e.Fatalf("%d records, %v\n%s", len(o.records), o.err, o.stderr)
	}
	names := make(map[string]string) // of blocks, to their text
	for line := range strings.Lines(o.files["blocks.jsonl"]) {
		var b struct{ Block, Text string }
		try.Do(e, json.Unmarshal([]byte(line), &b))
		names[b.Block] = b.Text
	}
	used := func(usage map[string]llm.Usage) int { return usage["external"].Total() + usage["embed"].Total() }
	for _, r := range o.records {
		if r.Status != record.OK {
			e.Errorf("%s: %s, %+v", r.Request, r.Status, r.Error)
		}
		if used(r.Usage["query"]) == 0 {
			e.Errorf("%s: the adapter used nothing: %+v", r.Request, r.Usage)
		}
		if r.Request == "q2" {
			found := slices.ContainsFunc(r.Evidence[:min(5, len(r.Evidence))], func(v record.BlockRef) bool { return strings.Contains(names[v.Block], "Leila") })
			if !found {
				e.Errorf("no block tells of Leila: %+v in %v", r.Evidence, names)
			}
		}
		if strings.HasPrefix(e.name, "mem0") && r.Usage["query"]["external"].Calls != 0 {
			e.Errorf("%s: mem0 asked a chat model in a search: %+v", r.Request, r.Usage)
		}
	}
	if got := o.ingest.Usage["external"].Calls; got != e.chats {
		e.Errorf("%d chat calls while it was built, want %d: %+v", got, e.chats, o.ingest.Usage)
	}
}

// recorded checks that the store has what the server saw.
func (e *e2e) recorded(all []came, store string) {
	e.Helper()
	out := try.Get(exec.CommandContext(e.Context(), e.bench, "calls", "list", "--json", "--limit", "0", "--store", store).Output())(e)
	kinds := make(map[string]int)
	for line := range bytes.Lines(out) {
		var call struct{ Kind string }
		try.Do(e, json.Unmarshal(line, &call))
		kinds[call.Kind]++
	}
	chats, texts := 0, 0
	for _, c := range all {
		if c.path == "/v1/chat/completions" {
			chats++
			continue
		}
		var b struct{ Input []string }
		try.Do(e, json.Unmarshal([]byte(c.body), &b))
		texts += len(b.Input)
	}
	if kinds["chat"] != chats || kinds["embed"] != texts {
		e.Errorf("the store has %v, the server saw %d chats and %d texts", kinds, chats, texts)
	}
}

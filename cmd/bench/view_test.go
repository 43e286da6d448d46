package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"recallbench/internal/engine/structure"
	"recallbench/internal/publish/catalog"
	"recallbench/internal/publish/live"
	"recallbench/internal/publish/server"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

// A viewed is a server of the command within the test.
type viewed struct {
	t              *testing.T
	address, token string
	stderr         strings.Builder
	stop           context.CancelFunc
	ended          chan error
}

// view starts the command and reads the address that it prints.
func view(t *testing.T) *viewed {
	t.Helper()
	v := &viewed{t: t, ended: make(chan error, 1)}
	ctx, stop := context.WithCancel(t.Context())
	v.stop = stop
	r, w := io.Pipe()
	go func() {
		err := bench(ctx, []string{"view", "--addr", "127.0.0.1:0"}, strings.NewReader(""), w, &v.stderr)
		w.Close()
		v.ended <- err
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("%v\n%s", err, v.stderr.String())
	}
	var ok bool
	if v.address, v.token, ok = strings.Cut(strings.TrimSpace(line), "/#token="); !ok {
		t.Fatalf("printed %q", line)
	}
	return v
}

// ask sends a request that the server lets in.
func (v *viewed) ask(ctx context.Context, path string) *http.Response {
	v.t.Helper()
	r := try.Get(http.NewRequestWithContext(ctx, http.MethodGet, v.address+path, nil))(v.t)
	r.Header.Set("Authorization", "Bearer "+v.token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		v.t.Fatalf("%s: %v\n%s", path, err, v.stderr.String())
	}
	return resp
}

// watch serves the runs until the test ends, after whatever it opens, and lists them.
func watch(t *testing.T) (v *viewed, index catalog.Index) {
	t.Helper()
	v = view(t)
	t.Cleanup(func() { v.end() })
	v.get("/api/runs", &index)
	return v, index
}

// get asks for data and decodes it.
func (v *viewed) get(path string, into any) {
	v.t.Helper()
	resp := v.ask(v.t.Context(), path)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil || resp.StatusCode != http.StatusOK {
		v.t.Fatalf("GET %s: %d, %v\n%.500s", path, resp.StatusCode, err, data)
	}
}

// end ends the server and returns its exit code.
func (v *viewed) end() int {
	v.stop()
	return exitCode(<-v.ended)
}

func TestView(t *testing.T) {
	t.Chdir(t.TempDir())
	dir := filepath.Join("results", "runs", "quick")
	must(t, "run", write(t, "small.yaml", smallConfig), "--out", dir, "--display", "none")
	must(t, "baseline", "set", "main", dir)
	v := view(t)
	var index catalog.Index
	v.get("/api/runs", &index)
	found := make(map[catalog.State]catalog.Row)
	for _, r := range index.Runs {
		found[r.Status] = r
	}
	run, baseline := found[catalog.Complete], found[catalog.Baseline]
	if len(index.Runs) != 2 || run.Path != "runs/quick" || baseline.Path != "baselines/main" {
		t.Fatalf("runs %+v", index.Runs)
	}
	if run.Headline == nil || baseline.Headline == nil || run.Headline.Mean != baseline.Headline.Mean && *run.Headline.Mean.Low != *baseline.Headline.Mean.Low || *run.Finished != run.Planned {
		t.Errorf("run %+v\nbaseline %+v", run, baseline)
	}
	var requests struct {
		V        int
		Rev      string
		Judging  struct{ Column string }
		Columns  []struct{ Name string }
		Cells    []struct{ Method string }
		Requests struct {
			Question, Cell, Reach []int
			Scores                [][]*float64
		}
	}
	v.get("/api/run/"+run.Key+"/index", &requests)
	n := run.Planned - 1
	if requests.V != 3 || len(requests.Requests.Question) != run.Planned || len(requests.Requests.Scores) != len(requests.Columns) || len(requests.Requests.Scores[0]) != run.Planned || requests.Judging.Column == "" {
		t.Errorf("index %+v", requests)
	}
	var last struct {
		Calls []string
		Gold  struct{ Question string }
	}
	v.get(fmt.Sprintf("/api/run/%s/request/%d?rev=%s", run.Key, n, requests.Rev), &last)
	if last.Gold.Question == "" {
		t.Errorf("the last request is %+v", last)
	}
	var said struct {
		Calls, Missing []struct{ ID string }
	}
	v.get(fmt.Sprintf("/api/run/%s/calls/%d", run.Key, n), &said)
	if len(said.Calls)+len(said.Missing) != len(last.Calls) {
		t.Errorf("the calls %v and the missing %v of %v", said.Calls, said.Missing, last.Calls)
	}
	var matches struct{ Requests []int }
	v.get("/api/run/"+run.Key+"/search?q="+url.QueryEscape(last.Gold.Question), &matches)
	if !slices.Contains(matches.Requests, n) || len(matches.Requests) != len(requests.Cells) {
		t.Errorf("found %v", matches)
	}
	var table struct {
		Tables []struct {
			Columns []struct{ Name string }
			Rows    [][]any
		}
	}
	for _, part := range []string{"tables", "contrast?a=" + run.Key + ":" + url.QueryEscape(requests.Cells[0].Method) + "&b=" + run.Key + ":" + url.QueryEscape(requests.Cells[1].Method)} {
		v.get("/api/run/"+run.Key+"/"+part, &table)
		if len(table.Tables) == 0 || len(table.Tables[0].Rows) == 0 {
			t.Errorf("%s: %+v", part, table)
		}
	}
	// The run is free for other verbs while it is watched, and the page learns of them.
	events := struct {
		Events []struct {
			ID    uint64
			Event string
		}
	}{}
	v.get("/api/run/"+run.Key+"/live", &events)
	must(t, "score", dir, "--metrics", "f1@mem0")
	if v.get("/api/run/"+run.Key+"/index", &requests); len(requests.Columns) != 2 {
		t.Errorf("after the run is scored anew, the columns are %v", requests.Columns)
	}
	// Without scores, requests are shown all the same.
	folder, h, err := record.Open(dir)
	try.Do(t, err)
	h.Files, h.Scored = nil, nil
	try.Do(t, errors.Join(os.Remove(folder.Scores()), folder.WriteHeader(h)))
	if v.get("/api/run/"+run.Key+"/index", &requests); len(requests.Requests.Question) != run.Planned {
		t.Errorf("without scores, %d requests, want %d", len(requests.Requests.Question), run.Planned)
	}
	for _, part := range []string{"overview", "tables", "settings", "figures"} {
		v.get("/api/run/"+run.Key+"/"+part, new(any))
	}
	if code := v.end(); code != exitOK {
		t.Errorf("exit %d", code)
	}
}

func TestViewRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	try.Do(t, os.Mkdir("results", 0o755))
	taken := try.Get(new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	for _, c := range []struct{ args, want string }{
		{"nowhere", "nowhere"},
		{"--addr 7878", "want an address such as 127.0.0.1:7878"},
		{"--addr 127.0.0.1:99999", "port"},
		{"--addr :7878", "give its name"},
		{"--addr 0.0.0.0:7878", "use ssh -L"},
		{"--addr 192.168.0.1:7878", "give its name"},
		{"--addr " + taken.Addr().String(), "--addr: listen"},
	} {
		r := run(t, append([]string{"view"}, strings.Fields(c.args)...)...)
		if r.code != exitUsage || !strings.Contains(r.stderr, c.want) || r.stdout != "" {
			t.Errorf("view %s: exit %d\n%s%s\nwant %s", c.args, r.code, r.stdout, r.stderr, c.want)
		}
	}
}

// TestViewRow compares two models of one method by their rows, and refuses what names
// several rows or one twice.
func TestViewRow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	config := write(t, "models.yaml", "datasets: [{use: sample}]\nmodels: [{use: stand-in, label: one}, {use: live, label: two, options: {chat: {use: stand-in}, embed: {use: stand-in}}}]\n"+
		"methods: [{use: stateless}]\nmetrics: [f1@mem0]\n")
	must(t, "run", config, "--out", dir, "--calls", "off", "--display", "none")
	compare := func(base string, sides ...string) (string, error) {
		var others []server.Side
		for _, s := range sides {
			others = append(others, server.Side{Dir: dir, Row: s})
		}
		data, err := contrast(server.Side{Dir: dir, Row: base}, others, nil, "")
		return string(data), err
	}
	if data, err := compare("stateless@one", "stateless@two"); err != nil || !strings.Contains(data, "two against one") {
		t.Errorf("two models give %v\n%s", err, data)
	}
	for _, sides := range [][2]string{{"stateless", "stateless@two"}, {"stateless@one", "stateless"}, {"stateless@one", "stateless@one"}, {"stateless@one", "stateless@three"}} {
		if data, err := compare(sides[0], sides[1]); err == nil {
			t.Errorf("%v give\n%s", sides, data)
		}
	}
}

// TestViewDamaged lists damaged runs as such, and a whole one as complete.
func TestViewDamaged(t *testing.T) {
	root := t.TempDir()
	config := write(t, "small.yaml", "datasets: [{use: sample}]\nmethods: [{use: stateless}]\nmetrics: [f1@mem0]\n")
	must(t, "run", config, "--out", filepath.Join(root, "whole"), "--display", "none")
	files := map[string]string{"cells/*/records.jsonl": `"answer"`, "scores.jsonl": `"sample"`, "summary.json": `"requests":`}
	for pattern, text := range files {
		dir := filepath.Join(root, filepath.Base(pattern))
		try.Do(t, os.CopyFS(dir, os.DirFS(filepath.Join(root, "whole"))))
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(found) != 1 || !strings.Contains(read(t, found[0]), text) {
			t.Fatal(pattern, found, err)
		}
		put(t, found[0], []byte(strings.Replace(read(t, found[0]), text, text[:1]+text[2:], 1)))
	}
	c := try.Get((&app{stderr: io.Discard, env: os.Getenv, log: slog.New(slog.DiscardHandler)}).viewCatalog([]string{root}))(t)
	index := c.Index()
	if len(index.Runs) != 1+len(files) {
		t.Errorf("%d runs", len(index.Runs))
	}
	for _, r := range index.Runs {
		if want := r.Path != "whole"; want != (r.Status == catalog.Damaged && r.Damage != "") {
			t.Errorf("%s is %s: %s", r.Path, r.Status, r.Damage)
		}
	}
}

// A follower is a stream of the events of a run.
type follower struct {
	t     *testing.T
	lines *bufio.Scanner
	state followed
}

// A followed is what a page knows of a run.
type followed struct {
	Status   catalog.State
	Resume   string
	Scored   bool
	Progress *record.Progress
	Cells    []live.Cell
	Rows     []record.SummaryRow
	Faults   []live.Fault
}

// follow opens the events of a run.
func (v *viewed) follow(key string) *follower {
	v.t.Helper()
	ctx, stop := context.WithTimeout(v.t.Context(), 2*time.Minute) // for events that never come
	v.t.Cleanup(stop)
	resp := v.ask(ctx, "/api/events?run="+key)
	v.t.Cleanup(func() { _ = resp.Body.Close() })
	f := &follower{t: v.t, lines: bufio.NewScanner(resp.Body)}
	f.lines.Buffer(nil, 64<<20)
	return f
}

// until takes events until something holds. No figure may be wrong on the way.
func (f *follower) until(what string, holds func() bool) {
	f.t.Helper()
	for !holds() {
		var name string
		for ; f.lines.Scan(); name = strings.TrimPrefix(f.lines.Text(), "event: ") {
			if data, ok := strings.CutPrefix(f.lines.Text(), "data: "); ok {
				if name != "state" {
					f.t.Errorf("%s: %s", name, data)
				}
				f.take(decode[followed](f.t, data))
				break
			}
		}
		if err := f.lines.Err(); err != nil || f.t.Failed() {
			f.t.Fatalf("before %s, %s, %d done: %v", what, f.state.Status, f.all(), err)
		}
	}
}

func (f *follower) take(state followed) {
	f.t.Helper()
	if f.state = state; len(state.Faults) > 0 {
		f.t.Errorf("faults %+v", state.Faults)
	}
	for _, c := range state.Cells {
		if c.Done > c.Planned || c.Failed > 0 {
			f.t.Errorf("cell %+v", c)
		}
	}
}

// all counts the requests that have finished.
func (f *follower) all() (n int) {
	for _, c := range f.state.Cells {
		n += c.Done
	}
	return n
}

// TestViewFollows follows a run that is killed, resumed while it is watched, and
// finished. What the page shows is right at each step, and the scores at the end are
// those of the run.
func TestViewFollows(t *testing.T) {
	t.Chdir(t.TempDir())
	gate := make(chan struct{}) // a reply for each value, all once it is closed
	model := modelserver.New(t, modelserver.Options{Script: func(string, []byte) (json.RawMessage, bool) {
		<-gate
		return nil, false
	}})
	open := sync.OnceFunc(func() { close(gate) })
	t.Cleanup(open)
	dir := filepath.Join("results", "runs", "killed")
	config := write(t, "run.yaml", fmt.Sprintf(`
datasets: [{use: sample}]
methods: [{use: stateless}, {use: in-context}]
models: [{use: live, options: {chat: {base_url: %s, model: m, price: {input: 0, output: 0}}, tokenizer: o200k_base}}]
metrics: [f1@mem0, exact-match]
concurrency: {requests: 1}
calls: {mode: "off"}
`, model.URL))
	start := func(args ...string) (*exec.Cmd, *strings.Builder) {
		t.Helper()
		cmd, said := process(t, append(args, "--display", "none")...), new(strings.Builder)
		cmd.Stderr, cmd.Stdout = said, said
		try.Do(t, cmd.Start())
		return cmd, said
	}
	first, said := start("run", config, "--out", dir)
	gate <- struct{}{} // the run has begun
	v, index := watch(t)
	if len(index.Runs) != 1 {
		t.Fatalf("runs %+v", index.Runs)
	}
	f := v.follow(index.Runs[0].Key)
	f.until("the first record", func() bool { return f.all() == 1 })
	gate <- struct{}{}
	gate <- struct{}{}
	f.until("three records and the progress", func() bool { return f.all() == 3 && f.state.Progress != nil })
	if f.state.Status != catalog.Running {
		t.Errorf("the run is %s", f.state.Status)
	}
	_ = first.Process.Kill()
	if err := first.Wait(); err == nil {
		t.Fatalf("the run was done before it was killed\n%s", said)
	}
	// Half a line stays behind, as of a process that dies while it writes.
	torn := record.Folder(dir).Records(f.state.Cells[0].ID)
	half, err := os.OpenFile(torn, os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = half.WriteString(`{"sample":"`)
		err = errors.Join(err, half.Close())
	}
	try.Do(t, err)
	f.until("the end of the killed run", func() bool { return f.state.Status == catalog.Stopped })
	if !strings.HasPrefix(f.state.Resume, "bench resume ") || filepath.Base(f.state.Resume) != "killed" || f.all() != 3 {
		t.Errorf("%d requests are done, resume by %q", f.all(), f.state.Resume)
	}
	second, said := start("resume", dir)
	f.until("that it goes on", func() bool { return f.state.Status == catalog.Running })
	open()
	if err := second.Wait(); err != nil {
		t.Fatalf("the resumed run: %v\n%s", err, said)
	}
	f.until("the end", func() bool { return f.state.Status == catalog.Complete && f.state.Scored })
	// Each figure at the end is that of bench score.
	h := try.Get(record.ReadHeader(dir))(t)
	summary := try.Get(record.ReadSummary(dir))(t)
	for i, c := range f.state.Cells {
		if c.Done != h.Cells[i].Planned || len(summary.Rows) != len(h.Cells) {
			t.Errorf("cell %+v of %+v", c, h.Cells[i])
		}
		for column, m := range summary.Rows[i].Columns {
			if got := f.state.Rows[i].Columns[column]; math.Abs(got.Mean-m.Mean) > 1e-9 || got.N != m.N {
				t.Errorf("%s %s: %+v, want %+v", c.Method, column, got, m)
			}
		}
	}
}

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
	a := &app{stderr: t.Output(), log: slog.New(slog.DiscardHandler), env: func(key string) string { return map[string]string{"USER": "ann"}[key] }}
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

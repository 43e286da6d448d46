package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/publish/catalog"
	"recallbench/internal/publish/server"
	"recallbench/internal/result/record"
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

// get asks for data and decodes it.
func (v *viewed) get(path string, into any) {
	v.t.Helper()
	r := try.Get(http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.address+path, nil))(v.t)
	r.Header.Set("Authorization", "Bearer "+v.token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
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
	c := try.Get((&app{stderr: io.Discard, env: os.Getenv}).viewCatalog([]string{root}))(t)
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

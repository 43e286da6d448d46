package catalog_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/publish/catalog"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

var start = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// A house is a folder of runs with a catalog of it.
type house struct {
	tb      testing.TB
	dir     string
	now     time.Time
	options catalog.Options
}

func newHouse(tb testing.TB) *house {
	tb.Helper()
	h := &house{tb: tb, dir: tb.TempDir(), now: start}
	h.options = catalog.Options{
		Metric: func(name string) (*metrics.Spec, error) {
			if name == "f1@span" {
				return metrics.SpanSpec, nil
			}
			return nil, fmt.Errorf("unknown metric %s", name)
		},
		Summarize: func(string) ([]record.SummaryRow, error) {
			return []record.SummaryRow{{Method: "derived", Requests: 3, Errors: 1, Columns: map[string]record.SummaryMean{"f1@span": {N: 3, Mean: 0.25}}}}, nil
		},
		Now: func() time.Time { return h.now }, Log: slog.New(slog.DiscardHandler),
	}
	return h
}

// header is that of a run as they come.
func header(status record.Status) record.Header {
	return record.Header{
		ID: "1a2b3c4d", Name: "quick", Status: status, Start: start, Metrics: []string{"gone", "f1@span"},
		Binary:   record.Binary{Commit: "abc", Dirty: true},
		Datasets: []record.Dataset{{Label: "sample", Name: "sample", SHA256: "d1"}},
		Models:   []record.Model{{Label: "m"}, {Label: "rules", Offline: true}},
		Cells:    []record.Cell{{ID: "c1", Dataset: "sample", Method: "A", Model: "m", Planned: 4}, {ID: "c2", Dataset: "sample", Method: "B", Model: "m", Planned: 4}},
	}
}

// add makes a run.
func (h *house) add(path string, header record.Header) record.Folder {
	h.tb.Helper()
	folder := try.Get(record.Create(filepath.Join(h.dir, filepath.FromSlash(path))))(h.tb)
	try.Do(h.tb, folder.WriteHeader(header))
	return folder
}

func (h *house) write(path, content string) {
	h.tb.Helper()
	path = filepath.Join(h.dir, filepath.FromSlash(path))
	try.Do(h.tb, os.MkdirAll(filepath.Dir(path), 0o755))
	try.Do(h.tb, os.WriteFile(path, []byte(content), 0o644))
}

func (h *house) open() *catalog.Catalog {
	h.tb.Helper()
	return try.Get(catalog.New([]string{h.dir}, "", h.options))(h.tb)
}

func TestIndex(t *testing.T) {
	h := newHouse(t)
	h.now = time.Now().Add(time.Hour) // files have changed an hour ago
	done := h.add("ci/done", header(record.Complete))
	h.write("ci/done/scores.jsonl", "{}\n")
	rows := []record.SummaryRow{
		{Method: "A", Requests: 4, Errors: 1, Columns: map[string]record.SummaryMean{"f1@span": {N: 4, Mean: 0.5}}},
		{Method: "B", Requests: 4, Columns: map[string]record.SummaryMean{"f1@span": {N: 4, Mean: 0.75, Low: new(0.5), High: new(1.0), Samples: 3}}},
	}
	try.Do(t, record.WriteSummary(string(done), rows))
	h.add("ci/done/cells/inner", header(record.Complete)) // a run is not walked further
	h.add(".hidden/run", header(record.Complete))
	interrupted := header(record.Interrupted)
	interrupted.Stopped = "budget"
	h.add("a/b/c/interrupted", interrupted)
	h.add("silent", header(record.Started))
	running := h.add("running", header(record.Started))
	try.Do(t, running.WriteProgress(record.Progress{Time: h.now, PID: os.Getpid(), Host: record.Host(), Done: 2, Failed: 1}))
	stopped := h.add("stopped", header(record.Started))
	try.Do(t, stopped.WriteProgress(record.Progress{Time: h.now.Add(-11 * time.Second), PID: os.Getpid(), Host: record.Host()}))
	dead := h.add("dead", header(record.Started))
	try.Do(t, dead.WriteProgress(record.Progress{Time: h.now, PID: 1 << 30, Host: record.Host()}))
	elsewhere := h.add("elsewhere", header(record.Started))
	try.Do(t, elsewhere.WriteProgress(record.Progress{Time: h.now, PID: 1 << 30, Host: "other"}))
	shard := header(record.Complete)
	shard.Shard = &record.Shard{Index: 1, Of: 2}
	h.add("shard", shard)
	imported := header(record.Complete)
	for i := range imported.Cells {
		imported.Cells[i].Imported = &record.Imported{File: "answers.jsonl"}
	}
	h.add("imported", imported)
	h.write("broken/run.json", "{")
	h.write("newer/run.json", `{"schema": 2}`)
	h.add("1/2/3/4/5/6/7/deep", header(record.Complete))
	if err := os.Symlink(string(done), filepath.Join(h.dir, "link")); err != nil {
		t.Log("no symbolic links here:", err)
	}
	c := h.open()
	index := c.Index()
	states := make(map[string]catalog.State)
	for _, r := range index.Runs {
		states[r.Path] = r.Status
	}
	want := map[string]catalog.State{
		"ci/done": catalog.Complete, "a/b/c/interrupted": catalog.Interrupted, "silent": catalog.Stopped, "running": catalog.Running, "stopped": catalog.Stopped,
		"dead": catalog.Stopped, "elsewhere": catalog.Running, "shard": catalog.Shard, "imported": catalog.Imported, "broken": catalog.Unreadable, "newer": catalog.Unreadable,
		"1/2/3/4/5/6/7/deep": catalog.Complete,
	}
	if diff := cmp.Diff(want, states); diff != "" || index.Cut {
		t.Fatalf("states (-want +got), cut %v:\n%s", index.Cut, diff)
	}
	find := func(index catalog.Index, path string) catalog.Row {
		for _, r := range index.Runs {
			if r.Path == path {
				return r
			}
		}
		t.Fatalf("no run %s", path)
		return catalog.Row{}
	}
	row := find(index, "ci/done")
	if row.Key != catalog.Key("ci/done") || *row.Finished != 8 || *row.Errors != 1 || row.Planned != 8 || !row.Offline || !row.Dirty || row.Commit != "abc" || len(row.Methods) != 2 || row.Resume != "" {
		t.Errorf("row %+v", row)
	}
	if row.Headline == nil || row.Headline.Row != 1 || row.Headline.Column != "f1@span" || *row.Headline.Mean.High != 1 {
		t.Errorf("headline %+v", row.Headline)
	}
	if row := find(index, "running"); *row.Finished != 2 || *row.Errors != 1 || row.Paid == nil {
		t.Errorf("running %+v", row)
	}
	if row := find(index, "a/b/c/interrupted"); row.Stopped != "budget" || !strings.HasPrefix(row.Resume, "bench resume ") {
		t.Errorf("interrupted %+v", row)
	}
	if row := find(index, "newer"); !strings.Contains(row.Error, "schema version 2, this program reads 1") {
		t.Errorf("newer: %s", row.Error)
	}
	if dir, ok := c.Folder(row.Key); !ok || dir != string(done) {
		t.Errorf("folder %s, %v", dir, ok)
	}

	// What has no summary is summed up.
	if row := find(index, "shard"); *row.Finished != 3 || row.Headline.Mean.Mean != 0.25 {
		t.Errorf("summed up: %+v", row)
	}
	h.now = h.now.Add(6 * time.Second)
	later := c.Index()
	if find(later, "running").Status != catalog.Running {
		t.Error("a run whose progress is 6 s old does not run")
	}

	// A changed run is read again, and a removed one is gone; not at once, for what
	// is asked for all the time.
	try.Do(t, os.RemoveAll(string(done)))
	h.write("broken/run.json", `{"schema": 1, "status": "complete"}`)
	if find(c.Index(), "ci/done").Key == "" {
		t.Error("no key")
	}
	h.now = h.now.Add(6 * time.Second)
	for _, r := range c.Index().Runs {
		if r.Path == "ci/done" || r.Path == "broken" && r.Status != catalog.Complete {
			t.Errorf("%s is %s", r.Path, r.Status)
		}
	}
	if _, ok := c.Folder(row.Key); ok {
		t.Error("a run that is gone has a folder")
	}
}

// TestTags shows the tags that people gave, also those of later.
func TestTags(t *testing.T) {
	h := newHouse(t)
	h.add("quick", header(record.Complete))
	c := h.open()
	said := ""
	for _, tt := range []struct{ kind, value, want string }{
		{"tag", `"odd"`, "[odd]"},
		{"note", `"a remark"`, "[odd]"},
		{"tag", `"first"`, "[first odd]"},
	} {
		said += fmt.Sprintf(`{"schema":1,"id":"%d","time":"2026-01-01T00:00:00Z","reviewer":"ann","cell":"c1","sample":"s","request":"q","answer_sha256":"%s","kind":%q,"value":%s}`+"\n",
			len(said), strings.Repeat("0", 64), tt.kind, tt.value)
		h.write("quick/annotations/ann.jsonl", said)
		h.now = h.now.Add(time.Minute)
		if got := fmt.Sprint(c.Index().Runs[0].Tags); got != tt.want {
			t.Errorf("tags %s, want %s", got, tt.want)
		}
	}
}

// Runs of several folders have keys of their own, and those of baselines too.
func TestRoots(t *testing.T) {
	h := newHouse(t)
	h.add("one/run", header(record.Complete))
	h.add("two/run", header(record.Complete))
	blessed := header(record.Complete)
	blessed.Baseline = &record.Baseline{Name: "run"}
	h.add("beside/run", blessed)
	sub := func(name string) string { return filepath.Join(h.dir, name) }
	c := try.Get(catalog.New([]string{sub("one"), sub("two")}, sub("beside"), h.options))(t)
	keys := make(map[string]string)
	for _, r := range c.Index().Runs {
		dir, ok := c.Folder(r.Key)
		keys[r.Key] = filepath.Base(filepath.Dir(dir)) + fmt.Sprint(ok, r.Path, r.Status)
	}
	want := map[string]string{catalog.Key("0\x00run"): "onetruerun" + "complete", catalog.Key("1\x00run"): "twotruerun" + "complete", catalog.Key("beside\x00run"): "besidetruerun" + "baseline"}
	try.Equal(t, "keys", want, keys)
	// The folder of a run is a run; one that lies in another is not looked at twice.
	one := try.Get(catalog.New([]string{sub("one/run")}, sub("one/run/x"), h.options))(t)
	if index := one.Index(); len(index.Runs) != 1 || index.Runs[0].Path != "." || len(index.Open) != 1 || index.Open[0] != catalog.Key(".") {
		t.Errorf("index %+v", index)
	}
	if _, err := catalog.New([]string{sub("no"), sub("neither")}, "", h.options); err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("missing folders: %v", err)
	}
}

package record_test

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
)

func stream[T any](values ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range values {
			if !yield(v, nil) {
				return
			}
		}
	}
}

// gather reads scores to the end.
func gather(t *testing.T, scores iter.Seq2[record.Score, error]) []record.Score {
	t.Helper()
	var all []record.Score
	for s := range try.Each(t, scores) {
		all = append(all, s)
	}
	return all
}

func header() record.Header {
	return record.Header{
		ID: "r1", Name: "small", Status: record.Complete, Argv: []string{"run", "/srv/my.yaml"},
		Skipped:  []string{"dataset locomo: /srv/data/locomo10.json: no such file"},
		Datasets: []record.Dataset{{Label: "d", Settings: map[string]string{"file": "/srv/data/d.jsonl", "split": "dev/1"}, Warnings: []string{"x in /srv"}}},
		Tunings:  []record.Tuning{{Points: []record.Point{{Options: map[string]any{"file": "/srv/t"}}}, Datasets: []record.Dataset{{Warnings: []string{"/srv/w"}}}}},
		Judge:    &record.Judge{ID: "j1", Model: record.Model{Label: "j", Tokens: "/srv/tokenizer.json", Settings: map[string]string{"x": "/srv/x"}}},
		Models:   []record.Model{{Label: "m", Settings: map[string]string{"entailment": `C:\models\nli.onnx`}}},
		Cells: []record.Cell{{ID: "c1", Dataset: "d", Method: "rag", Model: "m", Planned: 2, Options: map[string]any{
			"k": 5.0, "ranking": map[string]any{"scores": []any{"/srv/scores.jsonl", "a/b"}},
		}}},
	}
}

// What a baseline keeps is what was written, without what tells of the machine,
// and the same bytes each time.
func TestBaseline(t *testing.T) {
	scores := []record.Score{
		{Cell: "c1", Sample: "conv-1", Request: "q,1", Category: "1", Status: record.OK, Labels: map[string]string{"turn": "3"}, Values: map[string]*float64{"f1": new(2.0 / 3), "recall": nil}},
		{Cell: "c1", Sample: "conv \"2\"\n", Request: "q2", Category: "1", Status: record.Error, Values: map[string]*float64{"f1": new(0.0), "recall": new(1e-300)}},
	}
	b := record.Baseline{Name: "main", Set: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Note: "why | not", Spent: []record.Spent{{Dataset: "d", Method: "rag", Requests: 2}}}
	dir := filepath.Join(t.TempDir(), "baselines", "main")
	var first map[string]string
	for range 2 { // the second takes the place of the first
		try.Do(t, record.WriteBaseline(dir, b, header(), stream(scores...)))
		files := make(map[string]string)
		for _, name := range []string{"run.json", "scores.jsonl"} {
			data := try.Get(os.ReadFile(filepath.Join(dir, name)))(t)
			files[name] = string(data)
			for _, leak := range []string{"srv", "models"} {
				if strings.Contains(strings.ReplaceAll(string(data), `"models":`, ""), leak) {
					t.Errorf("%s holds a path:\n%s", name, data)
				}
			}
		}
		if diff := cmp.Diff(first, files); first != nil && diff != "" {
			t.Errorf("the same baseline, other bytes (-first +second):\n%s", diff)
		}
		first = files
	}
	if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) != 1 {
		t.Errorf("beside the baseline lie %v, %v", left, err)
	}
	f, h, err := record.Open(dir, record.Baselines, record.WithScores)
	try.Do(t, err)
	if diff := cmp.Diff(&b, h.Baseline); diff != "" {
		t.Errorf("baseline (-written +read):\n%s", diff)
	}
	if diff := cmp.Diff(scores, gather(t, record.Scores(f, h))); diff != "" {
		t.Errorf("scores (-written +read):\n%s", diff)
	}
	if k := h.Cells[0].Options["k"]; h.Datasets[0].Settings["split"] != "dev/1" || k != 5.0 || h.Models[0].Settings["entailment"] != "nli.onnx" {
		t.Errorf("the header lost what a comparison reads: %+v", h)
	}
	if _, _, err := record.Open(dir); err == nil || !strings.Contains(err.Error(), "is a baseline, which has") {
		t.Errorf("a baseline opens as a run: %v", err)
	}
}

func TestBaselineFaults(t *testing.T) {
	for file, changed := range map[string][2]string{
		"run.json": {"first", "second"}, "scores.jsonl": {"conv-1", "conv-2"},
	} {
		dir := filepath.Join(t.TempDir(), "b")
		try.Do(t, record.WriteBaseline(dir, record.Baseline{Note: "first"}, header(), stream(record.Score{Cell: "c1", Sample: "conv-1", Status: record.OK})))
		path := filepath.Join(dir, file)
		replace(t, path, func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }) // as version control may
		if _, _, err := record.Open(dir, record.Baselines); err != nil {
			t.Errorf("%s with other line ends: %v", file, err)
		}
		replace(t, path, edit(changed[0], changed[1]))
		if _, _, err := record.Open(dir, record.Baselines); !record.IsDamage(err) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s is edited: %v", file, err)
		}
		if _, h, err := record.Open(dir, record.Baselines, record.AcceptEdits); err != nil || len(h.Accepted) != 1 || h.Accepted[0].File != file {
			t.Errorf("%s, edited and accepted: %v, %v", file, h.Accepted, err)
		}
	}
	dir := filepath.Join(t.TempDir(), "b")
	try.Do(t, record.WriteBaseline(dir, record.Baseline{}, header(), stream[record.Score]()))
	try.Do(t, os.Remove(filepath.Join(dir, "scores.jsonl")))
	if _, _, err := record.Open(dir, record.Baselines); !record.IsDamage(err) {
		t.Errorf("no scores: %v", err)
	}
	mine := t.TempDir()
	try.Do(t, os.WriteFile(filepath.Join(mine, "thesis.tex"), nil, 0o644))
	if err := record.WriteBaseline(mine, record.Baseline{}, header(), stream[record.Score]()); err == nil || !strings.Contains(err.Error(), "exists, but is not a baseline") {
		t.Errorf("a folder of somebody: %v", err)
	}
	if _, err := os.Stat(filepath.Join(mine, "thesis.tex")); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"", ".", "..", "a/b", "-x", ".x", "a b", strings.Repeat("x", 65)} {
		if record.CheckBaselineName(name) == nil {
			t.Errorf("%q is a name", name)
		}
	}
}

// A row is all seeds of a method; the last record of a request counts, failed
// requests have no latency, and one unknown price makes the cost unknown.
func TestSpentBy(t *testing.T) {
	h := record.Header{Cells: []record.Cell{
		{ID: "a1", Dataset: "d", Method: "a", Model: "m", Seed: 1},
		{ID: "b1", Dataset: "d", Method: "b", Model: "m", Seed: 1},
		{ID: "a2", Dataset: "d", Method: "a", Model: "m", Seed: 2},
	}}
	one := func(id string, status record.Status, ms float64, usd *float64) record.Record {
		return record.Record{Sample: "s", Request: id, Status: status, Cost: usd, Time: record.Timing{Total: ms}}
	}
	of := map[string][]record.Record{
		"a1": {one("q1", record.Error, 900, new(9.0)), one("q1", record.OK, 10, new(0.5)), one("q2", record.OK, 20, new(0.25))},
		"a2": {one("q1", record.OK, 30, new(1.0)), one("q2", record.Error, 500, new(0.25))},
		"b1": {one("q1", record.Error, 1, nil)},
	}
	got, err := record.SpentBy(h, func(c record.Cell) ([]record.Record, error) {
		return record.Last(stream(of[c.ID]...), func(r record.Record) string { return r.Request })
	})
	try.Do(t, err)
	want := []record.Spent{
		{Dataset: "d", Method: "a", Model: "m", Requests: 4, Latency: &record.Latency{Requests: 3, Mean: 20, Median: 20, P95: 30}, Cost: new(0.5)},
		{Dataset: "d", Method: "b", Model: "m", Requests: 1},
	}
	try.Equal(t, "", want, got)
}

func TestNewest(t *testing.T) {
	dir := t.TempDir()
	if _, err := record.Newest(dir); err == nil || !strings.Contains(err.Error(), "there is no latest run") {
		t.Errorf("no run: %v", err)
	}
	for _, step := range []struct{ folder, header, want string }{
		{"mine", `{"start":"2026-03-01T00:00:00Z"}`, "mine"},
		{"zzz", `{"start":"2026-02-01T00:00:00Z"}`, "mine"}, // names do not count
		{"20260401T000000Z-a-1", `{"start":"2026-04-01T00:00:00Z"}`, "20260401T000000Z-a-1"},
		{"20260301T000000Z-damaged-1", `{`, "20260401T000000Z-a-1"},
		{"20260501T000000Z-damaged-2", `{"start":`, "20260501T000000Z-damaged-2"}, // the verb reports its damage
		{"unknown", ``, "20260501T000000Z-damaged-2"},
	} {
		folder := filepath.Join(dir, step.folder)
		try.Do(t, errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(filepath.Join(folder, "run.json"), []byte(step.header), 0o644)))
		got, err := record.Newest(dir)
		if err != nil || filepath.Base(got) != step.want {
			t.Errorf("after %s: %s, %v, want %s", step.folder, got, err, step.want)
		}
	}
}

func TestBinaryOf(t *testing.T) {
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	clone := debug.BuildInfo{
		Main:     debug.Module{Version: "v0.0.0-20260101000000-1a2b3c4d5e6f"},
		Settings: []debug.BuildSetting{setting("vcs.revision", "1a2b3c4d5e6f"), setting("vcs.modified", "true")},
	}
	for name, test := range map[string]struct {
		release         string
		info            debug.BuildInfo
		version, commit string
		dirty           bool
	}{
		"a release":               {release: "v1.2.3", info: clone, version: "v1.2.3", commit: "1a2b3c4d5e6f", dirty: true},
		"a clone":                 {info: clone, version: "devel", commit: "1a2b3c4d5e6f", dirty: true},
		"installed as a module":   {info: debug.BuildInfo{Main: debug.Module{Version: "v1.2.3", Sum: "h1:x"}}, version: "v1.2.3"},
		"an archive, without git": {info: debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, version: "devel"},
		"no information":          {version: "devel"},
	} {
		t.Run(name, func(t *testing.T) {
			b := record.BinaryOf(test.release, &test.info)
			if b.Version != test.version || b.Commit != test.commit || b.Dirty != test.dirty {
				t.Errorf("have version %q, commit %q, dirty %t; want %q, %q, %t", b.Version, b.Commit, b.Dirty, test.version, test.commit, test.dirty)
			}
		})
	}
}

// The order of turns has no texts, and is left out of large datasets.
func TestWriteTurns(t *testing.T) {
	day := time.Date(2024, 3, 2, 0, 0, 0, 0, time.UTC)
	set := new(datasets.Set)
	set.Fill(datasets.Sample{ID: "talk", Sessions: []datasets.Session{
		{ID: "s2", Turns: []datasets.Turn{{ID: "b", Speaker: "Ann", Text: "Hello."}}},
		{ID: "s1", Time: day, Turns: []datasets.Turn{{ID: "a"}}},
	}})
	path := filepath.Join(t.TempDir(), "turns.jsonl")
	read := func() (all []record.Turn) {
		t.Helper()
		try.Do(t, record.WriteTurns(t.Context(), path, set, set.Entries))
		for turn := range try.Each(t, record.Values[record.Turn](path)) {
			all = append(all, turn)
		}
		return all
	}
	want := []record.Turn{{Sample: "talk", Turn: "b", Session: "s2", Speaker: "Ann"}, {Sample: "talk", Turn: "a", Session: "s1", Time: day}}
	if got := read(); !slices.Equal(got, want) {
		t.Errorf("turns %+v, want %+v", got, want)
	}
	long := make([]datasets.Turn, 100_000)
	for i := range long {
		long[i].ID = strconv.Itoa(i)
	}
	set.Fill(datasets.Sample{ID: "long", Sessions: []datasets.Session{{Turns: long}}})
	path = filepath.Join(t.TempDir(), "turns.jsonl")
	if got := read(); got != nil {
		t.Errorf("of a large dataset %d turns", len(got))
	}
}

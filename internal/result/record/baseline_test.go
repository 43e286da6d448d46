package record_test

import (
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
)

func stream(scores ...record.Score) iter.Seq2[record.Score, error] {
	return func(yield func(record.Score, error) bool) {
		for _, s := range scores {
			if !yield(s, nil) {
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
	try.Do(t, record.WriteBaseline(dir, record.Baseline{}, header(), stream()))
	try.Do(t, os.Remove(filepath.Join(dir, "scores.jsonl")))
	if _, _, err := record.Open(dir, record.Baselines); !record.IsDamage(err) {
		t.Errorf("no scores: %v", err)
	}
	mine := t.TempDir()
	try.Do(t, os.WriteFile(filepath.Join(mine, "thesis.tex"), nil, 0o644))
	if err := record.WriteBaseline(mine, record.Baseline{}, header(), stream()); err == nil || !strings.Contains(err.Error(), "exists, but is not a baseline") {
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
	got, err := record.SpentBy(h, func(c record.Cell) iter.Seq2[record.Record, error] {
		return func(yield func(record.Record, error) bool) {
			for _, r := range of[c.ID] {
				if !yield(r, nil) {
					return
				}
			}
		}
	})
	try.Do(t, err)
	want := []record.Spent{
		{Dataset: "d", Method: "a", Model: "m", Requests: 4, Latency: &record.Latency{Requests: 3, Mean: 20, Median: 20, P95: 30}, Cost: new(0.5)},
		{Dataset: "d", Method: "b", Model: "m", Requests: 1},
	}
	try.Equal(t, "", want, got)
}

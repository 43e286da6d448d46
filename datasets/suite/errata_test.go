package suite_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/datasets"
	"recallbench/datasets/errata"
	"recallbench/datasets/locomo"
	"recallbench/datasets/sample"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// everything is LoCoMo with the adversarial questions.
func everything(t *testing.T) *datasets.Set {
	t.Helper()
	set := try.Get(locomo.Spec.Open(t.Context(), datasets.Env{Dir: realdata.Datasets(t)}, locomo.Spec.All))(t)
	return set
}

func audit(t *testing.T) *errata.Overlay {
	t.Helper()
	o := try.Get(errata.Open(t.Context(), datasets.Env{Dir: realdata.Datasets(t)}, "locomo-audit"))(t)
	return o
}

func questions(t *testing.T, set *datasets.Set, overlays ...*errata.Overlay) []errata.Question {
	t.Helper()
	all := try.Get(errata.Questions(t.Context(), set, overlays...))(t)
	return all
}

func matched(t *testing.T, set *datasets.Set, overlays ...*errata.Overlay) errata.Matching {
	t.Helper()
	m, err := errata.Match(errata.Data{
		Dataset: set.Name, SHA256: set.SHA256, Questions: questions(t, set, overlays...),
	}, overlays...)
	try.Do(t, err)
	return m
}

// TestAuditEntries compares each entry of the audit with the action, the answer and
// the evidence that were worked out by another program.
func TestAuditEntries(t *testing.T) {
	set := everything(t)
	m := matched(t, set, audit(t))
	if len(m.Changes) != 156 || len(m.Notes) != 0 {
		t.Fatalf("%d of 156 entries match, notes %q", len(m.Changes), m.Notes)
	}
	data := try.Get(os.ReadFile(filepath.Join(realdata.Datasets(t), "locomo-audit", "expected_overlay.jsonl")))(t)
	type expected struct {
		ID, Kind string
		Category int
		Action   errata.Action
		Answer   string
		Evidence []string
	}
	var want, got []expected
	for line := range bytes.Lines(data) {
		var e expected
		try.Do(t, json.Unmarshal(line, &e))
		e.Kind, e.Evidence = strings.ToLower(strings.ReplaceAll(e.Kind, "_", "-")), append([]string{}, e.Evidence...)
		want = append(want, e)
	}
	for _, c := range m.Changes {
		g, _ := set.Gold(c.Sample, c.Request)
		e := expected{ID: c.Sample + "/" + c.Request, Kind: c.Kind, Action: c.Action, Evidence: append([]string{}, c.Evidence...)}
		e.Category = int(g.Category[0] - '0')
		if len(c.Answers) > 0 {
			e.Answer = c.Answers[0]
		}
		got = append(got, e)
	}
	try.Equal(t, "entries differ", want, got)
}

// TestAuditCounts compares what is left of the questions under each key, and the
// ceilings, with counts that were made by another program.
func TestAuditCounts(t *testing.T) {
	set := everything(t)
	m := matched(t, set, audit(t))
	data := try.Get(os.ReadFile(filepath.Join(realdata.Datasets(t), "locomo-audit", "expected_stats.json")))(t)
	var want struct {
		Ceilings  map[string]float64 `json:"ceilings_percent"`
		Questions struct {
			By map[string]int `json:"by_category"`
		}
		Scores map[errata.Key]map[string]map[string]struct{ N int } `json:"scores_by_key"`
	}
	try.Do(t, json.Unmarshal(data, &want))
	out := make(map[errata.Key]map[string]int)
	for _, k := range errata.Keys() {
		out[k] = make(map[string]int)
		for _, c := range m.Changes {
			g, _ := set.Gold(c.Sample, c.Request)
			if c.Under(k).Out {
				out[k][g.Category]++
				out[k]["all"]++
			}
			if k == errata.Excluded && c.Under(k).Out != (c.Action != errata.Evidence) {
				t.Errorf("%s of %s is left out: %v, with the action %s", c.Request, c.Sample, c.Under(k).Out, c.Action)
			}
		}
	}
	asked := map[string]int{"all": 1540, "1": want.Questions.By["1"], "2": want.Questions.By["2"], "3": want.Questions.By["3"], "4": want.Questions.By["4"]}
	for k := range want.Scores {
		for id, n := range asked {
			if have, want := n-out[k][id], want.Scores[k]["ap-v1"][id].N; have != want {
				t.Errorf("%s leaves %d questions of category %s, want %d", k, have, id, want)
			}
		}
	}
	for id, n := range asked {
		ceiling := 100 * (1 - float64(out[errata.Excluded][id])/float64(n))
		if math.Abs(ceiling-want.Ceilings[id]) > 1e-4 {
			t.Errorf("the ceiling of category %s is %.4f, want %.4f", id, ceiling, want.Ceilings[id])
		}
	}
}

func TestAuditOfAnotherFile(t *testing.T) {
	dir := t.TempDir()
	try.Do(t, os.Mkdir(filepath.Join(dir, "locomo-audit"), 0o755))
	path := filepath.Join(dir, "locomo-audit", "errors.json")
	try.Do(t, os.WriteFile(path, []byte("[]"), 0o644))
	_, err := errata.Open(t.Context(), datasets.Env{Dir: dir}, "locomo-audit")
	if err == nil || !strings.Contains(err.Error(), "want that of the pinned file") || !strings.HasPrefix(err.Error(), path) {
		t.Errorf("error %v", err)
	}
}

// TestUserOverlay applies a file of a user's own to the real data.
func TestUserOverlay(t *testing.T) {
	set := everything(t)
	q := questions(t, set)[5]
	entry, err := json.Marshal(map[string]any{
		"id": q.Sample + "/" + q.Request, "question": strings.ToUpper(q.Text), "gold": q.Answer, "action": "also",
		"answers": []string{"20 May 2023"}, "evidence": []string{"D1:1"},
	})
	try.Do(t, err)
	o := try.Get(errata.Parse("mine.jsonl", append([]byte(`{"errata":"recallbench-errata/1","name":"mine","dataset":"locomo","license":"CC0-1.0","source":"https://example.org"}`+"\n"), entry...)))(t)
	m := matched(t, set, o)
	if len(m.Changes) != 1 || m.Changes[0].Request != q.Request || m.Changes[0].Overlay != "mine" {
		t.Errorf("got %+v", m)
	}
}

// TestQuestionsLoad counts the samples that are loaded: those whose evidence an overlay
// names.
func TestQuestionsLoad(t *testing.T) {
	set := try.Get(sample.Spec.Open(t.Context(), datasets.Env{}, sample.Spec.Options))(t)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel() // a sample that is loaded is an error
	id := set.Entries[0].ID + "/" + set.Entries[0].Requests[0].ID
	answer := &errata.Overlay{Entries: []errata.Entry{{ID: id, Action: errata.Correct, Answers: []string{"x"}}}}
	if all, err := errata.Questions(cancelled, set, answer); err != nil || len(all) == 0 || all[0].Turns != nil {
		t.Errorf("%d questions, error %v", len(all), err)
	}
	proof := &errata.Overlay{Entries: []errata.Entry{{ID: id, Action: errata.Evidence, Evidence: []string{"x"}}}}
	if _, err := errata.Questions(cancelled, set, proof); err == nil {
		t.Error("evidence was not looked up")
	}
}

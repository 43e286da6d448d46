package interchange_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/publish/interchange"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// A toyAnswer is an answer of a system that nobody has, to a question of a dataset of its own.
type toyAnswer struct {
	record.Gold
	text  string
	right bool
}

// toyAnswers are the answers to three conversations of twelve questions each.
func toyAnswers() (golds []record.Gold, all []toyAnswer) {
	names := []string{"Ines", "Omar", "Petra"}
	places := []string{"the harbour", "a bakery", "the old mill", "Lisbon", "the attic", "a ferry", "the north field", "a tram", "the choir loft", "Oslo", "the pier", "a greenhouse"}
	for c, name := range names {
		for i, place := range places {
			g := record.Gold{
				Sample: fmt.Sprintf("talk-%d", c+1), Request: fmt.Sprintf("q%d", i+1), Category: strconv.Itoa(1 + i%4), Evidence: []string{fmt.Sprintf("D%d:%d", 1+i/3, i+1)},
				Question: fmt.Sprintf("Where did %s leave the %s umbrella?", name, []string{"red", "blue", "torn", "small"}[i%4]), Answer: place,
			}
			if i >= 4 {
				g.Question = fmt.Sprintf("Which place did %s name in week %d of the journey?", name, i)
			}
			a := toyAnswer{Gold: g, text: fmt.Sprintf("I believe that it was %s.", place), right: true}
			if i%3 == 0 {
				a.text, a.right = "That was never mentioned, sorry.", false
			}
			golds, all = append(golds, g), append(all, a)
		}
	}
	return golds, all
}

// TestSuggestInvented suggests layouts for six forms that no program writes: each is read
// by what is suggested as it is.
func TestSuggestInvented(t *testing.T) {
	golds, answers := toyAnswers()
	type fields = map[string]any
	talks, byID := map[string]fields{}, fields{}
	var lines strings.Builder
	var rows [][]any
	var phases []fields
	var table strings.Builder
	columns := csv.NewWriter(&table)
	_ = columns.Write([]string{"No.", "Talk nr", "What was put to it", "Its words", "Should be", "Kind", "right?"}) // to a buffer
	for i, a := range answers {
		title := map[string]string{"talk-1": "Ines at sea", "talk-2": "Omar bakes", "talk-3": "Petra"}[a.Sample]
		if talks[title] == nil {
			talks[title] = fields{"date": "May", "rounds": []any{}}
		}
		talks[title]["rounds"] = append(talks[title]["rounds"].([]any), fields{
			"asked": a.Question, "truth": a.Answer, "told": fields{"text": a.text}, "kind": a.Category, "hits": []fields{{"content": "They spoke of " + a.Answer, "timestamp": "May"}}, "took_seconds": 1.5, "human_label": map[bool]string{true: "good", false: "bad"}[a.right],
		})
		byID[a.Sample+"_"+a.Request] = fields{"dialogue": a.Sample, "query": a.Question, "expected": a.Answer, "reply": a.text, "judge_correct": a.right, "usage": fields{"prompt_tokens": 40, "completion_tokens": 7}}
		_ = json.NewEncoder(&lines).Encode(fields{"uid": i, "conv": a.Sample, "input": a.Question, "model_output": []string{a.text}, "reference": a.Answer, "votes": fields{"v1": a.right, "v2": a.right, "v3": true}, "latency_ms": 1500, "cost_usd": 0.25})
		rows = append(rows, []any{a.Sample, a.Question, a.Answer, a.text, a.Evidence})
		_ = columns.Write([]string{strconv.Itoa(i), a.Sample[5:], a.Question, a.text, a.Answer, a.Category, strconv.FormatBool(a.right)})
		phases = append(phases, fields{
			"task": fields{"text": a.Question, "talk": a.Sample}, "gold": a.Answer, "status": "done",
			"phases": fields{"search": fields{"durationMs": 500, "hits": []string{"They spoke of " + a.Answer}}, "answer": fields{"text": a.text, "durationMs": 1000}, "grading": fields{"verdict": map[bool]string{true: "PASS", false: "FAIL"}[a.right]}},
		})
	}
	columns.Flush()
	right := 0
	for name, c := range map[string]struct {
		in       any
		verdict  bool
		ms       float64
		blocks   int
		evidence bool
	}{
		"nested.json": {fields{"system": "x", "talks": talks}, true, 1500, 1, false},
		"byid.json":   {fields{"answers": byID, "version": 3}, true, 0, 0, false},
		"lines.jsonl": {lines.String(), true, 1500, 0, false},
		"odd.csv":     {table.String(), true, 0, 0, false},
		"lists.json":  {rows, false, 0, 0, true},
		"phases.json": {phases, true, 1500, 1, false},
	} {
		text, ok := c.in.(string)
		if !ok {
			text = string(try.Get(json.Marshal(c.in))(t))
		}
		dir := t.TempDir()
		file, layout := filepath.Join(dir, name), filepath.Join(dir, "l.yaml")
		try.Do(t, os.WriteFile(file, []byte(text), 0o644))
		yaml := try.Get(interchange.Suggest(t.Context(), file, golds))(t)
		try.Do(t, os.WriteFile(layout, yaml, 0o644))
		read, err := interchange.Read(t.Context(), layout, file)
		if err != nil {
			t.Logf("%s: %v\n%s", name, err, yaml)
			continue
		}
		m := interchange.Match(golds, &read, interchange.MatchOptions{})
		good := m.Missing == 0 && len(m.Unmatched) == 0 && len(m.Contradictions) == 0
		for i, a := range m.Answers {
			if a == nil {
				continue
			}
			want := answers[i]
			good = good && a.Record.Answer == want.text && a.Gold.Answer == want.Answer && (a.Conversation != "" || a.Gold.Sample != "") && a.Record.Time.Total == c.ms && len(a.Evidence) == c.blocks && (len(a.Gold.Evidence) > 0) == c.evidence
			good = good && (len(a.Judgements) == 1) == c.verdict && (!c.verdict || (*a.Judgements[0].Value() > 0.5) == want.right)
			good = good && (name != "byid.json" || a.Record.Usage["query"]["reader"].Input == 40) && (name != "lines.jsonl" || a.Record.Cost != nil && *a.Record.Cost == 0.25)
		}
		if good {
			right++
			continue
		}
		t.Logf("%s: missing %d, unmatched %v, contradictions %v, first %+v\n%s", name, m.Missing, m.Unmatched, m.Contradictions, read.Answers[0], yaml)
	}
	if t.Logf("%d of 6 layouts are right as suggested", right); right < 4 {
		t.Errorf("%d of 6 layouts are right as suggested, want at least 4", right)
	}
}

// TestSuggestPublished suggests layouts for the files of real systems as if those that ship
// were not there: what is read is the same, but for the names of judges.
func TestSuggestPublished(t *testing.T) {
	data := realdata.Datasets(t)
	var conversations []struct {
		ID string `json:"sample_id"`
		QA []struct {
			Question string
			Answer   any
			Evidence []string
			Category int
		}
	}
	raw := try.Get(os.ReadFile(filepath.Join(data, "locomo", "locomo10.json")))(t)
	try.Do(t, json.Unmarshal(raw, &conversations))
	var golds []record.Gold
	for _, c := range conversations {
		for i, q := range c.QA {
			golds = append(golds, record.Gold{Sample: c.ID, Request: fmt.Sprintf("q%d", i), Question: q.Question, Answer: fmt.Sprint(q.Answer), Evidence: q.Evidence, Category: strconv.Itoa(q.Category)})
		}
	}
	right := 0
	for _, c := range []struct {
		file  string
		golds []record.Gold
	}{
		{"zep-locomo/zep_locomo_grades.json", golds},
		{"memobase-locomo/memobase_eval_0710_3000.json", golds},
		{"evermemos-locomo/judged.json", golds},
		{"cognitive-memory/locomo-primary", golds},
		{"perseus-longmemeval/official-eval-results-gpt-4o.jsonl", nil},
		{"mem0-oss-locomo-conv26/mem0_results_top_30.json", golds},
		{"cognee-beam/100k_fixed__beam_existing_ingestion_metrics_conv1_hybrid_completion_20_20_qa_v1_run0.json.gz", nil},
		{"mem0-platform-human-labels/labels.jsonl", golds},
	} {
		path, layout := filepath.Join(data, "answers", filepath.FromSlash(c.file)), filepath.Join(t.TempDir(), "l.yaml")
		yaml := try.Get(interchange.Suggest(t.Context(), path, c.golds))(t)
		try.Do(t, os.WriteFile(layout, yaml, 0o644))
		want := try.Get(interchange.Read(t.Context(), "", path))(t)
		got := try.Get(interchange.Read(t.Context(), layout, path))(t)
		for _, f := range []*interchange.File{&want, &got} {
			for i := range f.Answers {
				for j := range f.Answers[i].Judgements {
					of := &f.Answers[i].Judgements[j]
					of.Judge, of.Reader, of.Why = "", "", ""
				}
			}
		}
		if diff := cmp.Diff(sayings(want.Answers), sayings(got.Answers)); diff != "" {
			t.Logf("%s: (-by the layout that ships +as suggested)\n%.600s\n%s", c.file, diff, yaml)
			continue
		}
		right++
	}
	if t.Logf("%d of 8 published files come out as by the layouts that ship", right); right < 6 {
		t.Errorf("%d of 8 published files come out as by the layouts that ship, want at least 6", right)
	}
}

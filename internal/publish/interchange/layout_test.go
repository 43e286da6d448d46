package interchange_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/publish/interchange"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// TestPublished reads the answers that real systems have published, and reproduces the
// rates that their sources state.
func TestPublished(t *testing.T) {
	for _, c := range []struct {
		file, format string
		answers      int
		judge        string
		judged       int
		rate         float64 // percent
	}{
		{"answers/zep-locomo/zep_locomo_grades.json", "zep", 1540, "zep", 1540, 75.13},
		{"answers/memobase-locomo/memobase_eval_0503_3000.json", "mem0", 1540, "mem0", 1540, 70.91},
		{"answers/memobase-locomo/memobase_eval_0710_3000.json", "mem0", 1540, "mem0", 1540, 75.78},
		{"answers/evermemos-locomo/judged.json", "omnimemeval", 1540, "omnimemeval", 1540, (92.27 + 92.60 + 92.47) / 3},
		{"answers/cognitive-memory/locomo-primary", "cognitive-memory", 1986, "cognitive-memory", 1540, 58.4},
		{"answers/cognitive-memory/locomo-clean_run_a.json", "cognitive-memory", 1986, "cognitive-memory", 0, 0},
		{"answers/perseus-longmemeval/official-eval-results-gpt-4o.jsonl", "longmemeval", 500, "longmemeval", 500, 73.6},
		{"answers/perseus-longmemeval/official-eval-results-cot-gpt-4o.jsonl", "longmemeval", 500, "longmemeval", 500, 80.0},
		{"answers/mem0-platform-human-labels/labels.jsonl", "labels", 54, "person", 44, 0},
		{"locomo-audit/model_answers.jsonl", "locomo-audit", 1540, "locomo-audit", 1540, 0}, // the first of six systems
		{"locomo-audit/model_answers.jsonl#fc-gpt-4.1-mini-cot", "locomo-audit", 1540, "locomo-audit", 1540, 92.66},
		{"answers/cognee-beam/100k_fixed__beam_existing_ingestion_metrics_conv1_hybrid_completion_20_20_qa_v1_run0.json.gz", "cognee", 20, "beam", 20, 0},
	} {
		file, err := interchange.Read(t.Context(), "", filepath.Join(realdata.Datasets(t), filepath.FromSlash(c.file)))
		if err != nil {
			t.Error(err)
			continue
		}
		judged, sum := 0, 0.0
		for _, a := range file.Answers {
			for _, j := range a.Judgements {
				if j.Judge == c.judge && j.Value() != nil {
					judged, sum = judged+1, sum+*j.Value()
				}
			}
		}
		rate := 100 * sum / float64(max(judged, 1))
		t.Logf("| %s | %s | %d | %d | %.2f |", c.file, file.Format, len(file.Answers), judged, rate)
		if file.Format != c.format || len(file.Answers) != c.answers || judged != c.judged || c.rate > 0 && math.Abs(rate-c.rate) > 0.05 {
			t.Errorf("%s: %s, %d answers, %d verdicts, %.2f %%; want %s, %d, %d, %.2f", c.file, file.Format, len(file.Answers), judged, rate, c.format, c.answers, c.judged, c.rate)
		}
	}
}

// TestOwnLayout reads a file of a form that nobody has, by a layout of ten lines.
func TestOwnLayout(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		try.Do(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	layout := write("mine.yaml", `name: mine
about: {model: settings.llm}
items: chats.*.turns[*]
cluster: "@1"
question: q.text
gold: q.gold
answer: reply[0].out | reply[0].text
evidence: [found]
failed: [{path: state, is: [crashed]}]
seconds: {answer: [took, "extra.took"]}
verdicts: [{judge: panel, path: "votes[*].ok"}, {judge: human, path: human, values: {good: 1, bad: 0}}]
`)
	results := write("results.json", `{"settings": {"llm": "m1"}, "chats": {
 "chat 0": {"id": 9, "turns": [
  {"q": {"text": "Who?", "gold": "Ada"}, "reply": [{"text": "Ada"}], "found": ["Ada sang", {"content": "Bo sat", "timestamp": "May"}], "took": 1.5, "extra.took": 0.5,
   "votes": [{"ok": true}, {"ok": false}, {"ok": true}, {"ok": null}], "human": "good"},
  {"q": {"text": "When?", "gold": 7}, "reply": [], "state": "crashed", "human": "not sure"}]},
 "chat 1": {"turns": {"q": {"text": "Where?"}, "reply": [{"out": "Rome"}]}}}}`)
	file := try.Get(interchange.Read(t.Context(), layout, results))(t)
	vote := func(x float64) record.Vote { return record.Vote{Score: &x} }
	panel := record.Judgement{Judge: "panel", Reader: "not known", Votes: []record.Vote{vote(1), vote(0), vote(1)}}
	panel.SetScore(2.0 / 3)
	want := []interchange.Answer{
		{
			Line: 3, Where: `chats."chat 0".turns[0]`, Conversation: "chat 0", Question: "Who?", Gold: "Ada", Text: "Ada",
			Blocks: []interchange.Block{{Text: "Ada sang"}, {Text: "May: Bo sat"}}, Stages: map[string]float64{"answer": 2000},
			Judgements: []record.Judgement{panel, {Judge: "human", Reader: "not known", Correct: new(true), Votes: []record.Vote{vote(1)}}},
		},
		{
			Line: 5, Where: `chats."chat 0".turns[1]`, Conversation: "chat 0", Question: "When?", Gold: "7",
			Status: record.Error, Failure: &record.Failure{Kind: "answer", Message: "the file says crashed"},
		},
		{Line: 6, Where: `chats."chat 1".turns`, Conversation: "chat 1", Question: "Where?", Text: "Rome"},
	}
	try.Equal(t, "", want, file.Answers)
	scores, err := interchange.ReadResults(t.Context(), results, interchange.ResultOptions{Format: layout})
	if err != nil || len(scores.Items) != 3 || scores.About["model"] != "m1" || scores.Column("judge:panel") < 0 || scores.Column("judge:human") < 0 {
		t.Errorf("results %+v, error %v", scores, err)
	}
	for _, wrong := range []struct{ layout, results, want string }{
		{"name: x\nitems: list[*]\nquestion: q\nanswer: a\n", `{"items": [], "n": 1}`, `no item at "list[*]" of the layout x; the file has items, n`},
		{"name: x\nitems: \"[*]\"\nquestion: q\nanswer: a.text\n", `[{"q": "Who?", "b": 1}]`, `[0]: there is no text at "a.text", where the layout x has the answer; the item has q, b`},
		{"name: x\nitems: list[*]\nquestion: q\nanswer: a\n", `{"list": {"k": 3}}`, `there is no text at "a", where the layout x has the answer; the item has k`},
		{"name: x\nitems: list[*]\nquestion: q\nanswer: a\n", `{"list": 3}`, `list: want a list or an object, as the layout x has it`},
		{"name: x\nitems: \"[*]\"\nid: k\nscores: {s: s}\n", `[{"k": 1, "s": 2}]`, `the layout x says where scores are, and no answer`},
		{"nam: x\nquestion: \"q[\"\n", "[]", `unknown key "nam"`},
		{"name: x\nverdicts: [{judge: y}]\n", "[]", `verdicts[0]: wants judge and path`},
		{"name: x\nitems: a..b | \nid: c\nanswer: a\n", "[]", `a part of "a..b |" is empty`},
	} {
		_, err := interchange.Read(t.Context(), write("wrong.yaml", wrong.layout), write("wrong.json", wrong.results))
		if err == nil || !strings.Contains(err.Error(), wrong.want) {
			t.Errorf("%q: error %v, want %s", wrong.layout, err, wrong.want)
		}
	}
}

// FuzzLayout reads hostile files by hostile layouts: it ends, with answers or an error.
func FuzzLayout(f *testing.F) {
	f.Add("a.*[*] | [0]^x", "b.c", `{"a": {"k": [{"b": {"c": 1}}]}}`)
	f.Add("[*]", "@1 | side.x", "{\"x\": null}\n[]")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, items, answer, text string) {
		layout, file := filepath.Join(dir, "l.yaml"), filepath.Join(dir, "f.json")
		for path, content := range map[string]string{layout: fmt.Sprintf("name: x\nquestion: q\nitems: %q\nanswer: %q\nsides: %q\nscores: {\"*\": %q}\n", items, answer, items, answer), file: text} {
			try.Do(t, os.WriteFile(path, []byte(content), 0o644))
		}
		_, _ = interchange.Read(t.Context(), layout, file) // an error is right for most
	})
}

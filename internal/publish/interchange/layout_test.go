package interchange_test

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"recallbench/internal/publish/interchange"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// TestPublished reads the answers that real systems have published, of all folders, and
// reproduces the rates that their sources state and the times that the files hold.
func TestPublished(t *testing.T) {
	data := realdata.Datasets(t)
	for _, c := range []struct {
		file, format string
		answers      int
		judge        string
		judged       int
		rate         float64 // percent
		ms           float64 // a mean; computed with Python from the files
		blocks       bool
	}{
		{"answers/zep-locomo/zep_locomo_grades.json", "zep", 1540, "zep", 1540, 75.13, 0, false},
		{"answers/zep-locomo/zep_locomo_responses.json", "zep", 1540, "zep", 0, 0, 3834.7738083306845, false},
		{"answers/memobase-locomo/memobase_eval_0503_3000.json", "mem0", 1540, "mem0", 1540, 70.91, 0, false},
		{"answers/memobase-locomo/memobase_eval_0710_3000.json", "mem0", 1540, "mem0", 1540, 75.78, 0, false},
		{"answers/evermemos-locomo/judged.json", "omnimemeval", 1540, "omnimemeval", 1540, (92.27 + 92.60 + 92.47) / 3, 14994.910181187965, false},
		{"answers/cognitive-memory/locomo-primary", "cognitive-memory", 1986, "cognitive-memory", 1540, 58.4, -1, true},
		{"answers/cognitive-memory/locomo-clean_run_a.json", "cognitive-memory", 1986, "cognitive-memory", 0, 0, -1, false},
		{"answers/cognitive-memory/locomo-oracle_ceiling_mem0.json", "cognitive-memory", 1540, "cognitive-memory", 0, 0, 0, false},
		{"answers/cognitive-memory/locomo-judge_reliability.json", "cognitive-judges", 50, "original", 50, 58, 0, false},
		{"answers/cognitive-memory/locomo-judge_reliability.json", "cognitive-judges", 50, "alternative", 50, 52, 0, false},
		{"answers/perseus-longmemeval/official-eval-results-gpt-4o.jsonl", "longmemeval", 500, "longmemeval", 500, 73.6, 0, false},
		{"answers/perseus-longmemeval/official-eval-results-cot-gpt-4o.jsonl", "longmemeval", 500, "longmemeval", 500, 80.0, 0, false},
		{"answers/perseus-longmemeval/hypotheses-mimir-gpt-4o-2024-08-06.jsonl", "longmemeval", 500, "longmemeval", 0, 0, 0, false},
		{"answers/mem0-oss-locomo-conv26/mem0_results_top_30.json", "mem0", 199, "mem0", 0, 0, -1, true},
		{"answers/mem0-platform-human-labels/labels.jsonl", "labels", 54, "person", 44, 0, 0, false},
		{"locomo-audit/model_answers.jsonl", "locomo-audit", 1540, "locomo-audit", 1540, 0, 0, false}, // the first of six systems
		{"locomo-audit/model_answers.jsonl#fc-gpt-4.1-mini-cot", "locomo-audit", 1540, "locomo-audit", 1540, 92.66, 0, false},
		{"answers/cognee-beam/100k_fixed__beam_existing_ingestion_metrics_conv1_hybrid_completion_20_20_qa_v1_run0.json.gz", "cognee", 20, "beam", 20, 0, 0, true},
	} {
		file, err := interchange.Read(t.Context(), "", filepath.Join(data, filepath.FromSlash(c.file)))
		if err != nil {
			t.Error(err)
			continue
		}
		judged, sum, ms, blocks, votes := 0, 0.0, 0.0, 0, make([]float64, 3)
		for _, a := range file.Answers {
			ms, blocks = ms+a.Record.Time.Total/float64(len(file.Answers)), blocks+len(a.Evidence)
			for _, j := range a.Judgements {
				if j.Judge == c.judge && j.Value() != nil {
					judged, sum = judged+1, sum+*j.Value()
					for i, v := range j.Votes[:min(3, len(j.Votes))] {
						votes[i] += *v.Score / float64(len(file.Answers)) * 100
					}
				}
			}
		}
		rate := 100 * sum / float64(max(judged, 1))
		t.Logf("| %s | %s | %d | %d | %.2f |", c.file, file.Format, len(file.Answers), judged, rate)
		if file.Format != c.format || len(file.Answers) != c.answers || judged != c.judged || c.rate > 0 && math.Abs(rate-c.rate) > 0.05 {
			t.Errorf("%s: %s, %d answers, %d verdicts, %.2f %%; want %s, %d, %d, %.2f", c.file, file.Format, len(file.Answers), judged, rate, c.format, c.answers, c.judged, c.rate)
		}
		if c.ms < 0 != (ms > 0 && c.ms <= 0) || c.ms > 0 && math.Abs(ms-c.ms) > 1e-3 || c.blocks != (blocks > 0) {
			t.Errorf("%s: %v ms and %d blocks, want %v and %t", c.file, ms, blocks, c.ms, c.blocks)
		}
		if c.format == "omnimemeval" {
			try.Equal(t, "votes", "92.27 92.60 92.47", fmt.Sprintf("%.2f %.2f %.2f", votes[0], votes[1], votes[2]))
		}
	}
	for file, want := range map[string]struct {
		column string
		items  int
		mean   float64
	}{
		"perseus-longmemeval/qa_report.json":                                      {"correct", 500, 0.736},
		"perseus-longmemeval/qa_report_cot.json":                                  {"correct", 500, 0.8},
		"perseus-longmemeval/qa_report_cot_seed2.json":                            {"correct", 500, 0.786},
		"mempalace-retrieval/results_locomo_raw_session_top10_20260414_1634.json": {"recall", 1986, 0},
	} {
		r := try.Get(interchange.ReadResults(t.Context(), filepath.Join(data, "answers", file), interchange.ResultOptions{}))(t)
		sum := 0.0
		for _, it := range r.Items {
			sum += it.Value(r.Column(want.column))
		}
		if mean := sum / float64(len(r.Items)); len(r.Items) != want.items || want.mean > 0 && math.Abs(mean-want.mean) > 1e-9 {
			t.Errorf("%s: %d items of mean %v, want %+v", file, len(r.Items), mean, want)
		}
	}
}

// TestLarge reads a file of 2 GB within 100 MB of memory.
func TestLarge(t *testing.T) {
	longtest.SkipRace(t)
	path := filepath.Join(t.TempDir(), "large.json")
	f := try.Get(os.Create(path))(t)
	defer f.Close()
	out := bufio.NewWriter(f)
	memory := strings.Repeat("They spoke of the harbour, and of the boat. ", 1200)
	for i := range longtest.N(1000, 40000) {
		fmt.Fprintf(out, "%s{\"question\": \"Where was boat %d?\", \"answer\": \"there\", \"response\": \"there\", \"llm_score\": 1, \"memories\": [%q]}", map[bool]string{true: "{\"0\": [", false: ",\n"}[i == 0], i, memory)
	}
	fmt.Fprint(out, "]}")
	try.Do(t, out.Flush())
	size := try.Get(f.Stat())(t).Size()
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	peak, done, stopped := uint64(0), make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapInuse)
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	r, err := interchange.ReadResults(t.Context(), path, interchange.ResultOptions{})
	close(done)
	<-stopped
	used := int64(peak) - int64(before.HeapInuse)
	if t.Logf("%d MB of file, %d MB of memory", size>>20, used>>20); err != nil || len(r.Items) != longtest.N(1000, 40000) || used > 100<<20 {
		t.Errorf("%d MB of memory, error %v", used>>20, err)
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
	want := []said{
		{
			Line: 3, Where: `chats."chat 0".turns[0]`, Conversation: "chat 0", Question: "Who?", Gold: "Ada", Text: "Ada",
			Blocks: []block{{Text: "Ada sang"}, {Text: "May: Bo sat"}}, Stages: map[string]float64{"answer": 2000},
			Judgements: []record.Judgement{panel, {Judge: "human", Reader: "not known", Correct: new(true), Votes: []record.Vote{vote(1)}}},
		},
		{
			Line: 5, Where: `chats."chat 0".turns[1]`, Conversation: "chat 0", Question: "When?", Gold: "7",
			Status: record.Error, Failure: &record.Failure{Kind: "answer", Message: "the file says crashed"},
		},
		{Line: 6, Where: `chats."chat 1".turns`, Conversation: "chat 1", Question: "Where?", Text: "Rome"},
	}
	try.Equal(t, "", want, sayings(file.Answers))
	scores, err := interchange.ReadResults(t.Context(), results, interchange.ResultOptions{Format: layout})
	if err != nil || len(scores.Items) != 3 || scores.About["model"] != "m1" || scores.Column("judge:panel") < 0 || scores.Column("judge:human") < 0 {
		t.Errorf("results %+v, error %v", scores, err)
	}
	for _, wrong := range []struct{ layout, results, want string }{
		{"name: x\nitems: list[*]\nquestion: q\nanswer: a\n", `{"items": [], "n": 1}`, `no item at "list[*]" of the layout; the file has items, n`},
		{"name: x\nitems: \"[*]\"\nquestion: q\nanswer: a.text\n", `[{"q": "Who?", "b": 1}]`, `[0]: want a text at "a.text", the answer by the layout x; the item has q, b`},
		{"name: x\nitems: list[*]\nquestion: q\nanswer: a\n", `{"list": {"k": 3}}`, `want a text at "a", the answer by the layout x; the item has k`},
		{"name: x\nitems: list[*]\nquestion: q\nanswer: a\n", `{"list": 3}`, `list: want a list or an object, as the layout has it`},
		{"name: x\nitems: \"[*]\"\nid: k\nscores: {s: s}\n", `[{"k": 1, "s": 2}]`, `the layout x has scores, but no answers`},
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

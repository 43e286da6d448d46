package interchange_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/door/llm"
	"recallbench/internal/publish/interchange"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// TestRead reads what each program writes, as its source has it.
func TestRead(t *testing.T) {
	type answers = []said
	for _, c := range []struct {
		name, format, in string
		want             answers
	}{
		{
			"mem0 search.py", "mem0",
			`{
 "0": [{"question": "When?", "answer": 2022, "category": 2, "evidence": ["D1:12"], "response": "\n\nIn 2022", "adversarial_answer": "",
  "speaker_1_memories": [{"memory": "sailed", "timestamp": "1 May", "score": 0.5}], "speaker_2_memories": [{"memory": "sang", "timestamp": "", "score": 0.25}],
  "num_speaker_1_memories": 1, "num_speaker_2_memories": 1, "speaker_1_memory_time": 0.5, "speaker_2_memory_time": 0.25,
  "speaker_1_graph_memories": null, "speaker_2_graph_memories": null, "response_time": 1.5}],
 "3": []
}`,
			answers{{
				Line: 2, Where: `"0"[0]`, Conversation: "0", Question: "When?", Category: "2", Gold: "2022", Evidence: []string{"D1:12"}, Text: "\n\nIn 2022",
				Blocks: []block{{Text: "1 May: sailed", Score: 0.5}, {Text: "sang", Score: 0.25}}, Stages: map[string]float64{"search": 750, "answer": 1500},
			}},
		},
		{
			"mem0 evals.py", "mem0",
			`{"0": [{"question": "Who?", "answer": "Ada", "response": "Bo", "category": "1", "bleu_score": 0, "f1_score": 0.0, "llm_score": 1}]}`,
			answers{{
				Line: 1, Where: `"0"[0]`, Conversation: "0", Question: "Who?", Category: "1", Gold: "Ada", Text: "Bo",
				Judgements: []record.Judgement{{Judge: "mem0", Reader: "not known", Correct: new(true), Votes: []record.Vote{{Score: new(1.0)}}}},
			}},
		},
		{
			"mem0 rag.py", "mem0",
			`{"0": [{"question": "Who?", "answer": "Ada", "category": 1, "context": "1 May | Ada: hi", "response": "Ada", "search_time": 0.1, "response_time": 0.2}]}`,
			answers{{
				Line: 1, Where: `"0"[0]`, Conversation: "0", Question: "Who?", Category: "1", Gold: "Ada", Text: "Ada",
				Blocks: []block{{Text: "1 May | Ada: hi"}}, Stages: map[string]float64{"search": 100, "answer": 200},
			}},
		},
		{
			"nemori search.py", "mem0",
			`{"1": [{"question": "Who?", "answer": null, "category": 5, "evidence": [], "response": null, "memories": [
   {"type": "episodic", "timestamp": "2023-05-08", "content": "They met", "score": 0.75, "episode_id": "e", "memory_id": null, "original_messages": [{"role": "user"}]},
   {"type": "semantic", "timestamp": null, "content": null, "score": null}], "search_method": "vector", "prompt_tokens": 10, "completion_tokens": 2}]}`,
			answers{{
				Line: 1, Where: `"1"[0]`, Conversation: "1", Question: "Who?", Category: "5",
				Status: record.Error, Failure: &record.Failure{Kind: "empty", Message: "the file has null instead of an answer"},
				Blocks: []block{{Text: "2023-05-08: They met", Score: 0.75}}, Usage: &llm.Usage{Calls: 1, Input: 10, Output: 2},
			}},
		},
		{
			"constants of Python", "mem0", `{"0": [{"question": "is \"NaN NaN", "response": "-Infinity \\", "f1_score": NaN, "score":-Infinity, "answer": Infinity}]}`,
			answers{{Line: 1, Where: `"0"[0]`, Conversation: "0", Question: `is "NaN NaN`, Text: `-Infinity \`}},
		},
		{
			"a list without conversations", "mem0", `[{"question": "Who?", "response": 7}]`,
			answers{{Line: 1, Where: `[0]`, Question: "Who?", Text: "7"}},
		},
		{
			"lm-eval", "lm-eval",
			`{"doc_id": 0, "doc": {"question": "Who?", "conversation_id": "c1"}, "target": "Ada", "arguments": {"gen_args_0": {"arg_0": "p"}}, "resps": [["Ada!"]], "filtered_resps": ["Ada"], "filter": "none", "metrics": ["f1"], "f1": 1.0}

{"doc_id": 0, "doc": {"question": "Who?"}, "target": "Ada", "resps": [["Ada!"]], "filtered_resps": ["A"], "filter": "strict"}
{"doc_id": 1, "doc": {"query": "When?"}, "target": "7", "resps": [["Seven"]], "filter": "none"}
`,
			answers{
				{Line: 1, Sample: "c1", Conversation: "c1", Question: "Who?", Gold: "Ada", Text: "Ada"},
				{Line: 4, Question: "When?", Gold: "7", Text: "Seven"},
			},
		},
		{
			"inspect", "inspect",
			`{"version": 2, "status": "success", "eval": {"task": "t", "samples": [1]}, "samples": [
 {"id": 1, "epoch": 1, "input": "Who?", "target": ["Ada", "Bo"], "output": {"model": "m", "choices": [{"message": {"role": "assistant", "content": [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "Ada"}]}, "stop_reason": "stop"}]},
  "model_usage": {"m": {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12, "input_tokens_cache_read": null}}, "total_time": 2, "metadata": {}},
 {"id": 1, "epoch": 2, "input": "Who?", "target": "Ada", "output": {"completion": "Bo"}},
 {"id": "c1/q1", "epoch": 1, "input": [{"role": "system", "content": "Be brief"}, {"role": "user", "content": "When?"}], "target": "7", "output": {"completion": "Seven"}},
 {"id": 3, "epoch": 1, "input": "Where?", "target": "x", "output": {"choices": []}, "error": {"message": "boom", "traceback": "", "traceback_ansi": ""}},
 {"id": 4, "epoch": 1, "input": "Why?", "target": "x", "output": {"choices": []}, "limit": {"type": "token", "limit": 500}}
], "reductions": []}`,
			answers{
				{Line: 2, Where: "samples[0]", Question: "Who?", Gold: "Ada", Text: "Ada", Usage: &llm.Usage{Calls: 1, Input: 10, Output: 2}, Stages: map[string]float64{"answer": 2000}},
				{Line: 5, Where: "samples[2]", Sample: "c1", Request: "q1", Conversation: "c1", Question: "When?", Gold: "7", Text: "Seven"},
				{Line: 6, Where: "samples[3]", Question: "Where?", Gold: "x", Status: record.Error, Failure: &record.Failure{Kind: "answer", Message: "boom"}},
				{Line: 7, Where: "samples[4]", Question: "Why?", Gold: "x", Status: record.Limit, Failure: &record.Failure{Kind: "limit", Message: "token"}},
			},
		},
		{
			"predictions", "jsonl",
			"\ufeff" + `{"id": "conv-26/q3", "category": 2, "prediction": "In May", "gold": "7 May 2023", "note": [1]}` + "\r\n" + `{"question": "Who?", "category": "1", "prediction": "", "gold": null}`,
			answers{
				{Line: 1, Sample: "conv-26", Conversation: "conv-26", Request: "q3", Category: "2", Gold: "7 May 2023", Text: "In May"},
				{Line: 2, Question: "Who?", Category: "1"},
			},
		},
	} {
		path := filepath.Join(t.TempDir(), "in")
		try.Do(t, os.WriteFile(path, []byte(c.in), 0o644))
		file, err := interchange.Read(t.Context(), c.format, path)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		try.Equal(t, c.name, c.want, sayings(file.Answers))
		if c.name == "inspect" && !slices.Equal(file.Ignored, []string{"1 samples of later epochs"}) || c.name == "lm-eval" && !slices.Equal(file.Ignored, []string{`1 answers of other sides than "none"`}) {
			t.Errorf("%s: ignored %q", c.name, file.Ignored)
		}
	}
}

// TestFaults holds the messages of files that are not as their format says.
func TestFaults(t *testing.T) {
	var b strings.Builder
	for _, c := range []struct{ format, in string }{
		{"mem0", ""},
		{"mem0", "{}"},
		{"mem0", `"text"`},
		{"mem0", `{"0": {"question": "x"}}`},
		{"mem0", `{"0": [{"question": "x", "response": "y"}`},
		{"mem0", "{\"0\": [\n {\"question\": 7},\n {\"response\": []},\n 5,\n {\"question\": \"x\", \"response\": {}},\n {\"question\": \"a\", \"question\": \"b\"}\n]}"},
		{"mem0", `{"0": [{"question": "x", "response": NaN}]}`},
		{"mem0", "{\"0\": [{\"question\": \"x\", \"response\": \"y\"}]}\n\n{\"1\": []}"},
		{"lm-eval", "{\"doc_id\": 0}\n[]\n{\"doc\": {}}\n{\"doc\": {\"question\": \"x\"}, \"resps\": [[[-1.5, true]]]}\n{\"doc\": {\"question\": \"x\"}, \"res"},
		{"lm-eval", "\n\n"},
		{"inspect", "PK\x03\x04"},
		{"inspect", "[]"},
		{"inspect", `{"version": 1, "samples": []}`},
		{"inspect", `{"version": 2, "status": "success"}`},
		{"inspect", `{"version": 2, "samples": {}}`},
		{"inspect", `{"version": 2, "samples": [{"id": 1}, {"id": "a/b", "output": {}}, 3]}`},
		{"jsonl", `{"prediction": "x"}` + "\n" + `{"id": "a/b"}` + "\n" + `{"id": "a/b", "prediction": true}`},
		{"jsonl", `{"id": "a/b", "cell": "1", "prediction": "x"}` + "\n" + `{"id": "a/b", "cell": "2", "prediction": "x"}`},
		{"jsonl", strings.Repeat(`{"id": 1}`+"\n", 25)},
	} {
		_, err := interchange.ReadFrom(t.Context(), c.format, "f", strings.NewReader(c.in))
		fmt.Fprintf(&b, "%s of %.60q\n\t%s\n", c.format, c.in, strings.ReplaceAll(fmt.Sprint(err), "\n", "\n\t"))
	}
	golden.Check(t, "faults.txt", b.String())
}

func TestReadFile(t *testing.T) {
	if _, err := interchange.Read(t.Context(), "csv", "x"); err == nil || !strings.HasPrefix(err.Error(), `unknown format "csv"`) {
		t.Errorf("error is %v", err)
	}
	large := filepath.Join(t.TempDir(), "large")
	try.Do(t, os.WriteFile(large, nil, 0o644))
	try.Do(t, os.Truncate(large, interchange.MaxSize+1))
	if _, err := interchange.Read(t.Context(), "mem0", large); err == nil || !strings.HasSuffix(err.Error(), "is larger than 1024 MiB, the limit") {
		t.Errorf("error is %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := interchange.ReadFrom(ctx, "mem0", "f", strings.NewReader(`[{"question": "x", "response": "y"}]`)); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want that of the context", err)
	}
}

// FuzzRead checks that no file panics, and that an answer has what it is found by
// and its place.
func FuzzRead(f *testing.F) {
	for _, in := range []string{
		`{"0": [{"question": "x", "response": "y", "speaker_1_memories": [{"memory": "m", "score": 1e400}], "response_time": -1}]}`,
		`{"doc": {"question": "x"}, "resps": [[["y"]]], "filter": "none"}`,
		`{"version": 2, "samples": [{"id": "a/b", "input": [{"role": "user", "content": [{"text": "t"}]}], "output": {"choices": [{"message": {"content": "y"}}]}, "model_usage": {"m": {"input_tokens": 9e99}}}]}`,
		`{"id": "a/b", "prediction": "x"}`, "{", "[[[[", "\xff", `{"0":`, `{"samples":`,
	} {
		for _, format := range interchange.ImportFormats() {
			f.Add(format, in)
		}
	}
	f.Fuzz(func(t *testing.T, format, in string) {
		file, err := interchange.ReadFrom(t.Context(), format, "f", strings.NewReader(in))
		if err != nil {
			return
		}
		for _, a := range file.Answers {
			if a.Line < 1 || a.Gold.Question == "" && a.Gold.Request == "" && format != "mem0" {
				t.Errorf("answer %+v has no place or nothing to find it by", a)
			}
			if u := a.Record.Usage["query"]["reader"]; a.Record.Time.Total < 0 || u.Total() < 0 {
				t.Errorf("answer %+v took less than nothing", a)
			}
		}
		m := interchange.Match(golds(), &file, locomoCategories)
		matched := 0
		for _, a := range m.Answers {
			if a != nil {
				matched++
			}
		}
		left := 0
		for _, n := range m.LeftOut {
			left += n
		}
		if matched+len(m.Unmatched)+left != len(file.Answers) || matched+m.Missing != len(golds()) {
			t.Errorf("%d answers: %d matched, %d not, %d left out; %d questions: %d missing", len(file.Answers), matched, len(m.Unmatched), left, len(golds()), m.Missing)
		}
	})
}

package judge

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

// A portCase is an answer as a released scorer judged it.
type portCase struct {
	Profile, Category, Question, Gold, Answer, Reply string
	Abstain, Ordered                                 bool
	Rubric                                           []string
	Score                                            *float64 // nil where the scorer ended
	Order                                            []float64
	Asked                                            []struct {
		Messages    []struct{ Role, Content string }
		MaxTokens   int `json:"max_tokens"`
		Temperature float64
	}
}

// generate is the stand-in of the script for a model.
func (c portCase) generate(asked *[]llm.Request) llm.GeneratorFunc {
	return func(_ context.Context, r llm.Request) (llm.Reply, error) {
		text := c.Reply
		switch words := strings.Split(text, " "); {
		case r.Format != nil: // about a line, by this project's prompt
			event, line, _ := strings.Cut(r.Messages[len(r.Messages)-1].Content, "\n\nLine B: ")
			event = strings.TrimSuffix(strings.TrimPrefix(event, "Event A: \""), "\"")
			line, _, _ = strings.Cut(line, "\n")
			text = `{"why": "w", "correct": false}`
			if strings.Contains(line, event) {
				text = `{"why": "w", "correct": true}`
			}
			return llm.Reply{Text: text}, nil
		case r.Params.MaxTokens > 0:
			text = strings.Join(words[:min(len(words), r.Params.MaxTokens)], " ")
		}
		*asked = append(*asked, r)
		if strings.TrimSpace(text) == "" {
			return llm.Reply{}, fault.New(fault.Empty, "the reply has no text")
		}
		return llm.Reply{Text: text}, nil
	}
}

// TestPort compares prompts, parameters and scores with those of released scorers, which
// scripts/ports/judges.py wrote into the folder that BENCH_PORTS names.
func TestPort(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(os.Getenv("BENCH_PORTS"), "judges-*.json"))
	if os.Getenv("BENCH_PORTS") == "" || os.Getenv("BENCH_CLONES") == "" {
		t.Skip("BENCH_PORTS names no folder with files of scripts/ports/judges.py, or BENCH_CLONES none with clones")
	}
	if err != nil || len(files) == 0 {
		t.Fatalf("BENCH_PORTS has no file judges-*.json: %v", err)
	}
	clones := map[string]string{"longmemeval": "LongMemEval", "beam-official": "BEAM", "mem0-2026/longmemeval": "memory-benchmarks"}
	counts := make(map[string]int)
	for _, file := range files {
		data := try.Get(os.ReadFile(file))(t)
		var cases []portCase
		try.Do(t, json.Unmarshal(data, &cases))
		for _, c := range cases {
			counts[c.Profile]++
			c.compare(t, filepath.Join(os.Getenv("BENCH_CLONES"), clones[c.Profile]))
		}
	}
	t.Logf("equal prompts, parameters and scores: %v", counts)
}

func (c portCase) compare(t *testing.T, clone string) {
	t.Helper()
	p := try.Get(FindProfile(c.Profile))(t)
	var asked []llm.Request
	j := try.Get(New(p, c.generate(&asked), Words{Authors: made(t, c.Profile, clone)}))(t)
	task := metrics.Item{Question: c.Question, Category: c.Category, Gold: c.Gold, Abstain: c.Abstain, Rubric: c.Rubric, Ordered: c.Ordered, Prediction: c.Answer}
	if c.Abstain {
		task.Gold, task.Explanation = "", c.Gold
	}
	v, err := j.Ask(t.Context(), task)
	if (err == nil) != (c.Score != nil) || c.Score != nil && math.Abs(v.Score-*c.Score) > 1e-12 {
		t.Errorf("%s: %q scores %v, %v; want %v", c.Profile, c.Reply, v.Score, err, c.Score)
	}
	if err == nil && len(asked) != len(c.Asked) {
		t.Errorf("%s: %d calls, want %d", c.Profile, len(asked), len(c.Asked))
	}
	for i, r := range asked {
		want := c.Asked[i]
		if r.Params.MaxTokens != want.MaxTokens || *r.Params.Temperature != want.Temperature || len(r.Messages) != len(want.Messages) {
			t.Errorf("%s asks by %+v, want %+v", c.Profile, r.Params, want)
			continue
		}
		for k, m := range r.Messages {
			if string(m.Role) != want.Messages[k].Role || m.Content != want.Messages[k].Content {
				t.Errorf("%s asks\n%q, want\n%q", c.Profile, m.Content, want.Messages[k].Content)
			}
		}
	}
	if err != nil || c.Order == nil {
		return
	}
	judged := metrics.Judged{Score: &v.Score, Order: v.Order}
	for i, name := range []string{"order@beam", "order-f1@beam", "order-final@beam", "released@beam"} {
		spec := try.Get(metrics.FindJudged(cmp.Or(map[int]string{1: "order@beam", 2: "order@beam"}[i], name) + ":m"))(t)
		got := spec.Score(metrics.Item{Ordered: true, Rubric: c.Rubric, Prediction: c.Answer, Judgements: map[string]metrics.Judged{"m": judged}})
		if x := got[i%3].X; math.Abs(x-c.Order[i%3]) > 1e-12 {
			t.Errorf("%s of %q is %v, want %v", name, c.Answer, x, c.Order[i%3])
		}
	}
}

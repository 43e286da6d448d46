package interchange_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/files/category"
	"recallbench/internal/publish/interchange"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

var answerMetrics = []*metrics.Spec{metrics.F1Mem0Spec, metrics.F1LoCoMoSpec, metrics.BLEU1Spec, metrics.RougeLSpec}

// score scores a file that holds in, and returns what is written.
func score(t *testing.T, in string, specs ...*metrics.Spec) (string, error) {
	t.Helper()
	var out strings.Builder
	err := interchange.ScoreLines(t.Context(), strings.NewReader(in), "p.jsonl", specs, nil, &out)
	if err != nil && out.Len() > 0 {
		t.Errorf("after the error %q there is output: %q", err, out.String())
	}
	return out.String(), err
}

// goodLines has every form that the format allows.
const goodLines = "\ufeff" + `{"id": "a/1", "category": 2, "prediction": "May 7, 2023", "gold": "7 May 2023"}
{"gold": 2022, "prediction": "in 2022", "id": "b<&>\u00e9\n", "category": "2", "note": {"any": ["thing"]}}` + "\r\n\r\n" +
	`{"id": 3, "category": 5.0, "prediction": "It is not mentioned.", "gold": null}
  {"id": -4.5e0, "category": 3, "prediction": "", "gold": "Rome", "abstain": false}
{"id": "5", "category": 1, "prediction": "Rome", "gold": "no such city", "abstain": true}`

func TestScoreLines(t *testing.T) {
	out := try.Get(score(t, goodLines, answerMetrics...))(t)
	golden.Check(t, "scored.jsonl", out)
}

// TestScoreFaults checks that all faults of a file come, each with its line and
// what would be right.
func TestScoreFaults(t *testing.T) {
	in := strings.Join([]string{
		`{"id": "1", "category": 1, "prediction": "x", "gold": "y"}`,
		`{"id": "1", "category": 1, "prediction": "x", "gold": "y"}`,
		`{"id": 1, "category": 1, "prediction": "x", "gold": "y"}`,
		`{"id": "4", "category": [1], "prediction": null, "gold": true, "abstain": "no"}`,
		`{"id": "", "prediction": 7}`,
		`["id"]`,
		`{"id": "7", "category": 1, "prediction": "x" "gold": "y"}`,
		"{\"id\": \"8\", \"category\": 1, \"prediction\": \"\xff\", \"gold\": \"y\"}",
		`{"id": "9", "category": 1, "prediction": "x", "prediction": "z", "gold": "y"}`,
		`{"id": "10", "category": 1, "prediction": "x", "gold": "y"} {}`,
		`{"ID": "11", "Category": 1, "Prediction": "x", "Gold": "y"}`,
		`{"id": "12", "category": 1, "prediction": "x", "gol`,
	}, "\n")
	_, err := score(t, in, answerMetrics...)
	if err == nil {
		t.Fatal("no error")
	}
	golden.Check(t, "score_faults.txt", err.Error()+"\n")
}

// TestScoreCategories reads names by the vocabulary that is given, and takes none that a
// metric would score by a rule that nobody chose.
func TestScoreCategories(t *testing.T) {
	line := func(category string) string {
		return fmt.Sprintf(`{"id": %[1]q, "category": %[1]q, "prediction": "Rome, May", "gold": "May, Oslo; maybe"}`, category) + "\n"
	}
	for _, c := range []struct {
		vocabulary *category.Vocabulary
		metric     *metrics.Spec
		in, like   string // scores as a line of the category like
		fault      string
	}{
		{category.LoCoMo, metrics.F1LoCoMoSpec, "multi-hop", "1", ""},
		{category.Mem0, metrics.F1LoCoMoSpec, "Multi-Hop", "3", ""},
		{category.Mem0, metrics.F1LoCoMoSpec, "single_hop", "1", ""},
		{category.Mem0, metrics.F1LoCoMoSpec, "3", "3", ""},
		{nil, metrics.F1LoCoMoSpec, "4.0", "4", ""},
		{nil, metrics.F1Mem0Spec, "multi-hop", "1", ""},
		{nil, metrics.F1LoCoMoSpec, "multi-hop", "", `p.jsonl:1: category "multi-hop" is a name, 1 to locomo, 3 to mem0`},
		{nil, metrics.F1LoCoMoSpec, "6", "", `p.jsonl:1: category "6" has no rule in f1@locomo, which has rules for 1, 2, 3, 4, 5; `},
		{category.LoCoMo, metrics.F1LoCoMoSpec, "6", "", `category "6" has no rule in f1@locomo`},
		{category.LoCoMo, metrics.F1Mem0Spec, "billing", "", `category "billing" is not in locomo, which has multi-hop, temporal`},
	} {
		scoreOf := func(text string) (string, error) {
			var out bytes.Buffer
			err := interchange.ScoreLines(t.Context(), strings.NewReader(line(text)), "p.jsonl", []*metrics.Spec{c.metric}, c.vocabulary, &out)
			_, value, _ := strings.Cut(out.String(), c.metric.Name)
			return value, err
		}
		got, err := scoreOf(c.in)
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: error is %v, want %q in it", c.in, err, c.fault)
			}
			continue
		}
		want, _ := scoreOf(c.like)
		if err != nil || got != want {
			t.Errorf("%s: scored %s, %v; want that of %s, %s", c.in, got, err, c.like, want)
		}
	}
	err := interchange.ScoreLines(t.Context(), strings.NewReader(strings.Replace(line("x")+line("x"), `"id": "x"`, `"id": "y"`, 1)), "p.jsonl", []*metrics.Spec{metrics.F1LoCoMoSpec}, nil, io.Discard)
	if err == nil || strings.Count(err.Error(), "\n") > 0 || !strings.Contains(err.Error(), `category "x" has no rule`) {
		t.Errorf("a category of two lines: error is %v", err)
	}
}

// TestScoreFixtures reads the scores back and finds the recorded ones, to 1e-9.
func TestScoreFixtures(t *testing.T) {
	in := try.Get(os.ReadFile(filepath.Join(realdata.Fixtures(t), "metrics", "pairs.jsonl")))(t)
	out := try.Get(score(t, string(in), answerMetrics...))(t)
	want := bufio.NewScanner(bytes.NewReader(in))
	n := 0
	for line := range strings.Lines(out) {
		var got, ref map[string]any
		if !want.Scan() || json.Unmarshal([]byte(line), &got) != nil || json.Unmarshal(want.Bytes(), &ref) != nil {
			t.Fatalf("line %q against %q", line, want.Text())
		}
		n++
		if got["id"] != ref["id"] || got["category"] != ref["category"] || len(got) != 6 {
			t.Fatalf("line %q against %q", line, want.Text())
		}
		for key, name := range map[string]string{
			"f1@mem0": "f1_set", "f1@locomo": "f1_locomo", "bleu1@nltk": "bleu1_nltk", "rouge-l@rouge_score": "rouge_l_stemmed",
		} {
			if d := got[key].(float64) - ref[name].(float64); math.Abs(d) > 1e-9 {
				t.Errorf("%s: %s is %v, want %v", ref["id"], key, got[key], ref[name])
			}
		}
	}
	if n != 500 {
		t.Errorf("%d lines, want 500", n)
	}
}

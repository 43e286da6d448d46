package report

import (
	"strings"
	"testing"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
)

func TestVerdicts(t *testing.T) {
	run := pairRun("main", 0.1)
	run.Header.Metrics = []string{"f1@mem0", "f1@span", "exact-match", "tokens@xmemory"}
	withSpan(run)
	one := func(r *Run) Verdict {
		t.Helper()
		all, err := Verdicts([]*Run{r}, fakeOptions())
		if err != nil || len(all) != 1 {
			t.Fatalf("%d verdicts: %v", len(all), err)
		}
		return all[0]
	}
	v := one(run)
	if want := "In f1@span, Naive RAG is significantly better than stateless (+"; !strings.HasPrefix(v.Text, want) {
		t.Errorf("got %q, want %q", v.Text, want)
	}
	if want := "The test rests on 10 conversations."; len(v.Notes) == 0 || v.Notes[0] != want {
		t.Errorf("notes are %q, want %q", v.Notes, want)
	}
	// The numbers are those of bench compare.
	rows, _, err := Contrasts(Side{Run: run, Method: "stateless"}, []Side{{Run: run, Method: "Naive RAG"}}, ContrastOptions{Options: Options{Metric: fakeMetrics, Columns: []string{"f1@span"}}})
	try.Do(t, err)
	if got := v.Pairs.Rows[0]; !strings.Contains(v.Text, "(+"+decimal(rows[0].Difference()*rows[0].Column.Scale, 2)) || len(v.Pairs.Rows) != 1 {
		t.Errorf("the verdict %q rests on %v, bench compare finds a difference of %v", v.Text, got, rows[0].Difference())
	}
	scale := rows[0].Column.Scale
	want := []Difference{{"Naive RAG", "stateless", rows[0].Difference() * scale, new(rows[0].Interval.Lo * scale), new(rows[0].Interval.Hi * scale), "better"}}
	try.Equal(t, "differences", want, v.Differences)

	// Two methods with the same answers.
	for i := range run.Header.Cells {
		run.Header.Cells[i].Method = []string{"one", "two"}[i]
	}
	scores := run.Scores
	run.Scores = func(yield func(record.Score, error) bool) {
		for s, err := range scores {
			if s.Cell != "c1" {
				continue
			}
			for _, s.Cell = range []string{"c1", "c2"} {
				if !yield(s, err) {
					return
				}
			}
		}
	}
	if v, want := one(run), "In f1@span, one and two score the same on every question."; v.Text != want {
		t.Errorf("got %q, want %q", v.Text, want)
	}
	run.Header.Cells[1].Dataset = "another"
	other := run.Header.Datasets[0]
	other.Label = "another"
	run.Header.Datasets = append(run.Header.Datasets, other)
	if all, err := Verdicts([]*Run{run}, fakeOptions()); err != nil || len(all) != 0 {
		t.Errorf("one method has the verdicts %v, %v", all, err)
	}
}

// withSpan gives answers the value in f1@span that they have in f1@mem0.
func withSpan(r *Run) {
	rescore(r, func(s *record.Score) {
		s.Values["f1@span"] = s.Values["f1@mem0"]
	})
}

// A verdict rests on the judge, else on the first column that has values and does not
// fall with length. Where there is none, there is no verdict.
func TestVerdictColumn(t *testing.T) {
	for _, c := range []struct {
		metrics []string
		want    string
	}{
		{[]string{"bleu1@nltk", "f1@mem0", "words", "f1@span", "evidence-recall"}, "evidence-recall"}, // f1@span has no values
		{[]string{"bleu1@nltk", "words", "pass", "evidence-recall"}, "pass"},
		{[]string{"pass", "words", "judge"}, "judge"},
		{[]string{"bleu1@nltk", "f1@mem0", "words", "tokens"}, ""},
	} {
		run := pairRun("main", 0.1, "bleu1@nltk", "words", "pass", "judge")
		run.Header.Metrics = c.metrics
		all := try.Get(Verdicts([]*Run{run}, fakeOptions()))(t)
		got := ""
		if len(all) > 0 {
			got = all[0].Column
		}
		if got != c.want || len(all) > 1 {
			t.Errorf("%v: the verdict is in %q, want %q", c.metrics, got, c.want)
		}
	}
}

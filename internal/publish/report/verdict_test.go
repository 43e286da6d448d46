package report

import (
	"strings"
	"testing"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
)

func TestRankings(t *testing.T) {
	run := pairRun("main", 0.1)
	run.Header.Metrics = []string{"f1@mem0", "f1@span", "exact-match", "tokens@xmemory"}
	withSpan(run)
	one := func(r *Run) Ranking {
		t.Helper()
		all, err := rankings([]*Run{r}, fakeOptions())
		if err != nil || len(all) != 1 {
			t.Fatalf("%d rankings: %v", len(all), err)
		}
		return all[0]
	}
	v := one(run)
	if want := "Naive RAG is significantly better than stateless in f1@span."; v.Text != want {
		t.Errorf("got %q, want %q", v.Text, want)
	}
	if want := "The test rests on 10 conversations."; len(v.Notes) == 0 || v.Notes[0] != want {
		t.Errorf("notes are %q, want %q", v.Notes, want)
	}
	// The numbers are those of bench compare.
	rows, _, err := Contrasts(Side{Run: run, Method: "stateless"}, []Side{{Run: run, Method: "Naive RAG"}}, ContrastOptions{Options: Options{Metric: fakeMetrics, Columns: []string{"f1@span"}}})
	try.Do(t, err)
	scale := rows[0].Column.Scale
	want := []Difference{{
		Side: "Naive RAG", Base: "stateless", Mean: rows[0].Difference() * scale, Low: new(rows[0].Interval.Lo * scale), High: new(rows[0].Interval.Hi * scale),
		P: v.Differences[0].P, Verdict: "better", Text: rows[0].differenceCell(true).Text,
	}}
	try.Equal(t, "differences", want, v.Differences)
	// Rows say how they stand, as on the screen, and so do their parts.
	best, worse := v.Rows[0], v.Rows[1]
	if best.Label != "Naive RAG" || best.Place != "best" || worse.Place != "worse" || !strings.Contains(screenOf(t, run, 100), worse.Stands) {
		t.Errorf("the rows are %+v and %+v", best, worse)
	}
	if e := best.Estimate; e == nil || e.Low == nil || *e.Low > e.Mean || *e.High < e.Mean || e.Text != decimal(e.Mean, v.Column.Digits) {
		t.Errorf("the best row has %+v", e)
	}
	for _, row := range v.Rows {
		if len(row.Cells) != len(v.Columns) {
			t.Errorf("%s has %d cells in %d columns", row.Label, len(row.Cells), len(v.Columns))
		}
	}
	for _, part := range v.Parts {
		if len(part.Means) != len(v.Rows) || part.N == 0 {
			t.Errorf("category %s has %d means of %d questions", part.Name, len(part.Means), part.N)
		}
	}
	// Rows are ranked by another column where it is named.
	o := fakeOptions()
	o.Columns = []string{"exact-match"}
	if other := try.Get(rankings([]*Run{run}, o))(t); other[0].Column.Name != "exact-match" || len(other[0].Differences) != 1 {
		t.Errorf("by exact-match: %+v", other[0])
	}
	o.Columns = []string{"exact-mach"}
	if _, err := rankings([]*Run{run}, o); err == nil || !strings.Contains(err.Error(), "exact-match") {
		t.Errorf("a column that is not there: %v", err)
	}

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
	for _, r := range try.Get(rankings([]*Run{run}, fakeOptions()))(t) {
		if r.Text != "" || len(r.Differences) > 0 || len(r.Rows) != 1 {
			t.Errorf("one method is compared: %+v", r)
		}
	}
}

// rankings ranks rows, of whose costs nothing is known, by the column of the options.
func rankings(runs []*Run, o Options) ([]Ranking, error) {
	r, err := NewRanker(runs, func(*Run) []record.Spent { return nil }, o)
	if err != nil {
		return nil, err
	}
	return r.Rankings(strings.Join(o.Columns, ""))
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
		all := try.Get(rankings([]*Run{run}, fakeOptions()))(t)
		got := ""
		if len(all) > 0 && len(all[0].Differences) > 0 {
			got = all[0].Column.Name
		}
		if got != c.want || len(all) > 1 {
			t.Errorf("%v: the verdict is in %q, want %q", c.metrics, got, c.want)
		}
	}
}

package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
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
	want := []Difference{{"Naive RAG", "stateless", *estimateOf(rows[0].differenceCell(true)), "better"}}
	try.Equal(t, "differences", want, v.Differences)
	// Rows say how they stand, as on the screen, and so do their parts.
	best, worse := v.Rows[0], v.Rows[1]
	if best.Label != "Naive RAG" || best.Place != "best" || worse.Place != "worse" || !strings.Contains(screenOf(t, run, 100), worse.Stands) {
		t.Errorf("the rows are %+v and %+v", best, worse)
	}
	if e := best.Estimate; e == nil || e.Low == nil || *e.Low > e.Mean || *e.High < e.Mean || e.Text != decimal(e.Mean, rows[0].Column.Digits) {
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

	// Two methods with the same answers.
	for i := range run.Header.Cells {
		run.Header.Cells[i].Method = []string{"one", "two"}[i]
	}
	var same []record.Score
	rescore(run, func(s *record.Score) {
		if s.Cell == "c1" {
			other := *s
			other.Cell = "c2"
			same = append(same, *s, other)
		}
	})
	run.Scores = listed(same)
	if v, want := one(run), "In f1@span, one and two score the same on every question."; v.Text != want {
		t.Errorf("got %q, want %q", v.Text, want)
	}
}

// rankings ranks rows, of whose costs nothing is known, by the column of the options.
func rankings(runs []*Run, o Options) ([]Ranking, error) {
	f, err := Read(runs, o)
	if err != nil {
		return nil, err
	}
	return f.Rankings(strings.Join(o.Columns, ""), func(*Run) []record.Spent { return nil }, o)
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

// screenOf returns what a run's screen prints at a width.
func screenOf(t *testing.T, r *Run, width int) string {
	t.Helper()
	var b strings.Builder
	try.Do(t, WriteScreen(&b, r, width, ScreenOptions{Options: fakeOptions(), Next: [][2]string{{"bench view RUN", "the answers"}, {"bench table RUN", "all metrics"}}}))
	return b.String()
}

func TestScreen(t *testing.T) {
	run := pairRun("main", 0.1)
	run.Header.Metrics = []string{"f1@mem0", "f1@span", "exact-match", "tokens@xmemory"}
	withSpan(run)
	golden.Check(t, "screen.txt", screenOf(t, run, 100))

	for _, width := range []int{40, 60, 80, 200} {
		for line := range strings.Lines(screenOf(t, run, width)) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width && !strings.HasPrefix(line, "bench ") {
				t.Errorf("at %d columns a line has %d: %q", width, n, line)
			}
		}
	}
}

// A ceiling comes last, is ranked with nothing and is the best of no column, whatever its
// score.
func TestScreenCeiling(t *testing.T) {
	run := pairRun("main", 0.1)
	run.Header.Metrics = []string{"f1@span"}
	withSpan(run)
	i := slices.IndexFunc(run.Header.Cells, func(c record.Cell) bool { return c.Method == "Naive RAG" })
	run.Header.Cells[i].Sees = "sees the gold evidence"
	text := screenOf(t, run, 100)
	if strings.Index(text, "Naive RAG") < strings.Index(text, "stateless") || !strings.Contains(text, "not ranked") || strings.Contains(text, "worse") {
		t.Errorf("the ceiling is ranked:\n%s", text)
	}
	doc := try.Get(Build([]*Run{run}, fakeOptions()))(t)
	for _, row := range doc.Tables[0].Rows {
		for _, cell := range row {
			if cell.Best && row[0].Text == "Naive RAG" {
				t.Errorf("the ceiling is the best: %+v", row)
			}
		}
	}
}

// A run of many methods, and one of many models, fit on a screen, which says what is left out.
func TestScreenFits(t *testing.T) {
	for name, change := range map[string]func(i int, cell *record.Cell){
		"methods": func(i int, cell *record.Cell) { cell.Method = strings.Repeat("m", i+1) },
		"models":  func(i int, cell *record.Cell) { cell.Model = strings.Repeat("x", i/2+1) },
	} {
		run := pairRun("main", 0.1)
		run.Header.Metrics = []string{"f1@span"}
		two, model := run.Header.Cells, run.Header.Models[0]
		run.Header.Cells, run.Header.Models = nil, nil
		for i := range 60 {
			cell := two[i%2]
			cell.ID = fmt.Sprint(i/2, cell.ID)
			change(i, &cell)
			run.Header.Cells = append(run.Header.Cells, cell)
			model.Label = cell.Model
			run.Header.Models = append(run.Header.Models, model)
		}
		var all []record.Score
		rescore(run, func(s *record.Score) {
			s.Values["f1@span"] = s.Values["f1@mem0"]
			for i := range 30 {
				of := *s
				of.Cell = fmt.Sprint(i, s.Cell)
				all = append(all, of)
			}
		})
		run.Scores = listed(all)
		text := screenOf(t, run, 100)
		if n := strings.Count(text, "\n"); n > screenLines || !strings.Contains(text, "More in 'bench table'.") {
			t.Errorf("%s: %d lines, want at most %d and where there is more:\n%s", name, n, screenLines, text)
		}
	}
}

// controlledRun is a run over eight samples of two requests, whose scores lie about the
// level of their method.
func controlledRun(metric string, levels map[string]float64, order ...string) *Run {
	d := locomoDataset(8, 16)
	r := &Run{Name: "made", Header: record.Header{
		ID: "r5", Name: "made", Status: record.Complete, Datasets: []record.Dataset{d},
		Models: []record.Model{offlineModel()}, Metrics: []string{"f1@mem0", metric},
	}}
	for _, method := range order {
		use, _, _ := strings.Cut(method, " ")
		r.Header.Cells = append(r.Header.Cells, record.Cell{ID: method, Method: method, Use: use, Dataset: d.Label, Model: "offline", Planned: 16})
	}
	var all []record.Score
	for m, method := range order {
		for i := range 16 {
			// No two methods differ by the same from one request to the next.
			x := levels[method] + 0.02*float64((i*(m+2)+3*m)%7)
			all = append(all, record.Score{
				Cell: method, Sample: fmt.Sprint("s", i/2), Request: fmt.Sprint("q", i%2), Category: "1", Status: record.OK,
				Values: map[string]*float64{"f1@mem0": new(1 - x), metric: new(x)},
			})
		}
	}
	r.Scores = listed(all)
	return r
}

// TestControls checks what the title of a ranking says of memories that do not beat
// what has no memory.
func TestControls(t *testing.T) {
	for name, c := range map[string]struct {
		levels map[string]float64
		order  []string
		want   string
	}{
		"level with both":   {map[string]float64{"grep": 0.5, "placebo": 0.5, "rag": 0.5, "notes": 0.2}, []string{"grep", "placebo", "rag", "notes"}, " No memory is significantly better than placebo or grep."},
		"behind one":        {map[string]float64{"grep": 0.7, "placebo": 0.1, "rag": 0.5}, []string{"grep", "placebo", "rag"}, " No memory is significantly better than grep."},
		"by its label":      {map[string]float64{"grep by words": 0.7, "rag": 0.5}, []string{"grep by words", "rag"}, " No memory is significantly better than grep by words."},
		"one memory is":     {map[string]float64{"grep": 0.3, "placebo": 0.1, "rag": 0.3, "notes": 0.8}, []string{"grep", "placebo", "rag", "notes"}, ""},
		"a ceiling is none": {map[string]float64{"grep": 0.3, "rag": 0.3, "oracle": 0.9, "recent": 0.9, "stateless": 0.9}, []string{"grep", "rag", "oracle", "recent", "stateless"}, " No memory is significantly better than grep."},
		"without a memory":  {map[string]float64{"grep": 0.3, "oracle": 0.9}, []string{"grep", "oracle"}, ""},
		"without a control": {map[string]float64{"rag": 0.3, "notes": 0.3}, []string{"rag", "notes"}, ""},
		"all score alike":   {nil, []string{"grep", "rag"}, " No memory is significantly better than grep."},
	} {
		t.Run(name, func(t *testing.T) {
			all := try.Get(rankings([]*Run{controlledRun("f1@span", c.levels, c.order...)}, Options{Metric: fakeMetrics}))(t)
			if title := all[0].Title; !strings.HasSuffix(title, " offline."+c.want) {
				t.Errorf("title %q, want %q at its end", title, c.want)
			}
		})
	}
}

package report

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// screenOf returns what a run's screen prints at a width.
func screenOf(t *testing.T, r *Run, width int) string {
	t.Helper()
	s := try.Get(NewScreen(r, ScreenOptions{Options: fakeOptions(), Next: [][2]string{{"bench view RUN", "the answers"}, {"bench table RUN", "all metrics"}}}))(t)
	var b strings.Builder
	try.Do(t, s.Text(&b, width))
	return b.String()
}

func TestScreen(t *testing.T) {
	run := pairRun("main", 0.1)
	run.Header.Metrics = []string{"f1@mem0", "f1@span", "exact-match", "tokens@xmemory"}
	withSpan(run)
	golden.Check(t, "screen.txt", screenOf(t, run, 100))

	// The best comes first, and the difference is the one of bench compare.
	rows, _, err := Contrasts(Side{Run: run, Method: "Naive RAG"}, []Side{{Run: run, Method: "stateless"}}, ContrastOptions{Options: Options{Metric: fakeMetrics, Columns: []string{"f1@span"}}})
	try.Do(t, err)
	c := rows[0]
	want := "worse by " + decimal(-c.Difference()*c.Column.Scale, 1) + " (" + decimal(-c.Interval.Hi*c.Column.Scale, 1) + " to " + decimal(-c.Interval.Lo*c.Column.Scale, 1) + ")"
	if text := screenOf(t, run, 100); !strings.Contains(text, want) || strings.Index(text, "Naive RAG") > strings.Index(text, "stateless") {
		t.Errorf("want Naive RAG first and %q in\n%s", want, text)
	}
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
	for _, c := range []struct {
		name string
		of   func(i int, cell *record.Cell)
		want string
	}{
		{"methods", func(i int, cell *record.Cell) { cell.Method = strings.Repeat("m", i+1) }, "More in 'bench table'."},
		{"models", func(i int, cell *record.Cell) { cell.Model = strings.Repeat("x", i/2+1) }, "More in 'bench table'."},
	} {
		run := pairRun("main", 0.1)
		run.Header.Metrics = []string{"f1@span"}
		withSpan(run)
		two, model := run.Header.Cells[:2:2], run.Header.Models[0]
		scores := run.Scores
		run.Header.Cells, run.Header.Models = nil, nil
		for i := range 60 {
			cell := two[i%2]
			cell.ID = string(rune('A'+i/2)) + cell.ID
			c.of(i, &cell)
			run.Header.Cells = append(run.Header.Cells, cell)
			model.Label = cell.Model
			run.Header.Models = append(run.Header.Models, model)
		}
		run.Scores = func(yield func(record.Score, error) bool) {
			for s, err := range scores {
				id := s.Cell
				for i := range 30 {
					if s.Cell = string(rune('A'+i)) + id; !yield(s, err) {
						return
					}
				}
			}
		}
		text := screenOf(t, run, 100)
		if n := strings.Count(text, "\n"); n > screenLines || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d lines, want at most %d and %q:\n%s", c.name, n, screenLines, c.want, text)
		}
	}
}

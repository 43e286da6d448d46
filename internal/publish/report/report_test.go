package report

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

func render(t *testing.T, d *Document, format string) string {
	t.Helper()
	var b strings.Builder
	try.Do(t, d.Write(&b, format))
	return b.String()
}

// unstyled is render without what all pages have: their head with the style sheet.
func unstyled(t *testing.T, d *Document, format string) string {
	t.Helper()
	text := render(t, d, format)
	if _, body, ok := strings.Cut(text, "<body>\n"); ok && format == "html" {
		return body
	}
	return text
}

func TestMainTable(t *testing.T) {
	d := try.Get(Build([]*Run{standInRun()}, fakeOptions()))(t)
	for _, format := range Formats() {
		golden.Check(t, "main."+format, unstyled(t, d, format))
	}
}

func TestIntervalsAndCategories(t *testing.T) {
	o := fakeOptions()
	o.Intervals, o.By, o.Columns = true, Category, []string{"f1@mem0", "exact-match"}
	d := try.Get(Build([]*Run{standInRun()}, o))(t)
	for _, format := range []string{"text", "json"} {
		golden.Check(t, "category."+format, unstyled(t, d, format))
	}
}

func TestEveryRequestFailed(t *testing.T) {
	r := standInRun()
	rescore(r, func(s *record.Score) {
		s.Status = record.Error
		s.Values = map[string]*float64{"f1@mem0": new(0.0)}
	})
	o := fakeOptions()
	o.Intervals, o.Columns = true, []string{"f1@mem0", "evidence-recall"}
	d := try.Get(Build([]*Run{r}, o))(t)
	golden.Check(t, "failed.text", render(t, d, "text"))
}

// A row whose requests all failed has asked for no token, and is not the best.
func TestFailedRowIsNotBest(t *testing.T) {
	r := standInRun()
	rescore(r, func(s *record.Score) {
		if s.Cell == "c1" {
			s.Status = record.Error
			s.Values = map[string]*float64{"tokens@xmemory": new(0.0)}
		}
	})
	o := fakeOptions()
	o.Columns = []string{"tokens@xmemory"}
	d := try.Get(Build([]*Run{r}, o))(t)
	var best []string
	for _, row := range d.Tables[0].Rows {
		if row[len(row)-1].Best {
			best = append(best, row[0].Text)
		}
	}
	try.Equal(t, "rows with the best", []string{"RAG | 10"}, best)
}

func TestFaults(t *testing.T) {
	first := func(change func(*record.Score)) func(*Run, *Options) {
		return func(r *Run, _ *Options) {
			rescore(r, func(s *record.Score) {
				change(s)
			})
		}
	}
	for _, c := range []struct {
		name   string
		change func(*Run, *Options)
		want   string
	}{
		{"a cell that is not in the header", first(func(s *record.Score) { s.Cell = "c7" }), "offline: there are scores of cell c7, which the run does not have"},
		{"a request twice", first(func(s *record.Score) { s.Sample, s.Request = "conv-0", "1-0" }), "offline: question 1-0 of conv-0 is scored twice in cell c1"},
		{"a dataset that is not in the header", func(r *Run, _ *Options) { r.Header.Datasets = nil }, `offline: cell c1 names dataset "locomo" and model "offline", which the header does not describe`},
		{"a metric that this program lacks", func(r *Run, _ *Options) { r.Header.Metrics = []string{"f9"} }, `offline: unknown metric "f9"`},
		{"scores that cannot be read", func(r *Run, _ *Options) {
			r.Scores = func(yield func(record.Score, error) bool) {
				yield(record.Score{}, errors.New("scores.jsonl:3: unexpected EOF"))
			}
		}, "scores.jsonl:3: unexpected EOF"},
		{"a column", func(_ *Run, o *Options) { o.Columns = []string{"f1@mem"} }, `unknown column "f1@mem"; did you mean "f1@mem0"? have f1@mem0, exact-match, evidence-recall, tokens@xmemory, hits, blocks`},
		{"a published table", func(_ *Run, o *Options) { o.Published = []string{"xmemory-table9"} }, `unknown published table "xmemory-table9"; did you mean "xmemory-table1"?`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, o := standInRun(), fakeOptions()
			c.change(r, &o)
			_, err := Build([]*Run{r}, o)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error = %v\nwant    %s", err, c.want)
			}
		})
	}
}

// The order of scores in the file does not show.
func TestOrderOfScores(t *testing.T) {
	build := func(reverse bool) string {
		r := standInRun()
		if reverse {
			var all []record.Score
			for s := range try.Each(t, r.Scores) {
				all = append(all, s)
			}
			slices.Reverse(all)
			r.Scores = func(yield func(record.Score, error) bool) {
				for _, s := range all {
					if !yield(s, nil) {
						return
					}
				}
			}
		}
		o := fakeOptions()
		o.By, o.Intervals = Category, true
		d := try.Get(Build([]*Run{r}, o))(t)
		return render(t, d, "text")
	}
	try.Equal(t, "reversed scores give another report", build(false), build(true))
}

// TestByLabel splits by a label, whose values stand in the order of numbers.
func TestByLabel(t *testing.T) {
	o := fakeOptions()
	o.By, o.Columns = "turn", []string{"tokens@xmemory"}
	d := try.Get(Build([]*Run{standInRun()}, o))(t)
	golden.Check(t, "by_turn.txt", render(t, d, "text"))
	o.By = "turns"
	if _, err := Build([]*Run{standInRun()}, o); err == nil || !strings.Contains(err.Error(), `unknown label "turns"; did you mean "turn"? have category, turn`) {
		t.Errorf("an unknown label gives %v", err)
	}
}

// A filter counts what the column of a split does, and says what is none.
func TestFilter(t *testing.T) {
	o := fakeOptions()
	o.By, o.Columns = Category, []string{"f1@mem0"}
	split := try.Get(Build([]*Run{standInRun()}, o))(t).Tables[1]
	o.By, o.Filter = "", []string{"category=temporal"}
	filtered := try.Get(Build([]*Run{standInRun()}, o))(t).Tables[0]
	for i, row := range filtered.Rows {
		if got, want := *row[3].Value, *split.Rows[i][2].Value; got != want || row[1].Text != "30" {
			t.Errorf("%s: %v of %s requests, want %v of 30", row[0].Text, got, row[1].Text, want)
		}
	}
	for _, filter := range []string{"temporal", "kind=x", "category=none"} {
		o.Filter = []string{filter}
		if _, err := Build([]*Run{standInRun()}, o); err == nil || !strings.HasPrefix(err.Error(), "filter ") {
			t.Errorf("%s: error %v", filter, err)
		}
	}
}

package report

import (
	"strings"
	"testing"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/published"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// TestBesideByID finds the categories of a table that calls them by the dataset's ids.
func TestBesideByID(t *testing.T) {
	r := llamaRun()
	rescore(r, func(s *record.Score) { s.Category = r.Header.Datasets[0].CategoryName(s.Category) })
	for i, c := range r.Header.Datasets[0].Categories {
		r.Header.Datasets[0].Categories[i] = record.Category{ID: c.Name, Name: "questions of kind " + c.ID}
	}
	o := fakeOptions()
	o.Published = []string{"xmemory-table1"}
	d := try.Get(Build([]*Run{r}, o))(t)
	if text := render(t, d, "text"); strings.Contains(text, "no requests of category") || !strings.Contains(text, "multi-hop") {
		t.Errorf("categories are not found by their ids:\n%s", text)
	}
}

// TestReaders prints the rows of one reader, or of all.
func TestReaders(t *testing.T) {
	for _, all := range []bool{false, true} {
		o := fakeOptions()
		o.Published, o.AllReaders = []string{"xmemory-table1"}, all
		d := try.Get(Build([]*Run{standInRun()}, o))(t)
		want := []string{"Qwen3-8B"}
		if all {
			want = append(want, "Llama-3.1-8B-Ins", "GPT-5 nano")
		}
		try.Equal(t, "models", want, models(d))
		note := strings.Contains(render(t, d, "text"), "'bench table RUN --published all' adds the published rows of other models")
		if note == all {
			t.Errorf("all %v: the note on hidden rows is there: %v", all, note)
		}
	}
}

// models returns the models of published rows in the tables of a document.
func models(d *Document) (all []string) {
	for _, t := range d.Tables {
		for _, row := range t.Rows {
			if t.Columns[0].Name == "model" {
				all = lists.AddNew(all, row[0].Text)
			}
		}
	}
	return all
}

// TestNothingAnswered puts no published table beside a run in which every request
// failed, and no row beside a method of which all failed.
func TestNothingAnswered(t *testing.T) {
	text := func(fails func(record.Score) bool) string {
		r := standInRun()
		rescore(r, func(s *record.Score) {
			if fails(*s) {
				s.Status = record.Error
			}
		})
		o := fakeOptions()
		o.Published = []string{"xmemory-table1"}
		return render(t, try.Get(Build([]*Run{r}, o))(t), "text")
	}
	if got := text(func(record.Score) bool { return true }); strings.Contains(got, "xmemory-table1") {
		t.Errorf("the table follows a run in which everything failed:\n%s", got)
	}
	if got := text(func(s record.Score) bool { return s.Cell == "c2" }); !strings.Contains(got, "every question failed") || strings.Contains(got, "published and measured") {
		t.Errorf("a row stands beside a method of which all failed:\n%s", got)
	}
}

// Every published table can be shown; those of the golden file have groups,
// deviations and findings.
func TestShow(t *testing.T) {
	checks := published.Audit()
	for _, p := range published.List() {
		got := render(t, Show(p, checks), "text")
		switch p.Name {
		case "xmemory-table8", "semantic-anchoring-table1", "semantic-anchoring-latency":
			golden.Check(t, "show-"+p.Name+".text", got)
		}
	}
}

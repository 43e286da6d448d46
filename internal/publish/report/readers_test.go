package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
)

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
		if diff := cmp.Diff(want, models(d)); diff != "" {
			t.Errorf("all %v: models (-want +got):\n%s", all, diff)
		}
		note := strings.Contains(render(t, d, "text"), "'bench table RUN --published all' adds the published rows of other models")
		if note == all {
			t.Errorf("all %v: the note on hidden rows is there: %v", all, note)
		}
	}
}

// models returns the models of published rows in the tables of a document.
func models(d *Document) []string {
	var all []string
	for _, t := range d.Tables {
		if !strings.HasPrefix(t.Name, "xmemory") || t.Columns[0].Name != "model" || strings.HasSuffix(t.Name, "not published") {
			continue
		}
		for _, row := range t.Rows {
			if !slices.Contains(all, row[0].Text) {
				all = append(all, row[0].Text)
			}
		}
	}
	return all
}

// TestNothingAnswered puts no published table beside a run in which every request
// failed, and no row beside a method of which all failed.
func TestNothingAnswered(t *testing.T) {
	build := func(fails func(record.Score) bool) *Document {
		r := standInRun()
		rescore(r, func(s *record.Score) {
			if fails(*s) {
				s.Status = record.Error
			}
		})
		o := fakeOptions()
		o.Published = []string{"xmemory-table1"}
		d := try.Get(Build([]*Run{r}, o))(t)
		return d
	}
	if d := build(func(record.Score) bool { return true }); len(models(d)) > 0 || strings.Contains(render(t, d, "text"), "xmemory-table1") {
		t.Errorf("the table follows a run in which everything failed:\n%s", render(t, d, "text"))
	}
	text := render(t, build(func(s record.Score) bool { return s.Cell == "c2" }), "text")
	if !strings.Contains(text, "every question failed") || strings.Contains(text, "published and measured") {
		t.Errorf("a row stands beside a method of which all failed:\n%s", text)
	}
}

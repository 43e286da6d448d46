package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/publish/published"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
)

func TestNearest(t *testing.T) {
	for _, c := range []struct{ table, model, want string }{
		{"xmemory-table1", "gpt-4o-mini", "GPT-5 nano"},
		{"xmemory-table1", "openai/gpt-5-nano", "GPT-5 nano"},
		{"xmemory-table1", "meta-llama/Llama-3.3-70B-Instruct", "Llama-3.1-8B-Ins"},
		{"xmemory-table1", "qwen2.5:7b", "Qwen3-8B"},
		{"xmemory-table1", "claude-sonnet-4-5", "Qwen3-8B"}, // none begins so, and it is the first
		{"xmemory-table1", "", "Qwen3-8B"},
		{"semantic-xpath-table1", "gemini-2.5-flash", "Gemini 3 Flash"},
		{"semantic-xpath-table1", "gpt-5", "GPT-5 mini"},
		{"xmemory-table3", "gpt-5", "Qwen3-8B"}, // the only one
		{"semantic-anchoring-table4", "gpt-5", ""},
	} {
		table := try.Get(published.Get(c.table))(t)
		l := &line{model: record.Model{Reader: c.model, Offline: c.model == ""}}
		if got := (comparison{table: table}).nearest(l); got != c.want {
			t.Errorf("%s: the nearest reader of %q is %q, want %q", c.table, c.model, got, c.want)
		}
	}
}

// TestReaders prints the rows of the nearest reader, or of all.
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
		note := strings.Contains(render(t, d, "text"), "'bench table RUN --published all' adds those of Llama-3.1-8B-Ins, GPT-5 nano")
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
	if !strings.Contains(text, "every request failed") || strings.Contains(text, "beside what was measured") {
		t.Errorf("a row stands beside a method of which all failed:\n%s", text)
	}
}

// TestServedNote names models that were not asked for, and weights that changed
// under one name; what else a fingerprint says may change.
func TestServedNote(t *testing.T) {
	for _, tt := range []struct {
		served, fingerprints []string
		want                 string
	}{
		{[]string{"m"}, []string{"b1; weights: A", "b2; weights: A", "fp_1"}, ""},
		{[]string{"m"}, []string{"b1; weights: A", "b1; weights: B"}, "the server changed its weights: A, B"},
		{[]string{"m", "x"}, nil, "asked for m, served by m, x"},
	} {
		if got := servedNote(record.Model{Reader: "m", Served: tt.served, Fingerprints: tt.fingerprints}); got != tt.want {
			t.Errorf("%q, %q: %q, want %q", tt.served, tt.fingerprints, got, tt.want)
		}
	}
}

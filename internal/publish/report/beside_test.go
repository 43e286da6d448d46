package report

import (
	"strings"
	"testing"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

func TestBeside(t *testing.T) {
	o := fakeOptions()
	o.Columns = []string{"f1@mem0"}
	o.Published = []string{"xmemory-table1"}
	d := try.Get(Build([]*Run{standInRun()}, o))(t)
	for _, format := range []string{"text", "json"} {
		golden.Check(t, "beside."+format, unstyled(t, d, format))
	}
}

// With the reader, the embeddings, the data and the dialects of the paper, the
// cells of questions compare. Tokens do not: the paper averages over all
// questions.
func TestBesideComparable(t *testing.T) {
	o := fakeOptions()
	o.Published = []string{"xmemory-table1"}
	d := try.Get(Build([]*Run{llamaRun()}, o))(t)
	golden.Check(t, "comparable.text", render(t, d, "text"))
}

// TestBesideByID finds the categories of a table that calls them by the dataset's ids.
func TestBesideByID(t *testing.T) {
	r := llamaRun()
	var scores []record.Score
	for s := range try.Each(t, r.Scores) {
		s.Category = r.Header.Datasets[0].CategoryName(s.Category)
		scores = append(scores, s)
	}
	for i, c := range r.Header.Datasets[0].Categories {
		r.Header.Datasets[0].Categories[i] = record.Category{ID: c.Name, Name: "questions of kind " + c.ID}
	}
	r.Scores = func(yield func(record.Score, error) bool) {
		for _, s := range scores {
			if !yield(s, nil) {
				return
			}
		}
	}
	o := fakeOptions()
	o.Published = []string{"xmemory-table1"}
	d := try.Get(Build([]*Run{r}, o))(t)
	if text := render(t, d, "text"); strings.Contains(text, "no requests of category") || !strings.Contains(text, "multi-hop") {
		t.Errorf("categories are not found by their ids:\n%s", text)
	}
}

// The average of the task domains is over domains, whatever their sizes.
func TestBesideOverGroups(t *testing.T) {
	o := fakeOptions()
	o.Published = []string{"semantic-xpath-table1"}
	d := try.Get(Build([]*Run{tasksRun()}, o))(t)
	golden.Check(t, "tasks.text", render(t, &Document{Tables: d.Tables[1:2]}, "text"))
}

// When adversarial questions are asked too, scores are over the categories of
// the table all the same, and tokens over all questions, as the paper has them.
func TestBesideWithAdversarial(t *testing.T) {
	o := fakeOptions()
	o.Published = []string{"xmemory-table1"}
	d := try.Get(Build([]*Run{withAdversarial(llamaRun())}, o))(t)
	golden.Check(t, "adversarial.text", render(t, &Document{Tables: d.Tables[:2]}, "text"))
}

package report

import (
	"testing"

	"recallbench/internal/testkit/golden"
)

func TestBeside(t *testing.T) {
	o := fakeOptions()
	o.Columns = []string{"f1@mem0"}
	o.Published = []string{"xmemory-table1"}
	d, err := Build([]*Run{offlineRun()}, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range Formats() {
		golden.Check(t, "beside."+format, unstyled(t, d, format))
	}
}

// As the paper has it, with a method that is measured and one that is not.
func TestWide(t *testing.T) {
	o := fakeOptions()
	o.Published, o.Wide = []string{"xmemory-table1"}, true
	d, err := Build([]*Run{offlineRun()}, o)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "wide.text", render(t, d, "text"))
	golden.Check(t, "wide.markdown", render(t, d, "markdown"))
}

// With the reader, the embeddings, the data and the dialects of the paper, the
// cells of questions compare. Tokens do not: the paper averages over all
// questions.
func TestBesideComparable(t *testing.T) {
	o := fakeOptions()
	o.Published = []string{"xmemory-table1"}
	o.Rows = map[string]string{"xMemory": "XMEMORY"}
	d, err := Build([]*Run{llamaRun()}, o)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "comparable.text", render(t, d, "text"))
}

// When adversarial questions are asked too, scores are over the categories of
// the table all the same, and tokens over all questions, as the paper has them.
func TestBesideWithAdversarial(t *testing.T) {
	o := fakeOptions()
	o.Published, o.Rows = []string{"xmemory-table1"}, map[string]string{"xMemory": "xmemory"}
	d, err := Build([]*Run{withAdversarial(llamaRun())}, o)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "adversarial.text", render(t, &Document{Tables: d.Tables[:2]}, "text"))
}

// The average of the task domains is over domains, whatever their sizes.
func TestBesideOverGroups(t *testing.T) {
	o := fakeOptions()
	o.Published = []string{"semantic-xpath-table1"}
	d, err := Build([]*Run{tasksRun()}, o)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "tasks.text", render(t, &Document{Tables: d.Tables[1:2]}, "text"))
}

// Without the paper's dialect another one is shown, and does not compare.
func TestBesideOtherDialect(t *testing.T) {
	r := llamaRun()
	r.Header.Metrics = []string{"f1@locomo"}
	r.Scores = scores(r.Header.Datasets[0], r.Header.Metrics, fakeCell{
		Cell: r.Header.Cells[0], level: 0.34, counts: map[string]int{"1": 282, "2": 321, "3": 96, "4": 841},
	})
	o := fakeOptions()
	o.Published, o.Rows = []string{"xmemory-table3"}, map[string]string{"xMemory": "xmemory"}
	d, err := Build([]*Run{r}, o)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "dialect.text", render(t, &Document{Tables: d.Tables[1:]}, "text"))
}

package report

import (
	"testing"

	"recallbench/internal/golden"
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
		golden.Check(t, "beside."+format, render(t, d, format))
	}
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

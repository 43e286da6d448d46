package report

import (
	"testing"

	"recallbench/internal/golden"
	"recallbench/internal/record"
)

// pairRun is a run of two methods on 500 questions about 10 samples, whose scores
// are those of offlineRun raised by some points.
func pairRun(name string, raised float64) *Run {
	counts := map[string]int{"1": 100, "2": 100, "3": 50, "4": 250}
	d := locomoDataset(10, 500)
	names := []string{"f1@mem0", "exact-match", "evidence-recall", "tokens@xmemory", "hit-density"}
	r := &Run{Name: "2026-" + name, Header: record.Header{
		ID: name, Name: name, Status: record.Complete, Seed: 7,
		Binary:   record.Binary{Version: "devel"},
		Datasets: []record.Dataset{d}, Models: []record.Model{offlineModel()}, Metrics: names,
	}}
	cells := []fakeCell{
		{Cell: record.Cell{ID: "c1", Method: "stateless", Use: "stateless"}, level: 0.3},
		{Cell: record.Cell{ID: "c2", Method: "Naive RAG", Use: "flat-rag", Options: map[string]any{"k": 20.0}}, level: 0.4 + raised},
	}
	for i := range cells {
		cells[i].Dataset, cells[i].Model, cells[i].Planned, cells[i].counts = d.Label, "offline", 500, counts
		r.Header.Cells = append(r.Header.Cells, cells[i].Cell)
	}
	r.Scores = scores(d, names, cells...)
	return r
}

func contrastOptions() ContrastOptions { return ContrastOptions{Options: fakeOptions()} }

func TestContrastTable(t *testing.T) {
	o := contrastOptions()
	rows, notes, err := Contrasts(Side{Run: pairRun("main", 0)}, []Side{{Run: pairRun("change", -0.05)}}, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range Formats() {
		all := format == "csv" || format == "json"
		golden.Check(t, "contrast."+format, render(t, ContrastTable(rows, notes, o, all), format))
	}
}

package report

import (
	"math"
	"strings"
	"testing"

	"recallbench/internal/calc/infer"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

func TestAgainst(t *testing.T) {
	o := fakeOptions()
	o.Against = "naive rag"
	d, err := Build([]*Run{standInRun()}, o)
	try.Do(t, err)
	for _, format := range []string{"text", "json"} {
		golden.Check(t, "against."+format, unstyled(t, d, format))
	}
	o.Against, o.Intervals, o.Columns = "stateless", true, []string{"f1@mem0", "exact-match", "hits"}
	if d, err = Build([]*Run{seedsRun()}, o); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "against_seeds.text", render(t, d, "text"))
}

// scored returns a run over two samples whose scores are given by method, a
// column f1@mem0 each, in pairs of sample and request.
func scored(values map[string][]float64, order ...string) *Run {
	d := locomoDataset(2, 4)
	r := &Run{Name: "made", Header: record.Header{
		ID: "r4", Name: "made", Status: record.Complete, Datasets: []record.Dataset{d},
		Models: []record.Model{offlineModel()}, Metrics: []string{"f1@mem0"},
	}}
	for _, method := range order {
		r.Header.Cells = append(r.Header.Cells, record.Cell{ID: method, Method: method, Use: method, Dataset: d.Label, Model: "offline", Planned: len(values[method])})
	}
	r.Scores = func(yield func(record.Score, error) bool) {
		for _, method := range order {
			for i, x := range values[method] {
				s := record.Score{Cell: method, Sample: string(rune('a' + i/2)), Request: string(rune('0' + i%2)), Category: "1", Status: record.OK}
				s.Values = map[string]*float64{"f1@mem0": new(x)}
				if !yield(s, nil) {
					return
				}
			}
		}
	}
	return r
}

// The numbers of the table are those of package infer, where each row is a pair of
// sides of its own.
func TestAgainstNumbers(t *testing.T) {
	values := map[string][]float64{
		"base": {0.1, 0.2, 0.3, 0.9}, "better": {0.4, 0.6, 0.5, 1}, "other": {0, 0.9, 0.2, 0.1},
		"same": {0.1, 0.2, 0.3, 0.9}, "shifted": {0.2, 0.3, 0.4, 1}, "short": {0.3},
	}
	methods := []string{"better", "other", "same", "shifted", "short"}
	o := fakeOptions()
	o.Against, o.AcceptTwo = "base", true
	d, err := Build([]*Run{scored(values, append([]string{"base"}, methods...)...)}, o)
	try.Do(t, err)
	table := d.Tables[len(d.Tables)-1]
	var rows []infer.Row
	for pair, method := range methods {
		units := []infer.Unit{{ID: "a"}, {ID: "b"}}
		for i, x := range values[method] {
			units[i/2].Add(x - values["base"][i])
		}
		rows = append(rows, infer.Row{Pair: pair, Units: units})
	}
	number := func(x *float64) float64 {
		if x == nil {
			return math.NaN()
		}
		return *x
	}
	differences := []float64{25, -7.5, 0, 10, 20}
	for i, r := range infer.Decide(rows, infer.Options{AcceptTwo: true}) {
		n := min(2, len(values[methods[i]]))
		want := map[string]float64{"pairs": float64(len(values[methods[i]])), "samples": float64(n), "difference": differences[i], "p": number(r.P), "p-adjusted": number(r.Adjusted)}
		for j, column := range table.Columns {
			x, ok := want[column.Name]
			cell := table.Rows[i][j]
			if ok && (math.IsNaN(x) != (cell.Value == nil) || cell.Value != nil && math.Abs(*cell.Value-x) > 1e-9) {
				t.Errorf("%s: %s is %q, want %g", methods[i], column.Name, cell.Text, x)
			}
		}
	}
}

// Rows without a partner, and a label that no row has, are named.
func TestAgainstUnpaired(t *testing.T) {
	o := fakeOptions()
	o.Against, o.Columns = "Naive RAG", []string{"f1@mem0"}
	d := try.Get(Build([]*Run{standInRun(), llamaRun()}, o))(t)
	text := render(t, &Document{Tables: d.Tables[len(d.Tables)-1:]}, "text")
	if want := "there is no single row Naive RAG with the model llama"; !strings.Contains(text, want) {
		t.Errorf("the table lacks %q:\n%s", want, text)
	}
	o.Against = "naive"
	if _, err := Build([]*Run{standInRun()}, o); err == nil || !strings.HasPrefix(err.Error(), `unknown method label "naive"; did you mean "Naive RAG"?`) {
		t.Errorf("an unknown label gives %v", err)
	}
}

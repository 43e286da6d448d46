package report

import (
	"math"
	"strings"
	"testing"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// ablationRun is a run of a method, four variants of it and a method that is
// none, with two models.
func ablationRun() *Run {
	d := locomoDataset(8, 120)
	names := []string{"f1@mem0", "exact-match", "tokens@xmemory", "hit-density"}
	options := func(representatives, uncertainty any, k float64) map[string]any {
		return map[string]any{"k": k, "search": map[string]any{"representatives": representatives, "uncertainty": uncertainty}, "stop": []any{"a", "b"}}
	}
	cells := []fakeCell{
		{Cell: record.Cell{Method: "stateless", Use: "stateless"}, level: 0.05},
		{Cell: record.Cell{Method: "neither", Use: "xmemory", VariantOf: "Full", Options: options(false, false, 10)}, level: 0.3},
		{Cell: record.Cell{Method: "one", Use: "xmemory", VariantOf: "full", Options: options(true, false, 10)}, level: 0.402},
		{Cell: record.Cell{Method: "k 5", Use: "xmemory", VariantOf: "Full", Options: options(true, true, 5)}, level: 0.4, status: map[int]record.Status{5: record.Error}},
		{Cell: record.Cell{Method: "flat", Use: "flat-rag", VariantOf: "Full", Options: map[string]any{"chunk": "turn"}}, level: 0.2, lack: 10},
		{Cell: record.Cell{Method: "Full", Use: "xmemory", Options: options(true, true, 10)}, level: 0.4},
	}
	r := &Run{Name: "ablation", Header: record.Header{
		ID: "r4", Name: "ablation", Status: record.Complete, Seed: 7, Binary: record.Binary{Version: "devel"},
		Datasets: []record.Dataset{d}, Models: []record.Model{offlineModel(), {Label: "llama", Reader: "llama3.1:8b", Tokens: "o200k_base"}}, Metrics: names,
	}}
	var all []fakeCell
	for _, model := range r.Header.Models {
		for i, c := range cells {
			c.ID, c.Dataset, c.Model, c.Planned = model.Label+string(rune('a'+i)), d.Label, model.Label, 120
			c.counts = map[string]int{"1": 20, "2": 30, "3": 10, "4": 60}
			if model.Label == "llama" {
				c.level += 0.1
			}
			all = append(all, c)
			r.Header.Cells = append(r.Header.Cells, c.Cell)
		}
	}
	r.Scores = scores(d, names, all...)
	return r
}

func TestAblation(t *testing.T) {
	o := fakeOptions()
	o.Ablation = true
	d := try.Get(Build([]*Run{ablationRun()}, o))(t)
	for _, format := range []string{"text", "json"} {
		golden.Check(t, "ablation."+format, unstyled(t, d, format))
	}
}

// Marks are those of the p-values that --against prints for the same rows, but
// for the tests that they are adjusted over, and differences those of the means
// where nothing is missing.
func TestAblationMarks(t *testing.T) {
	o := fakeOptions()
	o.Ablation = true
	d := try.Get(Build([]*Run{ablationRun()}, o))(t)
	table := d.Tables[0]
	at := func(name string) int {
		for i, c := range table.Columns {
			if c.Name == name {
				return i
			}
		}
		t.Fatalf("there is no column %s", name)
		return 0
	}
	full := make(map[string]float64)
	marked := 0
	for _, row := range table.Rows {
		model, mean, difference := row[at("model")].Text, *row[at("f1@mem0")].Value, row[at("f1@mem0 difference")]
		if row[0].Text == "Full" {
			full[model] = mean
			continue
		}
		if row[0].Text != "flat" && math.Abs(mean-full[model]-*difference.Value) > 1e-9 {
			t.Errorf("%s: difference %g of means %g and %g", row[0].Text, *difference.Value, mean, full[model])
		}
		if difference.P == nil {
			continue
		}
		marked++
		want := "~"
		for _, level := range []struct {
			p    float64
			mark string
		}{{0.05, "*"}, {0.01, "**"}, {0.001, "***"}} {
			if *difference.P <= level.p {
				want = level.mark
			}
		}
		if difference.Mark != want {
			t.Errorf("%s: mark %q for p %g, want %q", row[0].Text, difference.Mark, *difference.P, want)
		}
	}
	if marked == 0 {
		t.Error("nothing was tested")
	}
}

func TestAblationFaults(t *testing.T) {
	two := ablationRun()
	two.Header.Cells[4].VariantOf = "stateless"
	for _, c := range []struct {
		name string
		run  *Run
		full string
		want string
	}{
		{"a label that is not there", ablationRun(), "Ful", `unknown method label "Ful"; did you mean "Full"?`},
		{"a method without variants", ablationRun(), "stateless", `"stateless" has no variants: no other method names it as its full method, or uses the same method`},
		{"several with variants", two, "", `--ablation: the run file has 2 methods with variants; name one of "stateless", "neither", "one", "k 5", "flat", "Full"`},
		{"none that says so", standInRun(), "", `--ablation: the run file has 0 methods with variants; name one of "stateless", "Naive RAG", "RAG | 10"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := fakeOptions()
			o.Ablation, o.Full = true, c.full
			if _, err := Build([]*Run{c.run}, o); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error = %v, want %s", err, c.want)
			}
		})
	}
}

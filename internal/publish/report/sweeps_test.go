package report

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"recallbench/datasets/errata"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
)

// ablationRun is a run of a method, four variants of it and a method that is
// none, with two models.
func ablationRun() *Run {
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
	var all []fakeCell
	models := []record.Model{offlineModel(), {Label: "llama", Reader: "llama3.1:8b", Tokens: "o200k_base"}}
	for _, model := range models {
		for i, c := range cells {
			c.ID, c.Model = model.Label+string(rune('a'+i)), model.Label
			if model.Label == "llama" {
				c.level += 0.1
			}
			all = append(all, c)
		}
	}
	return runOf("ablation", locomoDataset(8, 120), []string{"f1@mem0", "exact-match", "tokens@xmemory", "hit-density"}, all, models...)
}

func TestMark(t *testing.T) {
	for p, want := range map[float64]string{0.0010: "***", 0.0011: "**", 0.01: "**", 0.02: "*", 0.05: "*", 0.051: "~", 1: "~"} {
		if got := mark(p); got != want {
			t.Errorf("the mark of %g is %q, want %q", p, got, want)
		}
	}
}

// sweptRun is a sweep over two options: one adds 0.2 to each request, give or take, the
// other nothing. A row is excluded.
func sweptRun() *Run {
	values := make(map[string][]float64)
	options := map[string]map[string]any{
		"a": {"k": 5, "search": map[string]any{"by": "words"}}, "b": {"k": 10, "search": map[string]any{"by": "words"}},
		"c": {"k": 5, "search": map[string]any{"by": "both"}}, "d": {"k": 10, "search": map[string]any{"by": "both"}},
		"e": {"k": 20, "search": map[string]any{"by": "words"}},
	}
	for i := range 16 {
		noise := float64((i*7)%5-2) / 100
		base := 0.3 + float64(i)/100
		values["a"] = append(values["a"], base)
		values["b"] = append(values["b"], base+0.2+noise)
		values["c"] = append(values["c"], base+noise)
		values["d"] = append(values["d"], base+0.2-noise)
		values["e"] = append(values["e"], base+0.1)
	}
	r := scored(values, "e", "a", "b", "c", "d")
	for i := range r.Header.Cells {
		c := &r.Header.Cells[i]
		c.Use, c.Options = "flat-rag", options[c.Method]
	}
	return r
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
	var all []record.Score
	for _, method := range order {
		for i, x := range values[method] {
			all = append(all, record.Score{
				Cell: method, Sample: string(rune('a' + i/2)), Request: string(rune('0' + i%2)), Category: "1", Status: record.OK, Values: map[string]*float64{"f1@mem0": new(x)},
			})
		}
	}
	r.Scores = listed(all)
	return r
}

// keyedRun is a run of two methods over twenty questions about four conversations.
// The answers of the last four are disputed; two of them have a corrected one.
// The judge accepts all answers of the first method. By f1 it is ahead under the
// published key alone.
func keyedRun() *Run {
	d := locomoDataset(4, 20)
	d.Key = errata.Published
	d.Errata = []record.Overlay{{Name: "mine", Version: "2", SHA256: strings.Repeat("ab", 32), License: "CC0-1.0", Source: "https://example.org", Attribution: "A. Reader"}}
	r := &Run{Name: "keyed", Header: record.Header{
		ID: "r1", Name: "keyed", Status: record.Complete, Seed: 7, Binary: record.Binary{Version: "devel"},
		Datasets: []record.Dataset{d}, Models: []record.Model{offlineModel()}, Metrics: []string{"f1@mem0", "judge", "tokens"},
		Cells: []record.Cell{
			{ID: "c1", Dataset: d.Label, Method: "lenient", Use: "lenient", Model: "offline", Planned: 20},
			{ID: "c2", Dataset: d.Label, Method: "strict", Use: "strict", Model: "offline", Planned: 20},
		},
	}}
	r.Under = func(key errata.Key) iter.Seq2[record.Score, error] {
		var all []record.Score
		for i, c := range r.Header.Cells {
			for q := range 20 {
				s := record.Score{
					Cell: c.ID, Key: key, Sample: fmt.Sprintf("conv-%d", q%4), Request: fmt.Sprintf("q%d", q),
					Category: []string{"1", "4"}[q%2], Status: record.OK,
					Values: map[string]*float64{"tokens-query": new(10.0), "f1@mem0": nil, "judge": nil},
				}
				objected := q >= 16
				s.Out = objected && (key == errata.Excluded || key == errata.Corrected && q >= 18)
				switch {
				case s.Out:
				case objected && key == errata.Corrected:
					s.Values["f1@mem0"] = new(0.5)
				case i == 0:
					s.Values["f1@mem0"], s.Values["judge"] = new(0.5+btof(objected)*0.5), new(1.0)
				default:
					s.Values["f1@mem0"], s.Values["judge"] = new(0.55+0.01*float64(q%4)-btof(objected)*0.5), new(1-btof(q%4 == 0))
				}
				all = append(all, s)
			}
		}
		return listed(all)
	}
	r.Scores = r.Under(errata.Published)
	return r
}

func btof(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Rows without a partner are named.
func TestAgainstUnpaired(t *testing.T) {
	text := render(t, try.Get(Build([]*Run{standInRun(), llamaRun()}, Options{Metric: fakeMetrics, Against: "Naive RAG", Columns: []string{"f1@mem0"}}))(t), "text")
	if want := "there is no single row Naive RAG with the model llama"; !strings.Contains(text, want) {
		t.Errorf("the tables lack %q:\n%s", want, text)
	}
}

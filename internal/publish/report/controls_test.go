package report

import (
	"fmt"
	"strings"
	"testing"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
)

// controlledRun is a run over eight samples of two requests, whose scores lie about the
// level of their method.
func controlledRun(metric string, levels map[string]float64, order ...string) *Run {
	d := locomoDataset(8, 16)
	r := &Run{Name: "made", Header: record.Header{
		ID: "r5", Name: "made", Status: record.Complete, Datasets: []record.Dataset{d},
		Models: []record.Model{offlineModel()}, Metrics: []string{"f1@mem0", metric},
	}}
	for _, method := range order {
		use, _, _ := strings.Cut(method, " ")
		r.Header.Cells = append(r.Header.Cells, record.Cell{ID: method, Method: method, Use: use, Dataset: d.Label, Model: "offline", Planned: 16})
	}
	r.Scores = func(yield func(record.Score, error) bool) {
		for m, method := range order {
			for i := range 16 {
				// No two methods differ by the same from one request to the next.
				x := levels[method] + 0.02*float64((i*(m+2)+3*m)%7)
				s := record.Score{Cell: method, Sample: fmt.Sprint("s", i/2), Request: fmt.Sprint("q", i%2), Category: "1", Status: record.OK}
				s.Values = map[string]*float64{"f1@mem0": new(1 - x), metric: new(x)}
				if !yield(s, nil) {
					return
				}
			}
		}
	}
	return r
}

// TestControls checks what the title of a ranking says of memories that do not beat
// what has no memory.
func TestControls(t *testing.T) {
	for name, c := range map[string]struct {
		levels map[string]float64
		order  []string
		want   string
	}{
		"level with both":   {map[string]float64{"grep": 0.5, "placebo": 0.5, "rag": 0.5, "notes": 0.2}, []string{"grep", "placebo", "rag", "notes"}, " No memory is significantly better than placebo or grep."},
		"behind one":        {map[string]float64{"grep": 0.7, "placebo": 0.1, "rag": 0.5}, []string{"grep", "placebo", "rag"}, " No memory is significantly better than grep."},
		"by its label":      {map[string]float64{"grep by words": 0.7, "rag": 0.5}, []string{"grep by words", "rag"}, " No memory is significantly better than grep by words."},
		"one memory is":     {map[string]float64{"grep": 0.3, "placebo": 0.1, "rag": 0.3, "notes": 0.8}, []string{"grep", "placebo", "rag", "notes"}, ""},
		"a ceiling is none": {map[string]float64{"grep": 0.3, "rag": 0.3, "oracle": 0.9, "recent": 0.9, "stateless": 0.9}, []string{"grep", "rag", "oracle", "recent", "stateless"}, " No memory is significantly better than grep."},
		"without a memory":  {map[string]float64{"grep": 0.3, "oracle": 0.9}, []string{"grep", "oracle"}, ""},
		"without a control": {map[string]float64{"rag": 0.3, "notes": 0.3}, []string{"rag", "notes"}, ""},
		"all score alike":   {nil, []string{"grep", "rag"}, " No memory is significantly better than grep."},
	} {
		t.Run(name, func(t *testing.T) {
			all := try.Get(rankings([]*Run{controlledRun("f1@span", c.levels, c.order...)}, Options{Metric: fakeMetrics}))(t)
			if title := all[0].Title; !strings.HasSuffix(title, " offline."+c.want) {
				t.Errorf("title %q, want %q at its end", title, c.want)
			}
		})
	}
}

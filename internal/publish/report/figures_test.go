package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"recallbench/internal/publish/figure"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

// drawnMetrics are the metrics of drawnRun.
func drawnMetrics(name string) (*metrics.Spec, error) {
	if name == "hit-density" {
		return metrics.HitDensitySpec, nil
	}
	return fakeMetrics(name)
}

// drawnRun makes up a run that has all figures: methods that cost and recall more
// from one to the next but for the last, which is beaten.
func drawnRun() *Run {
	const requests = 48
	d := record.Dataset{
		Label: "made-up", Name: "tasks", Samples: 4, Requests: requests, Caveat: "made up for a test",
		Categories: []record.Category{{ID: "1", Name: "plain"}, {ID: "2", Name: "hard"}},
	}
	r := &Run{Name: "drawn", Header: record.Header{
		ID: "d1", Name: "drawn", Status: record.Complete, Seed: 3, Binary: record.Binary{Version: "devel"},
		Datasets: []record.Dataset{d}, Models: []record.Model{offlineModel()}, Metrics: []string{"fr", "tokens", "hit-density"},
	}}
	for i, name := range []string{"none", "some", "more", "beaten"} {
		c := record.Cell{ID: "d" + strconv.Itoa(i), Dataset: d.Label, Method: name, Use: "flat-rag", Model: "offline", Planned: requests, Options: map[string]any{"k": 5 + 5*(i%2), "ranking": []string{"bm25", "rrf"}[i/2]}}
		if name == "some" {
			c.VariantOf = "more"
		}
		r.Header.Cells = append(r.Header.Cells, c)
	}
	var all []record.Score
	for i, c := range r.Header.Cells {
		for q := range requests {
			recall, tokens := float64(i)/4, float64(100*i*i+10*(q%12))
			if c.Method == "beaten" {
				recall, tokens = 0.2, 2000
			}
			hits := math.Min(1, recall+0.01*float64(q%5))
			s := record.Score{
				Cell: c.ID, Sample: fmt.Sprint("s", q%4), Request: fmt.Sprint("q", q), Category: strconv.Itoa(1 + q%2), Status: record.OK,
				Labels: map[string]string{"turn": strconv.Itoa(1 + q*12/requests), "distance": strconv.Itoa(q % 3), "kind": []string{"read", "write"}[2*q/requests]},
				Values: map[string]*float64{
					"fr": new(math.Min(1, recall+0.2*float64(q%2))), "tokens-query": &tokens,
					"hit-0": new(1 - hits), "hit-1": new(hits / 2), "hit-2": new(hits / 4), "hit-3+": new(hits / 4), "hit-blocks": new(float64(1 + q%3)),
				},
			}
			if q == 5 {
				delete(s.Labels, "turn")
			}
			all = append(all, s)
		}
	}
	r.Scores = listed(all)
	return r
}

func drawnOptions() FigureOptions {
	o := FigureOptions{Options: fakeOptions()}
	o.Metric = drawnMetrics
	return o
}

// draw draws figures of a run.
func draw(r *Run, o FigureOptions, names ...string) ([]NamedFigure, []Missing, error) {
	f, err := Read([]*Run{r}, o.Options)
	if err != nil {
		return nil, nil, err
	}
	return f.DrawFigures(o, names...)
}

func figureCSV(t *testing.T, f *figure.Figure) string {
	t.Helper()
	var b strings.Builder
	try.Do(t, f.CSV(&b))
	return b.String()
}

// The numbers of all figures, and every one of them can be drawn.
func TestFigures(t *testing.T) {
	o := drawnOptions()
	o.By = "kind"
	drawn, missing, err := draw(drawnRun(), o)
	try.Do(t, err)
	if len(missing) > 0 {
		t.Errorf("missing: %v", missing)
	}
	names, _ := FigureNames()
	if len(drawn) != len(names) {
		t.Errorf("%d figures, want %d", len(drawn), len(names))
	}
	for _, f := range drawn {
		golden.Check(t, "figures/"+f.Name+".csv", figureCSV(t, f.Figure))
		if !strings.Contains(f.Caption, "stand-in") || !strings.Contains(f.Caption, "made up for a test") {
			t.Errorf("%s is captioned %q", f.Name, f.Caption)
		}
		try.Do(t, f.Write(io.Discard, "svg", figure.Size{}))
		if f.Name == "pareto" {
			for _, s := range f.Panels[0].Series {
				if grey := s.Name == "beaten" || strings.HasPrefix(s.Name, "grey"); s.Look.Grey != grey {
					t.Errorf("%s is grey: %v", s.Name, s.Look.Grey)
				}
			}
		}
	}
}

// The front is of those that nothing beats; a method that is as good in both as
// another one is on it too.
func TestFront(t *testing.T) {
	x, y := metrics.Column{Lower: true}, metrics.Column{}
	points := []figure.Point{{X: 5, Y: 5}, {X: 1, Y: 1}, {X: 2, Y: 4}, {X: 3, Y: 4}, {X: 2, Y: 4}, {X: 6, Y: 4.9}}
	for _, c := range []struct {
		x, y metrics.Column
		want string
	}{
		{x, y, "[[1 1] [2 4] [2 4] [5 5]]"},
		{x, x, "[]"}, // one point needs no line
		{y, y, "[[6 4.9] [5 5]]"},
		{y, x, "[[6 4.9] [3 4] [1 1]]"},
	} {
		got := [][2]float64{}
		for _, s := range steps(points, c.x, c.y) {
			for _, p := range s.Points {
				got = append(got, [2]float64{p.X, p.Y})
			}
		}
		try.Equal(t, fmt.Sprintf("lower x %t, lower y %t", c.x.Lower, c.y.Lower), c.want, fmt.Sprint(got))
	}
}

// Points of runs with seeds carry the deviation over them.
func TestFigureSeeds(t *testing.T) {
	o := FigureOptions{Options: fakeOptions()}
	o.By, o.Columns = Category, []string{"f1@mem0"}
	drawn, _, err := draw(seedsRun(), o, "by")
	try.Do(t, err)
	for _, s := range drawn[0].Panels[0].Series {
		for _, v := range s.Points {
			if v.SD == nil || v.Low == nil || math.Abs(v.Y-*v.Low-*v.SD) > 1e-9 {
				t.Errorf("%s at %g: deviation %v, error bar from %v", s.Name, v.X, v.SD, v.Low)
			}
		}
	}
}

func TestFiguresMissing(t *testing.T) {
	_, missing, err := draw(llamaRun(), FigureOptions{Options: fakeOptions()})
	try.Do(t, err)
	try.Equal(t, "missing figures", []Missing{
		{"ablation", "locomo", "there is only one method, and nothing to compare it with"},
		{"axes", "locomo", "no method has rows that differ in an option"},
	}, missing)
}

func TestFigureFaults(t *testing.T) {
	for want, change := range map[string]func(o *FigureOptions, name *string){
		`unknown figure "paretto"`:    func(_ *FigureOptions, name *string) { *name = "paretto" },
		`unknown label "knd"`:         func(o *FigureOptions, _ *string) { o.By = "knd" },
		`unknown column "tokens-qry"`: func(o *FigureOptions, _ *string) { o.X = "tokens-qry" },
		`unknown column "f2"`:         func(o *FigureOptions, _ *string) { o.Columns = []string{"f2"} },
	} {
		o, name := drawnOptions(), "pareto"
		change(&o, &name)
		if _, _, err := draw(drawnRun(), o, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

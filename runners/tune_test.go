package runners_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"recallbench/datasets"
	"recallbench/internal/config"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/runners"
)

const tuningConfig = `
name: toy
seeds: [7, 3]
datasets: [{use: toy, options: {samples: 3, requests: 4}}]
methods: [{use: toy}, {use: toy, label: fixed, options: {only: true}}]
models: [{use: echo}]
metrics: [same]
tuning: {datasets: [{use: toy, label: dev, options: {samples: 2, requests: 3}}], metric: same, requests: 5}
concurrency: {samples: 2, requests: 3}
`

type dial struct {
	Dial struct {
		At int `yaml:"at"`
	} `yaml:"dial"`
	Only bool `yaml:"only"`
}

// A dialled method answers right where its dial is at 2 or 3, and at 1 to
// questions numbered 0.
type dialled struct {
	dial
	built, asked *atomic.Int64
}

func (d dialled) Build(context.Context, datasets.Sample) (methods.Memory, error) {
	d.built.Add(1)
	return d, nil
}

func (d dialled) Answer(_ context.Context, r datasets.Request) (methods.Response, error) {
	d.asked.Add(1)
	if d.Dial.At == 4 {
		return methods.Response{}, errors.New("too far")
	}
	if d.Dial.At >= 2 || d.Dial.At == 1 && strings.HasPrefix(r.Text, "question 0") {
		return methods.Response{Text: r.Text}, nil
	}
	return methods.Response{Text: "no"}, nil
}

func (d dialled) With(options any) methods.Memory {
	d.dial = options.(dial)
	return d
}

// tunable are plug-ins with a dialled method.
func tunable(built, asked *atomic.Int64) config.Plugins {
	plug := plugins(new(toyMethod))
	plug.Methods = []*methods.Spec{{
		Name: "toy", Options: dial{},
		Grid: func(options any) []any {
			if options.(dial).Only {
				return nil
			}
			var points []any
			for at := range 5 {
				var d dial
				d.Dial.At = at
				points = append(points, d)
			}
			return points
		},
		New: func(_ methods.Env, options any) (methods.Method, error) {
			return dialled{options.(dial), built, asked}, nil
		},
	}}
	return plug
}

func tuningPlan(t *testing.T, built, asked *atomic.Int64) *runners.Plan {
	t.Helper()
	return try.Get(planOf(t, tunable(built, asked), tuningConfig))(t)
}

// Options are chosen once for a method, on other data than the run's, by building
// each memory once; of the points that score alike the first is taken, and the
// run's own requests are asked with it. The choice is in the header.
func TestTuning(t *testing.T) {
	var built, asked atomic.Int64
	r := start(t, tuningPlan(t, &built, &asked))
	result := execute(t, r, runners.Options{})
	if result.Failed != 0 || len(result.Header.Tunings) != 1 {
		t.Fatalf("%d failed, %d tunings", result.Failed, len(result.Header.Tunings))
	}
	got := result.Header.Tunings[0]
	want := []record.Point{
		{Options: map[string]any{"dial.at": 0}, Score: 0},
		{Options: map[string]any{"dial.at": 1}, Score: 0.4},
		{Options: map[string]any{"dial.at": 2}, Score: 1},
		{Options: map[string]any{"dial.at": 3}, Score: 1},
		{Options: map[string]any{"dial.at": 4}, Score: 0, Failed: 5},
	}
	try.Equal(t, "points", want, got.Points)
	if got.Chosen != 2 || got.Requests != 5 || got.Method != "toy" || got.Column != "same" || got.Datasets[0].Label != "dev" {
		t.Errorf("tuning %+v", got)
	}
	// Two dev samples, and three samples for each of two methods and two seeds.
	if n := built.Load(); n != 2+3*2*2 {
		t.Errorf("%d memories were built", n)
	}
	if n := asked.Load(); n != 5*5+12*2*2 {
		t.Errorf("%d requests were asked", n)
	}
	scores := files(t, r.Folder())["scores.jsonl"]
	if n := strings.Count(scores, `"same":1`); n != 24 {
		t.Errorf("%d of 48 answers are right, want those of the tuned method:\n%s", n, scores)
	}
}

// A run that goes on keeps its choice.
func TestTuningResumes(t *testing.T) {
	var built, asked atomic.Int64
	r := start(t, tuningPlan(t, &built, &asked))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Execute(ctx, runners.Options{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if len(r.Header().Tunings) != 0 {
		t.Fatal("a choice was made under a cancelled context")
	}
	execute(t, r, runners.Options{})
	try.Do(t, r.Close())
	asked.Store(0)
	again := try.Get(tuningPlan(t, &built, &asked).Resume(string(r.Folder())))(t)
	defer again.Close()
	result := execute(t, again, runners.Options{})
	if asked.Load() != 0 || len(result.Header.Tunings) != 1 {
		t.Errorf("%d requests were asked again, %d tunings", asked.Load(), len(result.Header.Tunings))
	}
}

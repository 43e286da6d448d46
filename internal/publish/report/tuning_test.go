package report

import (
	"testing"

	"recallbench/internal/result/record"
)

func TestTuningNote(t *testing.T) {
	l := &line{run: &Run{Header: record.Header{Tunings: []record.Tuning{
		{Method: "other", Model: "m", Points: []record.Point{{}}},
		{
			Method: "a", Model: "m", Column: "fr", Requests: 300, Chosen: 1, Datasets: []record.Dataset{{Label: "dev"}},
			Points: []record.Point{{Score: 0.5}, {Score: 0.625, Options: map[string]any{"weights.x": 0.8, "weights.b": 0}}, {Score: 0.1}},
		},
	}}}, cell: record.Cell{Method: "a", Model: "m"}}
	const want = "weights.b 0, weights.x 0.8: chosen from 3 points by fr 0.6250 on dev, 300 questions"
	if got := tuningNote(l); got != want {
		t.Errorf("note %q, want %q", got, want)
	}
	l.cell.Model = "another"
	if got := tuningNote(l); got != "" {
		t.Errorf("note of a row that was not tuned: %q", got)
	}
}

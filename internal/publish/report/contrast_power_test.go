package report

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"recallbench/internal/calc/infer"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
)

// changed returns 500 questions about some samples as they were answered before and
// after a change: F1 as real answers have it, a good part of it 0. A tenth of the
// questions is answered another way, as a model does when it is asked again, and of
// the rest right answers are lost until the mean has dropped by some points.
func changed(r *rand.Rand, samples int, points float64) (base, side Side) {
	const questions = 500
	answer := func() float64 {
		if r.IntN(3) == 0 {
			return 0
		}
		return min(1, 0.2+r.Float64())
	}
	before, after := make([]float64, questions), make([]float64, questions)
	for i := range before {
		before[i] = answer()
		after[i] = before[i]
		if r.IntN(10) == 0 {
			before[i], after[i] = answer(), answer()
		}
	}
	for lost := 0.0; lost < points/100*questions; {
		i := r.IntN(questions)
		lost += after[i]
		after[i] = 0
	}
	d := locomoDataset(samples, questions)
	run := func(name string, values []float64) Side {
		h := record.Header{
			ID: name, Name: name, Status: record.Complete, Seed: 7, Datasets: []record.Dataset{d}, Models: []record.Model{offlineModel()},
			Metrics: []string{"f1@mem0"},
			Cells:   []record.Cell{{ID: "c1", Method: "a", Use: "a", Dataset: d.Label, Model: "offline", Planned: questions}},
		}
		return Side{Run: &Run{Name: name, Header: h, Scores: func(yield func(record.Score, error) bool) {
			for i, x := range values {
				s := record.Score{Cell: "c1", Sample: strconv.Itoa(i % samples), Request: strconv.Itoa(i), Category: "1", Status: record.OK, Values: map[string]*float64{"f1@mem0": &x}}
				if !yield(s, nil) {
					return
				}
			}
		}}}
	}
	return run("before", before), run("after", after)
}

// A drop of 3 points of F1 on 500 paired questions is found in most cases, and nothing where only
// the model has answered some of them another way.
func TestRegressionIsFound(t *testing.T) {
	n := longtest.N(20, 100)
	o := contrastOptions()
	o.Undecided = true
	for _, samples := range []int{10, 500} {
		worse := make(map[float64]int)
		for _, points := range []float64{0, 3} {
			for i := range n {
				base, side := changed(rand.New(rand.NewPCG(27, uint64(i))), samples, points)
				rows, _, err := Contrasts(base, []Side{side}, o)
				try.Do(t, err)
				Decide([]*Contrast{&rows[0]}, infer.Options{Bare: true})
				if rows[0].Verdict() == "worse" {
					worse[points]++
				}
			}
		}
		t.Logf("%d samples: a drop of 3 points is found in %d of %d comparisons, one of none in %d", samples, worse[3], n, worse[0])
		if worse[3] < n*8/10 || worse[0] > n*6/100 {
			t.Errorf("%d samples: a drop of 3 points is found in %d of %d comparisons, one of none in %d", samples, worse[3], n, worse[0])
		}
	}
}

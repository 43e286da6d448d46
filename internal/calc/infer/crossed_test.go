package infer

import (
	"math/rand/v2"
	"testing"
)

// The toy of three conversations, four questions and two judges; values in plain Python.
func TestCrossedToy(t *testing.T) {
	var questions []CrossedQuestion
	for c, of := range [][][]float64{
		{{1, 1}, {1, 0}, {0, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}, {0, 0}}, {{1, 1}, {1, 1}, {1, 0}, {1, 1}},
	} {
		for _, judges := range of {
			questions = append(questions, CrossedQuestion{string(rune('a' + c)), [][]float64{judges}})
		}
	}
	want := []Source{
		{Name: "conversation", Levels: 3, Square: 0.5, Variance: 0.0138888888888889},
		{Name: "question", Levels: 12, Square: 0.347222222222222, Variance: 0.111111111111111},
		{Name: "judge", Levels: 2, Square: 0.0416666666666667, Negative: true},
		{Name: "conversation × judge", Levels: 6, Square: 0.166666666666667, Variance: 0.0104166666666667},
		{Name: "rest", Levels: 24, Square: 0.125, Variance: 0.125},
	}
	got, ok := NewCrossed(questions)
	if !ok || len(got) != len(want) {
		t.Fatalf("got %+v, %t", got, ok)
	}
	for i, w := range want {
		if got[i].Name != w.Name || got[i].Levels != w.Levels || got[i].Negative != w.Negative {
			t.Errorf("got %+v, want %+v", got[i], w)
		}
		near(t, w.Name+", mean square", got[i].Square, w.Square)
		near(t, w.Name+", component", got[i].Variance, w.Variance)
	}
	for i := range questions { // the same as seeds
		questions[i].Values = [][]float64{{questions[i].Values[0][0]}, {questions[i].Values[0][1]}}
	}
	seeds, _ := NewCrossed(questions)
	if seeds[2].Name != "seed" || seeds[2].Square != got[2].Square || seeds[3].Variance != got[3].Variance {
		t.Errorf("as seeds they are %+v", seeds)
	}
	for name, few := range map[string][]CrossedQuestion{"none": nil, "one conversation": questions[:4], "a question each": {questions[0], questions[4]}} {
		if _, ok := NewCrossed(few); ok {
			t.Errorf("%s has components", name)
		}
	}
}

// The mean of the estimates over many draws is what the values were drawn by.
func TestCrossedIsUnbiased(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	deviations := []float64{0.3, 0.5, 0.2, 0.15, 0.25, 0.1, 0.4} // as NewCrossed orders them
	sums := make([]float64, len(deviations))
	const draws = 400
	for range draws {
		normal := func(i int) float64 { return deviations[i] * r.NormFloat64() }
		many := func(i, n int) []float64 {
			x := make([]float64, n)
			for k := range x {
				x[k] = normal(i)
			}
			return x
		}
		seed, judge := many(2, 3), many(4, 4)
		var questions []CrossedQuestion
		for c, n := range []int{3, 5, 8, 4, 6, 4} {
			own, ofSeed, ofJudge := normal(0), many(3, 3), many(5, 4)
			for range n {
				q := CrossedQuestion{Conversation: string(rune('a' + c))}
				asked := normal(1)
				for s := range seed {
					row := make([]float64, len(judge))
					for j := range row {
						row[j] = own + asked + seed[s] + ofSeed[s] + judge[j] + ofJudge[j] + normal(6)
					}
					q.Values = append(q.Values, row)
				}
				questions = append(questions, q)
			}
		}
		sources, ok := NewCrossed(questions)
		if !ok || len(sources) != len(sums) {
			t.Fatalf("got %+v", sources)
		}
		for i, s := range sources {
			sums[i] += s.Variance
		}
	}
	for i, d := range deviations {
		if mean := sums[i] / draws; mean < 0.85*d*d-0.003 || mean > 1.15*d*d+0.006 {
			t.Errorf("source %d: mean %g, want about %g", i, mean, d*d)
		}
	}
}

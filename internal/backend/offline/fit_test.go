package offline

import (
	"flag"
	"math"
	"testing"

	"recallbench/metrics"
)

// fit makes TestFit fit the weights anew and log them:
// go test -run Fit -v ./internal/backend/offline -fit.
var fit = flag.Bool("fit", false, "fit the weights of lines and spans to the developed conversations")

// An example is what a question offers to choose from, and how good each
// choice is.
type example struct {
	features [][]float64
	value    []float64
}

// TestFit finds weights for lines, then for spans, on the developed
// conversations, and tells how the held-out ones fare. The weights in
// weights.go are its output after two rounds, to one decimal.
func TestFit(t *testing.T) {
	if !*fit {
		t.Skip("-fit is not set")
	}
	r := testReader(t)
	var lines, spans [2][]example // developed, held out
	for _, trial := range trials(t) {
		part := 1
		if trial.developed {
			part = 0
		}
		said, speakers, err := r.analyser.gather(trial.passages)
		if err != nil {
			t.Fatal(err)
		}
		q, err := r.analyser.parse(trial.question, speakers, latest(said))
		if err != nil {
			t.Fatal(err)
		}
		ranked := q.rank(said)
		if e := lineExample(&trial, ranked); len(e.value) > 0 {
			lines[part] = append(lines[part], e)
		}
		switch q.kind {
		case askWhen, askYesNo, askLikely, askChoice:
		case askHowLong, askHowOften, askHowMany, askHow, askWho, askWhere, askWhy, askThing, askDo, askStatement:
			if e := spanExample(&trial, q, ranked); len(e.value) > 0 {
				spans[part] = append(spans[part], e)
			}
		}
	}
	w := climb(lines[0], lineWeights[:], 150, 0.1, 0.001, 0)
	t.Logf("a line of the evidence comes first: developed %.3f, held out %.3f", chosen(lines[0], w), chosen(lines[1], w))
	for i, x := range w {
		t.Logf("line feature %d: %.1f", i, x)
	}
	w = climb(spans[0], make([]float64, numFeatures), 80, 0.15, 0.0003, 0.3)
	t.Logf("f1 of the first span: developed %.4f, held out %.4f", chosen(spans[0], w), chosen(spans[1], w))
	for i, x := range w {
		t.Logf("feature %d: %.1f", i, x)
	}
}

// lineExample offers lines; those of the evidence are worth 1. It is empty
// where no line is of the evidence.
func lineExample(trial *trial, ranked []candidate) example {
	var e example
	found := 0.0
	for _, c := range ranked {
		if c.at == 0 {
			x := indicator(trial.evidence(c.line))
			found += x
			e.features = append(e.features, c.lv[:])
			e.value = append(e.value, x)
		}
	}
	if found == 0 {
		return example{}
	}
	return e
}

// spanExample offers spans, worth their F1.
func spanExample(trial *trial, q *query, ranked []candidate) example {
	var e example
	for _, c := range ranked[:min(considered, len(ranked))] {
		d := q.describer(c)
		spans(d.s, func(from, to int) {
			text := q.render(span{candidate: c, from: from, to: to})
			if text == "" {
				return
			}
			v := d.span(from, to)
			e.features = append(e.features, v[:])
			e.value = append(e.value, metrics.F1Mem0(text, trial.gold.Answer))
		})
	}
	return e
}

// climb raises the sum over examples of log(E + room), where E is the
// expected value when a choice is drawn with odds exp(w·x), less a penalty for
// large weights, by Adam with the given rate. Room keeps hopeless examples
// from ruling.
func climb(examples []example, start []float64, steps int, rate, penalty, room float64) []float64 {
	n := len(start)
	w, mean, square := append([]float64(nil), start...), make([]float64, n), make([]float64, n)
	for step := range steps {
		g := make([]float64, n)
		for _, e := range examples {
			odds := make([]float64, len(e.value))
			top := math.Inf(-1)
			for i, x := range e.features {
				odds[i] = dot(w, x)
				top = max(top, odds[i])
			}
			sum, expected := 0.0, 0.0
			for i := range odds {
				odds[i] = math.Exp(odds[i] - top)
				sum += odds[i]
				expected += odds[i] * e.value[i]
			}
			expected /= sum
			if expected+room == 0 {
				continue
			}
			for i, x := range e.features {
				k := odds[i] / sum * (e.value[i] - expected) / (expected + room)
				if math.Abs(k) < 1e-9 {
					continue
				}
				for j, y := range x {
					g[j] += k * y
				}
			}
		}
		for j := range w {
			d := g[j]/float64(len(examples)) - penalty*w[j]
			mean[j] = 0.9*mean[j] + 0.1*d
			square[j] = 0.999*square[j] + 0.001*d*d
			m := mean[j] / (1 - math.Pow(0.9, float64(step+1)))
			s := square[j] / (1 - math.Pow(0.999, float64(step+1)))
			w[j] += rate * m / (math.Sqrt(s) + 1e-8)
		}
	}
	return w
}

// chosen is the mean value of the choices with the highest score.
func chosen(examples []example, w []float64) float64 {
	var t tally
	for _, e := range examples {
		best, at := math.Inf(-1), 0
		for i, x := range e.features {
			if s := dot(w, x); s > best {
				best, at = s, i
			}
		}
		t.add(e.value[at])
	}
	return t.mean()
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

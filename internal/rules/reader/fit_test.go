package reader

import (
	"context"
	"flag"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"

	"recallbench/datasets"
	"recallbench/datasets/datasettest"
	"recallbench/datasets/locomo"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
	"recallbench/internal/door/token"
	"recallbench/internal/testkit/realdata"
	"recallbench/methods"
	"recallbench/methods/flatrag"
	"recallbench/metrics"
)

// fit makes TestFit fit the weights anew and log them:
// go test -run Fit -v ./internal/rules/reader -fit.
var fit = flag.Bool("fit", false, "fit the weights of lines and spans to the developed conversations")

// An example is what a question offers to choose from, and how good each
// choice is.
type example struct {
	features [][]float64
	value    []float64
}

// developed are the conversations that rules and weights were made on. Of the
// others only totals were looked at.
var developed = []string{"conv-26", "conv-30", "conv-41", "conv-42", "conv-43"}

// A trial is a question of LoCoMo with what flat-rag retrieves for it by BM25.
type trial struct {
	sample    *datasets.Sample
	developed bool
	question  string
	gold      datasets.Gold
	passages  []llm.Passage
}

// evidence reports whether a line is, or is a part of, a turn that the answer
// rests on.
func (t *trial) evidence(l *said) bool {
	for _, s := range t.sample.Sessions {
		for _, u := range s.Turns {
			if slices.Contains(t.gold.Evidence, u.ID) && strings.ToLower(u.Speaker) == l.speaker && s.Time.Equal(l.time) {
				line := flatrag.Defaults().Images.Line(u)
				if strings.Contains(line.Text, l.text) {
					return true
				}
			}
		}
	}
	return false
}

// A capture is a model that keeps the task it was last given.
type capture struct{ task llm.AnswerTask }

func (c *capture) Generate(_ context.Context, r llm.Request) (llm.Reply, error) {
	c.task = r.Task.(llm.AnswerTask)
	return llm.Reply{Text: NoInformation}, nil
}

// trials retrieves for all questions.
func trials(t *testing.T) (all []trial) {
	t.Helper()
	set, err := locomo.Spec.Open(t.Context(), datasets.Env{Dir: realdata.Datasets(t)}, locomo.Spec.Options)
	if err != nil {
		t.Fatal(err)
	}
	prompts, err := prompt.Load(flatrag.Spec.Name, flatrag.Spec.Prompts, nil)
	if err != nil {
		t.Fatal(err)
	}
	counter, err := token.New("o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	seen, options := new(capture), flatrag.Defaults()
	options.Ranking = flatrag.BM25
	method, err := flatrag.Spec.New(methods.Env{LLM: seen, Tokens: counter, Prompts: prompts, Seed: 1, Log: slog.New(slog.DiscardHandler)}, options)
	if err != nil {
		t.Fatal(err)
	}
	samples := datasettest.Samples(t, set)
	for i := range samples {
		s := &samples[i]
		memory, err := method.Build(t.Context(), *s)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range s.Requests {
			if _, err := memory.Answer(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			gold, _ := set.Gold(s.ID, r.ID)
			all = append(all, trial{s, slices.Contains(developed, s.ID), r.Text, gold, seen.task.Passages})
		}
	}
	return all
}

// TestFit finds weights for lines, then for spans, on the developed
// conversations, and tells how the held-out ones fare. The weights in
// weights.go are its output after two rounds, to one decimal.
func TestFit(t *testing.T) {
	if !*fit {
		t.Skip("-fit is not set")
	}
	r := testReader()
	var lines, spans [2][]example // developed, held out
	for _, trial := range trials(t) {
		part := 1
		if trial.developed {
			part = 0
		}
		said, speakers := r.analyser.gather(trial.passages)
		q := parse(trial.question, speakers, latest(said))
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
	start := make([]float64, len(lineModel))
	for i, f := range lineModel {
		start[i] = f.weight
	}
	w := climb(lines[0], start, 150, 0.1, 0.001, 0)
	t.Logf("a line of the evidence comes first: developed %.3f, held out %.3f", chosen(lines[0], w), chosen(lines[1], w))
	for i, x := range w {
		t.Logf("line feature %d: %.1f", i, x)
	}
	w = climb(spans[0], make([]float64, len(spanModel)), 80, 0.15, 0.0003, 0.3)
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
			right := indicator(trial.evidence(c.line))
			found += right
			var x []float64
			for _, f := range lineModel {
				x = append(x, f.of(c.view))
			}
			e.features = append(e.features, x)
			e.value = append(e.value, right)
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
			var x []float64
			for _, f := range spanModel {
				x = append(x, f.of(v))
			}
			e.features = append(e.features, x)
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
	sum := 0.0
	for _, e := range examples {
		best, at := math.Inf(-1), 0
		for i, x := range e.features {
			if s := dot(w, x); s > best {
				best, at = s, i
			}
		}
		sum += e.value[at]
	}
	return sum / float64(len(examples))
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

package offline

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"recallbench/datasets"
	"recallbench/internal/backend"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/metrics"
)

// A probing is a question with what a memory of facts and episodes would show
// for it.
type probing struct {
	developed bool
	question  string
	gold      datasets.Gold
	facts     []llm.Passage
	episodes  []llm.Passage // nearest first
	evidence  []llm.Passage // the episodes that hold what the answer rests on
	foreign   llm.Passage   // an episode of another conversation
}

const (
	probedFacts    = 20
	probedEpisodes = 5
)

// task asks for a probe with the facts and more passages.
func (p *probing) task(more ...llm.Passage) llm.ProbeTask {
	return llm.ProbeTask{Question: p.question, Passages: slices.Concat(p.facts, more)}
}

// probings retrieves from the memories for each step-th of their questions.
func probings(t *testing.T, step int) (out []probing) {
	t.Helper()
	doors, err := Spec.Open(t.Context(), backend.Env{Seed: 1}, Spec.Options)
	if err != nil {
		t.Fatal(err)
	}
	set, all := memories(t)
	for i, b := range all {
		facts, episodes := passages(b.statements, b.stated), passages(b.contents(), b.began)
		nearFacts, err := nearest(t.Context(), doors.Embed, facts)
		if err != nil {
			t.Fatal(err)
		}
		nearEpisodes, err := nearest(t.Context(), doors.Embed, episodes)
		if err != nil {
			t.Fatal(err)
		}
		other := all[(i+1)%len(all)]
		strange := passages(other.contents(), other.began)
		for k, q := range b.sample.Requests {
			if k%step != 0 {
				continue
			}
			p := probing{developed: slices.Contains(developed, b.sample.ID), question: q.Text, foreign: strange[k%len(strange)]}
			p.gold, _ = set.Gold(b.sample.ID, q.ID)
			if p.facts, err = nearFacts(q.Text, probedFacts); err != nil {
				t.Fatal(err)
			}
			if p.episodes, err = nearEpisodes(q.Text, probedEpisodes); err != nil {
				t.Fatal(err)
			}
			for e, turns := range b.turns {
				if slices.ContainsFunc(turns, func(id string) bool { return slices.Contains(p.gold.Evidence, id) }) {
					p.evidence = append(p.evidence, episodes[e])
				}
			}
			out = append(out, p)
		}
	}
	return out
}

// nearest returns a search for the passages with the highest cosines.
func nearest(ctx context.Context, door embed.Model, passages []llm.Passage) (func(question string, n int) ([]llm.Passage, error), error) {
	texts := make([]string, len(passages))
	for i, p := range passages {
		texts[i] = p.Lines[0].Text
	}
	space, err := door.Fit(ctx, texts)
	if err != nil {
		return nil, err
	}
	have, err := space.Embed(ctx, embed.Request{Kind: embed.Document, Texts: texts})
	if err != nil {
		return nil, err
	}
	return func(question string, n int) ([]llm.Passage, error) {
		want, err := space.Embed(ctx, embed.Request{Kind: embed.Query, Texts: []string{question}})
		if err != nil {
			return nil, err
		}
		order := make([]int, len(passages))
		cosines := make([]float64, len(passages))
		for i := range order {
			order[i], cosines[i] = i, embed.Cosine(want.Vectors[0], have.Vectors[i])
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(cosines[b], cosines[a]) })
		var top []llm.Passage
		for _, i := range order[:min(n, len(order))] {
			top = append(top, passages[i])
		}
		return top, nil
	}, nil
}

// TestFitProbe finds the weights of support on the developed conversations: those
// by which the log of the estimated probability fits best how right answers are,
// by their F1. It tells how the held-out ones fare.
func TestFitProbe(t *testing.T) {
	if !*fit {
		t.Skip("-fit is not set")
	}
	r := testReader(t)
	var x [2][]support
	var y [2][]float64
	for _, p := range probings(t, 1) {
		part := 1
		if p.developed {
			part = 0
		}
		tasks := []llm.ProbeTask{{Question: p.question}, p.task(), p.task(p.foreign), {Question: p.question, Passages: []llm.Passage{p.foreign}}}
		for _, e := range p.episodes {
			tasks = append(tasks, p.task(e))
		}
		for _, task := range tasks {
			s, text, err := r.support(task)
			if err != nil {
				t.Fatal(err)
			}
			x[part], y[part] = append(x[part], s), append(y[part], metrics.F1Mem0(text, p.gold.Answer))
		}
	}
	w := logistic(x[0], y[0])
	for i, v := range w {
		t.Logf("support feature %d: %.1f", i, v)
	}
	for part, name := range []string{"developed", "held out"} {
		mean := average(y[part])
		t.Logf("%s: %d probes, loss %.4f nats, of the weights in use %.4f, of the mean alone %.4f", name, len(y[part]),
			loss(x[part], y[part], w), loss(x[part], y[part], supportWeights), -mean*math.Log(mean)-(1-mean)*math.Log(1-mean))
	}
}

func average(y []float64) float64 {
	var t tally
	for _, v := range y {
		t.add(v)
	}
	return t.mean()
}

func sigmoid(w, x support) float64 { return 1 / (1 + math.Exp(-dot(w[:], x[:]))) }

func loss(x []support, y []float64, w support) float64 {
	var t tally
	for i := range x {
		p := sigmoid(w, x[i])
		t.add(-y[i]*math.Log(p) - (1-y[i])*math.Log(1-p))
	}
	return t.mean()
}

// logistic fits by gradient descent with momentum and a light penalty; no
// weight but the first may be below 0, so that support never counts against an
// answer.
func logistic(x []support, y []float64) (w support) {
	const (
		steps   = 3000
		rate    = 0.5
		inertia = 0.9
		penalty = 1e-4
	)
	var v support
	for range steps {
		var g support
		for i := range x {
			d := y[i] - sigmoid(w, x[i])
			for j, f := range x[i] {
				g[j] += d * f
			}
		}
		for j := range w {
			v[j] = inertia*v[j] + rate*(g[j]/float64(len(x))-penalty*w[j])
			w[j] += v[j]
			if j != int(sAny) && j != int(sWanted) {
				w[j] = max(0, w[j])
			}
		}
	}
	return w
}

package offline

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"recallbench/datasets"
	"recallbench/internal/backend"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
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

package standin

import (
	"context"
	"hash/fnv"
	"math"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/nli"
)

// dim is the length of vectors.
const dim = 1024

// Embedder returns the embedder: words weighed by how rare they are in a memory, each
// hashed to a place and a sign.
func Embedder() embed.Model { return embedder{} }

type embedder struct{}

// Fit implements [embed.Model].
func (embedder) Fit(ctx context.Context, texts []string) (embed.Embedder, error) {
	in := make(map[string]int)
	for _, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, w := range distinct(text) {
			in[w]++
		}
	}
	s := make(space, len(in))
	for w, n := range in {
		s[w] = math.Log(1 + (float64(len(texts)-n)+0.5)/(float64(n)+0.5))
	}
	return s, nil
}

// A space holds how much the words of a memory weigh. Other words weigh nothing.
type space map[string]float64

// Dim implements [embed.Embedder].
func (space) Dim() int { return dim }

// Embed implements [embed.Embedder]. Queries and documents are embedded alike.
func (s space) Embed(ctx context.Context, r embed.Request) (embed.Reply, error) {
	vectors := make([][]float32, len(r.Texts))
	for i, text := range r.Texts {
		if err := ctx.Err(); err != nil {
			return embed.Reply{}, err
		}
		vectors[i] = s.vector(text)
	}
	return embed.Reply{Vectors: vectors}, nil
}

func (s space) vector(text string) []float32 {
	v := make([]float32, dim)
	sum := 0.0
	for _, w := range words(text) {
		h := fnv.New64a()
		_, _ = h.Write([]byte(w)) // never fails
		place := h.Sum64()
		x := float32(s[w])
		if place>>63 == 1 {
			x = -x
		}
		v[place%dim] += x
	}
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum > 0 {
		length := float32(math.Sqrt(sum))
		for i := range v {
			v[i] /= length
		}
	}
	return v
}

// Entailment returns the scorer: the share of a hypothesis's words that the premise has.
func Entailment() nli.Scorer { return entailment{} }

type entailment struct{}

// Entail implements [nli.Scorer].
func (entailment) Entail(ctx context.Context, pairs []nli.Pair) ([]float64, error) {
	scores := make([]float64, len(pairs))
	for i, p := range pairs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if claimed := distinct(p.Hypothesis); len(claimed) > 0 {
			scores[i] = float64(overlap(claimed, distinct(p.Premise))) / float64(len(claimed))
		}
	}
	return scores, nil
}

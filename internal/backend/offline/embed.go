package offline

import (
	"context"
	"math"
	"slices"
	"strconv"

	"recallbench/internal/door/embed"
	"recallbench/internal/rules/reader"
)

// A fitter gives each memory an embedding space of its own.
//
// The vector of a text has two parts. The first is its latent semantic
// analysis: the TF-IDF vector projected on the leading singular vectors of
// the memory's own texts. The second is the TF-IDF vector itself, folded by
// signed hashing, so that a rare name matches exactly although no singular
// vector carries it.
type fitter struct {
	latent int     // dimensions of the first part
	folded int     // dimensions of the second part
	weight float64 // share of the first part in a cosine, in [0, 1]
	seed   uint64
}

// newFitter returns the fitter that the options describe. A part without
// dimensions has no weight.
func newFitter(o EmbedderOptions, seed uint64) fitter {
	f := fitter{latent: o.Latent, folded: o.Folded, weight: o.Weight, seed: o.Seed}
	if f.seed == 0 {
		f.seed = seed
	}
	if f.latent == 0 {
		f.weight = 0
	}
	if f.folded == 0 {
		f.weight = 1
	}
	return f
}

// name names the space, such as "lsa64+hash1024".
func (f fitter) name() string {
	return "lsa" + strconv.Itoa(f.latent) + "+hash" + strconv.Itoa(f.folded)
}

// Fit implements [embed.Model].
func (f fitter) Fit(ctx context.Context, texts []string) (embed.Embedder, error) {
	s := &space{fitter: f, terms: make(map[uint64]int32)}
	rows := make([]vector, len(texts))
	var df []int32
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		counts := termCounts(text)
		for _, c := range counts {
			id, ok := s.terms[c.term]
			if !ok {
				id = int32(len(df))
				s.terms[c.term] = id
				df = append(df, 0)
			}
			df[id]++
		}
		rows[i] = s.known(counts)
	}
	s.idf = make([]float64, len(df))
	n := float64(len(texts))
	for i, count := range df {
		d := float64(count)
		s.idf[i] = math.Log(1 + (n-d+0.5)/(d+0.5))
	}
	for i := range rows {
		s.weigh(rows[i])
	}
	s.basis = factor(rows, len(df), f.latent, f.seed)
	return s, nil
}

// A termCount is how often a term occurs in a text, stop words counted for
// less.
type termCount struct {
	term  uint64
	count float64
}

// functionWeight is the weight of a closed-class word beside 1 for others.
const (
	functionWeight = 0.1
	bigramWeight   = 0.5
)

// termCounts returns the stems of a text and the pairs of neighbouring
// content stems, in the order of their hashes.
func termCounts(text string) []termCount {
	counts := make(map[uint64]float64)
	last := uint64(0)
	for w := range reader.Stems(text) {
		switch {
		case w.Mark:
			last = 0
			continue
		case !w.Content:
			counts[w.Stem] += functionWeight
			continue
		}
		counts[w.Stem]++
		if last != 0 {
			counts[reader.Mix(last*31+w.Stem)] += bigramWeight
		}
		last = w.Stem
	}
	out := make([]termCount, 0, len(counts))
	for t, c := range counts {
		out = append(out, termCount{term: t, count: c})
	}
	slices.SortFunc(out, func(a, b termCount) int {
		if a.term < b.term {
			return -1
		}
		return 1
	})
	return out
}

// A space is the embedding space of one memory.
type space struct {
	fitter
	terms map[uint64]int32
	idf   []float64
	basis *basis
}

// Info implements [embed.Embedder].
func (s *space) Info() embed.Info {
	return embed.Info{
		Name:       s.name(),
		Dim:        s.latent + s.folded,
		Normalised: true,
		Scale:      scale,
	}
}

// scale is the embedder's among others, see [embed.Info]: with two thirds of their
// thresholds, facts gather into themes of 2.6 facts, as the xMemory paper reports
// without restructuring. That is over the five conversations of LoCoMo that the rules
// were made with.
const scale = 2.0 / 3

// Embed implements [embed.Embedder]. Queries and documents are embedded alike.
func (s *space) Embed(ctx context.Context, r embed.Request) (embed.Reply, error) {
	vectors := make([][]float32, len(r.Texts))
	for i, text := range r.Texts {
		if err := ctx.Err(); err != nil {
			return embed.Reply{}, err
		}
		vectors[i] = s.vector(text)
	}
	return embed.Reply{Vectors: vectors}, nil
}

// known keeps the terms that the space has.
func (s *space) known(counts []termCount) vector {
	v := vector{ids: make([]int32, 0, len(counts)), xs: make([]float64, 0, len(counts))}
	for _, c := range counts {
		if id, ok := s.terms[c.term]; ok {
			v.ids = append(v.ids, id)
			v.xs = append(v.xs, c.count)
		}
	}
	return v
}

// weigh turns counts into TF-IDF weights of length 1.
func (s *space) weigh(v vector) {
	sum := 0.0
	for i, id := range v.ids {
		tf := v.xs[i]
		if tf > 1 {
			tf = 1 + math.Log(tf)
		}
		v.xs[i] = tf * s.idf[id]
		sum += v.xs[i] * v.xs[i]
	}
	v.scale(1 / math.Sqrt(sum))
}

// vector embeds one text.
func (s *space) vector(text string) []float32 {
	counts := termCounts(text)
	v := s.known(counts)
	s.weigh(v)
	out := make([]float64, s.latent+s.folded)
	s.basis.project(v, out[:s.latent])
	unit(out[:s.latent], math.Sqrt(s.weight))
	i := 0
	for _, c := range counts {
		if _, ok := s.terms[c.term]; !ok {
			continue
		}
		h := reader.Mix(c.term ^ s.seed)
		x := v.xs[i]
		if h>>63 == 1 {
			x = -x
		}
		if s.folded > 0 {
			out[s.latent+int(h%uint64(s.folded))] += x
		}
		i++
	}
	unit(out[s.latent:], math.Sqrt(1-s.weight))
	unit(out, 1)
	vec := make([]float32, len(out))
	for i, x := range out {
		vec[i] = float32(x)
	}
	return vec
}

// unit scales xs to the given length; a zero vector stays.
func unit(xs []float64, length float64) {
	sum := 0.0
	for _, x := range xs {
		sum += x * x
	}
	if sum == 0 {
		return
	}
	f := length / math.Sqrt(sum)
	for i := range xs {
		xs[i] *= f
	}
}

// A vector is a sparse row.
type vector struct {
	ids []int32
	xs  []float64
}

func (v vector) scale(f float64) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return
	}
	for i := range v.xs {
		v.xs[i] *= f
	}
}

package flatrag

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"recallbench/internal/door/embed"
)

// window is how many turns on each side of a gap are compared.
const window = 2

// episodes cuts the turns of a session where the talk turns to something else: after
// TextTiling (Hearst, 1997), with embeddings in place of word counts. The turns on
// both sides of each gap are compared. A gap that lies deeper between its
// neighbouring peaks than the mean depth less half a standard deviation, and is the
// lowest of its valley, ends an episode. An episode has at most Chunk.Size turns; a
// longer one is cut evenly.
//
// The blocks of the xMemory paper are cut by the backbone and not published.
func (m *method) episodes(ctx context.Context, entries []entry) ([][]entry, error) {
	var parts [][]entry
	first := 0
	cuts, err := m.cuts(ctx, entries)
	if err != nil {
		return nil, err
	}
	for _, end := range append(cuts, len(entries)) {
		part := entries[first:end]
		first = end
		pieces := (len(part) + m.Chunk.Size - 1) / m.Chunk.Size
		for i := range pieces {
			parts = append(parts, part[i*len(part)/pieces:(i+1)*len(part)/pieces])
		}
	}
	return parts, nil
}

// cuts returns the indexes of the turns that begin an episode, but for the
// first.
func (m *method) cuts(ctx context.Context, entries []entry) ([]int, error) {
	if len(entries) <= 2*window {
		return nil, nil
	}
	texts := make([]string, len(entries))
	for i, e := range entries {
		texts[i] = e.line.Text
	}
	space, err := m.embed.Fit(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("fit the embedder to the %d turns of a session: %w", len(texts), err)
	}
	reply, err := space.Embed(ctx, embed.Request{Kind: embed.Document, Texts: texts})
	if err != nil {
		return nil, fmt.Errorf("embed the %d turns of a session: %w", len(texts), err)
	}
	gaps := make([]float64, len(entries)-1) // gap i lies before turn i+1
	for i := range gaps {
		left := sum(reply.Vectors[max(0, i+1-window) : i+1])
		right := sum(reply.Vectors[i+1 : min(len(entries), i+1+window)])
		gaps[i] = embed.Cosine(left, right)
	}
	depths := depths(gaps)
	mean, std := stat.MeanStdDev(depths, nil)
	if math.IsNaN(std) {
		return nil, nil
	}
	var cuts []int
	for i, d := range depths {
		lowest := (i == 0 || gaps[i] < gaps[i-1]) && (i == len(gaps)-1 || gaps[i] <= gaps[i+1])
		if lowest && d > 0 && d >= mean-std/2 {
			cuts = append(cuts, i+1)
		}
	}
	return cuts, nil
}

// depths returns how far each gap lies below the peaks of its two sides, the
// sum of both.
func depths(gaps []float64) []float64 {
	depths := make([]float64, len(gaps))
	for i, g := range gaps {
		left, right := g, g
		for j := i - 1; j >= 0 && gaps[j] >= left; j-- {
			left = gaps[j]
		}
		for j := i + 1; j < len(gaps) && gaps[j] >= right; j++ {
			right = gaps[j]
		}
		depths[i] = left - g + right - g
	}
	return depths
}

func sum(vectors [][]float32) []float32 {
	total := make([]float32, len(vectors[0]))
	for _, v := range vectors {
		for i, x := range v {
			total[i] += x
		}
	}
	return total
}

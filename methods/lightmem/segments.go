package lightmem

import (
	"context"

	"recallbench/internal/door/embed"
	"recallbench/methods/internal/building"
)

// sense puts a message into the buffer. While there is no room for it, the buffer
// is cut, and what was cut off returned. A message that is larger than the buffer
// is a segment of its own.
func (b *builder) sense(ctx context.Context, i int) (segments []segment, err error) {
	for b.filled+b.messages[i].tokens > b.sizes.buffer {
		if b.buffer.first == b.buffer.end {
			b.buffer = segment{i + 1, i + 1}
			return append(segments, segment{i, i + 1}), nil
		}
		off, err := b.cut(ctx, false)
		if err != nil {
			return nil, err
		}
		segments = append(segments, off...)
	}
	b.buffer.end = i + 1
	b.filled += b.messages[i].tokens
	return segments, nil
}

// cut cuts the buffer at its boundaries, or returns it whole where it has none.
// What stands behind the last boundary stays in the buffer unless all is asked
// for.
func (b *builder) cut(ctx context.Context, all bool) (segments []segment, err error) {
	if b.buffer.first == b.buffer.end {
		return nil, nil
	}
	boundaries, err := b.boundaries(ctx, b.messages[b.buffer.first:b.buffer.end])
	if err != nil {
		return nil, err
	}
	if all || len(boundaries) == 0 {
		boundaries = append(boundaries, b.buffer.end-b.buffer.first)
	}
	first := b.buffer.first
	for _, n := range boundaries {
		segments = append(segments, segment{b.buffer.first, first + n})
		b.buffer.first = first + n
	}
	b.filled = 0
	for _, m := range b.messages[b.buffer.first:b.buffer.end] {
		b.filled += m.tokens
	}
	return segments, nil
}

// boundaries returns before which messages a topic begins, by their index from 1
// on: where a message is unlike the one before it, and near a boundary by
// attention, unless none is.
func (b *builder) boundaries(ctx context.Context, messages []message) ([]int, error) {
	var coarse []int
	if b.attention != nil {
		texts := make([]string, len(messages))
		for i, m := range messages {
			texts[i] = m.short
		}
		matrix, err := b.attention(ctx, texts)
		if err != nil {
			return nil, err
		}
		if coarse = peaks(matrix); len(coarse) == 0 {
			return nil, nil
		}
	}
	if err := b.embedMessages(ctx, messages); err != nil {
		return nil, err
	}
	cosines := make([]float64, len(messages)-1)
	for i := range cosines {
		cosines[i] = embed.Cosine(messages[i].vector, messages[i+1].vector)
	}
	return near(b.unlike(cosines), coarse), nil
}

// embedMessages gives vectors to messages that have none.
func (b *builder) embedMessages(ctx context.Context, messages []message) error {
	var fresh []*message
	var texts []string
	for i := range messages {
		if m := &messages[i]; m.vector == nil {
			fresh, texts = append(fresh, m), append(texts, m.short)
		}
	}
	vectors, err := b.vectors(ctx, texts)
	if err != nil {
		return err
	}
	for i, m := range fresh {
		m.vector = vectors[i]
	}
	return nil
}

func (b *builder) vectors(ctx context.Context, texts []string) ([][]float32, error) {
	return building.Vectors(ctx, b.space, embed.Document, texts...)
}

// peaks returns the boundaries that a matrix of attention shows: of the shares
// M[k+1][k] of a message's attention that go to the one before it, those k whose
// share is larger than both its neighbours'. The first and the last share are never
// one. The authors number them from 0 and compare them with numbers of messages from
// 1. So k stands for the boundary before message k, and the share is that of message
// k+1.
func peaks(matrix [][]float64) (found []int) {
	share := func(k int) float64 { return matrix[k+1][k] }
	for k := 1; k < len(matrix)-2; k++ {
		if share(k-1) < share(k) && share(k) > share(k+1) {
			found = append(found, k)
		}
	}
	return found
}

// unlike returns the messages, from 1 on, whose cosine with the one before is
// below the first threshold that any is below; none where none is.
func (b *builder) unlike(cosines []float64) (found []int) {
	for threshold := leastCosine; threshold <= mostCosine && len(found) == 0; threshold += cosineStep {
		for i, c := range cosines {
			if c < threshold {
				found = append(found, i+1)
			}
		}
	}
	return found
}

// reach is how far from a coarse boundary a fine one may be.
const reach = 3

// near returns the fine boundaries within reach of a coarse one, and all of them
// where none is.
func near(fine, coarse []int) (found []int) {
	for _, f := range fine {
		for _, c := range coarse {
			if f-c >= -reach && f-c <= reach {
				found = append(found, f)
				break
			}
		}
	}
	if len(found) == 0 {
		return fine
	}
	return found
}

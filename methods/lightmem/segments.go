package lightmem

import (
	"context"

	"recallbench/internal/door/embed"
	"recallbench/methods/internal/building"
)

// sense puts a message into the buffer. While there is no room for it, the buffer
// is cut and the pieces are returned. A message that is larger than the buffer is
// a segment of its own.
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

// cut cuts the buffer at its boundaries, or returns it whole if it has none.
// The part after the last boundary stays in the buffer unless all is set.
func (b *builder) cut(ctx context.Context, all bool) (segments []segment, err error) {
	if b.buffer.first == b.buffer.end {
		return nil, nil
	}
	boundaries, err := b.bounds(b, ctx, b.messages[b.buffer.first:b.buffer.end])
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

// boundaries returns the messages before which a topic begins, by index from 1: those
// that differ from the message before. The authors' segmenter also requires a nearby
// boundary in the attention maps of their compressor, which no server provides.
func (b *builder) boundaries(ctx context.Context, messages []message) ([]int, error) {
	if err := b.embedMessages(ctx, messages); err != nil {
		return nil, err
	}
	cosines := make([]float64, len(messages)-1)
	for i := range cosines {
		cosines[i] = embed.Cosine(messages[i].vector, messages[i+1].vector)
	}
	return unlike(cosines), nil
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
	vectors, err := building.Vectors(ctx, b.space, texts...)
	if err != nil {
		return err
	}
	for i, m := range fresh {
		m.vector = vectors[i]
	}
	return nil
}

// unlike returns the messages, from 1 on, whose cosine with the one before is
// below the first threshold that any is below; empty if none is.
func unlike(cosines []float64) (found []int) {
	for threshold := leastCosine; threshold <= mostCosine && len(found) == 0; threshold += cosineStep {
		for i, c := range cosines {
			if c < threshold {
				found = append(found, i+1)
			}
		}
	}
	return found
}

package lightmem

import (
	"context"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/meter"
	"recallbench/methods/internal/building"
)

// A message is a turn with some text.
type message struct {
	building.Message
	short  string    // its shortened text
	tokens int       // of that, as the buffer counts
	vector []float32 // of that; nil until the message is compared with a neighbour
}

// A segment is a stretch of messages about one topic, from first to before end.
type segment struct{ first, end int }

// A fact is an entry of the memory.
type fact struct {
	text    string
	message int       // that it is from
	time    time.Time // by the memory's clock; zero if unknown
	vector  []float32
}

// A builder reads a conversation into a memory.
type builder struct {
	memory
	model building.Model

	buffer segment   // the sensory buffer
	filled int       // its tokens
	topics []segment // the short-term memory
	held   int       // its tokens
}

// counts are the numbers that [memory.Structure] reports in addition to the facts.
type counts struct {
	turns                     int // of the conversation
	tokensLeft, tokensSaid    int // of the messages, after and before words were left out
	segments, batches         int // topics, and calls that found their facts
	misplaced                 int // facts attributed to a message that was not shown
	unread                    int // messages kept as they are, without a usable reply
	updated, deleted, ignored int // facts, by outcome of their revision
}

// newBuilder gathers and shortens the messages of a conversation, and makes the
// embedding space.
func (m *method) newBuilder(ctx context.Context, s datasets.Sample) (*builder, error) {
	b := &builder{memory: memory{method: m}}
	all := building.Messages(s, images)
	b.turns = len(all)
	var said []building.Message
	for _, msg := range all {
		if msg.Line.Text != "" {
			said = append(said, msg)
			b.messages = append(b.messages, message{Message: msg, short: msg.Line.Text})
		}
	}
	var err error
	if b.model, b.space, err = m.Begin(ctx, said); err != nil {
		return nil, err
	}
	return b, b.shorten(ctx)
}

// special is the number of tokens that the authors' compressor, which also counts
// for the buffer, puts around a text.
const special = 2

// shorten leaves words out of each message, and repeats this for those that
// would fill the buffer, as long as they get shorter.
func (b *builder) shorten(ctx context.Context) error {
	defer meter.Stage(ctx, "prune")()
	left := make([]int, len(b.messages)) // messages to shorten
	texts := make([]string, len(b.messages))
	for i, m := range b.messages {
		left[i], texts[i] = i, m.short
		b.messages[i].tokens = b.tokens.Count(m.short) + special
		b.tokensSaid += b.messages[i].tokens - special
	}
	compressor := b.prune.Compressor(b.classifier, b.tokens, texts)
	for compressor != nil && len(left) > 0 {
		short, err := compressor.Compress(ctx, texts)
		if err != nil {
			return err
		}
		var again []int
		texts = texts[:0]
		for k, i := range left {
			m := &b.messages[i]
			text := strings.TrimSpace(short[k].Text)
			if text == "" || text == m.short {
				continue
			}
			m.short, m.tokens = text, b.tokens.Count(text)+special
			if m.tokens >= b.sizes.buffer {
				again, texts = append(again, i), append(texts, text)
			}
		}
		left = again
	}
	for _, m := range b.messages {
		b.tokensLeft += m.tokens - special
	}
	return nil
}

// read takes the messages through the sensory buffer and the short-term memory.
func (b *builder) read(ctx context.Context) error {
	for i := range b.messages {
		segments, err := b.sense(ctx, i)
		if err != nil {
			return err
		}
		last := i == len(b.messages)-1
		if last {
			rest, err := b.cut(ctx, true)
			if err != nil {
				return err
			}
			segments = append(segments, rest...)
		}
		if err := b.remember(ctx, b.gather(segments, last)); err != nil {
			return err
		}
	}
	return nil
}

// gather puts segments into the short-term memory, and returns batches of those
// for which it has no more room; with all, also the rest.
func (b *builder) gather(segments []segment, all bool) (batches [][]segment) {
	flush := func() {
		if len(b.topics) > 0 {
			batches = append(batches, b.topics)
			b.topics, b.held = nil, 0
		}
	}
	for _, s := range segments {
		texts := lists.Map(b.messages[s.first:s.end], func(m message) string { return m.short })
		n := b.tokens.Count(strings.Join(texts, " "))
		if b.held+n > b.shortTerm {
			flush()
		}
		b.topics, b.held = append(b.topics, s), b.held+n
	}
	if all {
		flush()
	}
	return batches
}

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

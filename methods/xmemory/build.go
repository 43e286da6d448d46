package xmemory

import (
	"context"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/embed"
	"recallbench/internal/engine/checkpoint"
	"recallbench/internal/engine/index"
	"recallbench/methods/internal/building"
)

// An episode is a stretch of messages, retold.
type episode struct {
	first, end     int // messages from first to before end
	title, content string
	time           time.Time // zero when unknown
}

// index is the text by which episodes are looked up without stage II.
func (e episode) index() string { return e.title + ". " + e.content }

// A semantic is a lasting fact.
type semantic struct {
	text    string
	episode int
	vector  []float32
}

// A builder reads a conversation.
type builder struct {
	*method
	keeper    checkpoint.Keeper
	summaries map[string]keptSummary // by the hash of their facts
	messages  []building.Message
	space     embed.Embedder
	episodes  []episode
	contents  [][]float32 // of episodes, by their content
	indexes   [][]float32 // of episodes, by their index text
	semantics []semantic
	close     *index.Close // of the semantics
	batches   []int        // how many semantics each episode gave
}

// newBuilder gathers the messages of a sample, makes the embedding space and
// takes up what was kept of an earlier building.
func (m *method) newBuilder(ctx context.Context, s datasets.Sample) (*builder, error) {
	b := &builder{method: m, keeper: checkpoint.From(ctx), summaries: make(map[string]keptSummary)}
	b.messages = building.Messages(s, m.Images)
	var err error
	if b.space, err = building.Fit(ctx, m.embed, b.messages); err != nil {
		return nil, err
	}
	b.close = index.NewClose(b.space.Info().Scaled(m.Construction.Closest))
	return b, b.takeUp(ctx)
}

// read takes the messages that are left to episodes and semantics.
func (b *builder) read(ctx context.Context) error {
	first := 0
	if n := len(b.episodes); n > 0 {
		first = b.episodes[n-1].end
	}
	for i := first + 1; i < len(b.messages); i++ {
		ends, why, err := b.ends(ctx, first, i)
		if err != nil {
			return err
		}
		if ends {
			if err := b.end(ctx, first, i, why); err != nil {
				return err
			}
			first = i
		}
	}
	if first < len(b.messages) {
		return b.end(ctx, first, len(b.messages), "")
	}
	return nil
}

// end makes an episode of messages, and semantics of it.
func (b *builder) end(ctx context.Context, first, end int, why string) error {
	e, err := b.retell(ctx, first, end, why)
	if err != nil {
		return err
	}
	vectors, err := b.vectors(ctx, []string{e.content, e.index()})
	if err != nil {
		return err
	}
	statements, err := b.statements(ctx, e, vectors[1])
	if err != nil {
		return err
	}
	if err := b.keeper.Add(part{Episode: keptOf(e, statements)}); err != nil {
		return err
	}
	return b.add(ctx, e, vectors, statements)
}

// add puts an episode with its statements into the memory.
func (b *builder) add(ctx context.Context, e episode, vectors [][]float32, statements []string) error {
	known, err := b.vectors(ctx, statements)
	if err != nil {
		return err
	}
	for i, text := range statements {
		b.semantics = append(b.semantics, semantic{text: text, episode: len(b.episodes), vector: known[i]})
		if err := b.close.Add(known[i]); err != nil {
			return err
		}
	}
	b.episodes = append(b.episodes, e)
	b.contents, b.indexes = append(b.contents, vectors[0]), append(b.indexes, vectors[1])
	b.batches = append(b.batches, len(statements))
	return nil
}

// vectors embeds what the memory holds.
func (b *builder) vectors(ctx context.Context, texts []string) ([][]float32, error) {
	return building.Vectors(ctx, b.space, embed.Document, texts...)
}

package episodes

import (
	"context"
	"time"

	embeds "recallbench/internal/door/embed"
	"recallbench/methods/internal/building"
)

// Read makes episodes and statements of the messages that are left.
func (b *Builder) Read(ctx context.Context) error {
	first := b.end()
	for i := first + 1; i < len(b.Messages); i++ {
		ends, why, err := b.ends(ctx, first, i)
		if err != nil {
			return err
		}
		if ends {
			if err := b.make(ctx, first, i, why); err != nil {
				return err
			}
			first = i
		}
	}
	if first < len(b.Messages) {
		return b.make(ctx, first, len(b.Messages), "")
	}
	return nil
}

// end is the message behind the last episode.
func (b *Builder) end() int {
	if n := len(b.Episodes); n > 0 {
		return b.Episodes[n-1].End
	}
	return 0
}

// make makes an episode of messages, and statements of it.
func (b *Builder) make(ctx context.Context, first, end int, why string) error {
	e, err := b.retell(ctx, first, end, why)
	if err != nil {
		return err
	}
	vectors, err := b.Embed(ctx, b.texts(e)...)
	if err != nil {
		return err
	}
	statements, err := b.statements(ctx, e, vectors[len(vectors)-1])
	if err != nil {
		return err
	}
	if err := b.keeper.Add(Part{&Kept{e.First, e.End, e.Title, e.Content, e.Time, statements}}); err != nil {
		return err
	}
	return b.add(ctx, e, vectors, statements)
}

// add puts an episode with its statements into the memory.
func (b *Builder) add(ctx context.Context, e Episode, vectors [][]float32, statements []string) error {
	known, err := b.Embed(ctx, statements...)
	if err != nil {
		return err
	}
	for i, text := range statements {
		b.Statements = append(b.Statements, Statement{Text: text, Episode: len(b.Episodes), Vector: known[i]})
		if err := b.close.Add(known[i]); err != nil {
			return err
		}
	}
	b.Episodes, b.Vectors = append(b.Episodes, e), append(b.Vectors, vectors)
	return nil
}

// Embed embeds what the memory holds.
func (b *Builder) Embed(ctx context.Context, texts ...string) ([][]float32, error) {
	return building.Vectors(ctx, b.Space, embeds.Document, texts...)
}

// A Part is what is kept of a building. It is empty for parts of other kinds that
// a method keeps beside.
type Part struct {
	Episode *Kept `json:"episode,omitempty"`
}

// Kept is an episode with its statements.
type Kept struct {
	First      int       `json:"first"`
	End        int       `json:"end"`
	Title      string    `json:"title"`
	Content    string    `json:"content"`
	Time       time.Time `json:"time,omitzero"`
	Statements []string  `json:"statements"`
}

// takeUp takes the episodes that an earlier building kept, as far as they go on
// from one another.
func (b *Builder) takeUp(ctx context.Context) error {
	return building.Kept(b.keeper, func(p Part, use func()) error {
		k := p.Episode
		if k == nil || k.First != b.end() || k.End <= k.First || k.End > len(b.Messages) {
			return nil
		}
		e := Episode{First: k.First, End: k.End, Title: k.Title, Content: k.Content, Time: k.Time}
		vectors, err := b.Embed(ctx, b.texts(e)...)
		if err != nil {
			return err
		}
		use()
		return b.add(ctx, e, vectors, k.Statements)
	})
}

package flatrag

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/index"
	"recallbench/methods"
	"recallbench/methods/internal/pruning"
)

// A pruner shortens each chunk of one memory once: the question makes no
// difference.
type pruner struct {
	*pruning.Compressor
	mu   sync.Mutex
	done map[int]pruning.Compressed // by index of the chunk; tokens are of the words said
}

// blocks returns the chunks of hits as the reader sees them, and a step for the trace.
func (m *memory) blocks(ctx context.Context, hits []index.Hit) ([]methods.Evidence, []methods.Step, error) {
	blocks := make([]methods.Evidence, len(hits))
	for i, h := range hits {
		c := m.chunks[h.Index]
		blocks[i] = methods.Evidence{ID: c.id, Sources: c.sources, Score: h.Score, Text: c.text}
	}
	if m.pruner == nil {
		return blocks, nil, nil
	}
	defer meter.Stage(ctx, "prune")()
	all, err := m.pruner.shorten(ctx, m.chunks, hits)
	if err != nil {
		return nil, nil, fmt.Errorf("prune %d chunks: %w", len(hits), err)
	}
	kept, of := 0, 0
	for i, s := range all {
		blocks[i].Text = s.Text
		kept, of = kept+s.Kept, of+s.Of
	}
	return blocks, []methods.Step{{
		Name: "prune",
		Note: fmt.Sprintf("%s left %d of %d tokens of what is said in %d chunks", m.Prune.Name(), kept, of, len(all)),
		Data: map[string]any{"use": string(m.Prune.Use), "kept": kept, "of": of},
	}}, nil
}

// shorten shortens the chunks of hits. New ones go to the classifier at once; other
// questions wait, since they may need the same.
func (p *pruner) shorten(ctx context.Context, chunks []chunk, hits []index.Hit) ([]pruning.Compressed, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var fresh []int
	for _, h := range hits {
		if _, ok := p.done[h.Index]; !ok {
			fresh = append(fresh, h.Index)
		}
	}
	slices.Sort(fresh)
	var texts []string
	for _, i := range fresh {
		texts = append(texts, chunks[i].lines()...)
	}
	pruned, err := p.Compress(ctx, texts)
	if err != nil {
		return nil, err
	}
	for _, i := range fresh {
		n := len(chunks[i].said)
		p.done[i] = chunks[i].shortened(pruned[:n])
		pruned = pruned[n:]
	}
	return lists.Map(hits, func(h index.Hit) pruning.Compressed { return p.done[h.Index] }), nil
}

// shortened returns the text of a chunk with other texts in place of the words said.
func (c chunk) shortened(texts []pruning.Compressed) (s pruning.Compressed) {
	var b strings.Builder
	end := 0
	for i, p := range texts {
		b.WriteString(c.text[end:c.said[i].from])
		b.WriteString(p.Text)
		end = c.said[i].to
		s.Kept, s.Of = s.Kept+p.Kept, s.Of+p.Of
	}
	b.WriteString(c.text[end:])
	s.Text = b.String()
	return s
}

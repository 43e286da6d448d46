package flatrag

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"recallbench/internal/door/meter"
	"recallbench/internal/engine/index"
	"recallbench/methods"
	"recallbench/methods/internal/pruning"
	"recallbench/methods/internal/transcript"
)

// A pruner shortens the chunks of one memory, each once: a question changes
// nothing of it.
type pruner struct {
	*pruning.Compressor
	mu   sync.Mutex
	done map[int]shortened // by index of the chunk
}

// A shortened is a chunk with the tokens of its lines' texts, counted word by
// word, that are left and that there were.
type shortened struct {
	chunk
	kept, of int
}

// newPruner returns the pruner of a memory; nil for none.
func (m *method) newPruner(chunks []chunk) *pruner {
	var texts []string
	for _, c := range chunks {
		for _, l := range c.lines {
			texts = append(texts, l.Text)
		}
	}
	c := m.Prune.Compressor(m.classifier, m.counter, texts)
	if c == nil {
		return nil
	}
	return &pruner{Compressor: c, done: make(map[int]shortened)}
}

// found returns the chunks of hits as the reader sees them, by index, and what
// was done to them.
func (m *memory) found(ctx context.Context, hits []index.Hit) (map[int]chunk, []methods.Step, error) {
	found := make(map[int]chunk, len(hits))
	for _, h := range hits {
		found[h.Index] = m.chunks[h.Index]
	}
	if m.pruner == nil {
		return found, nil, nil
	}
	defer meter.Stage(ctx, "prune")()
	kept, of := 0, 0
	all, err := m.pruner.shorten(ctx, found)
	if err != nil {
		return nil, nil, fmt.Errorf("prune %d chunks: %w", len(found), err)
	}
	for i, s := range all {
		found[i] = s.chunk
		kept, of = kept+s.kept, of+s.of
	}
	return found, []methods.Step{{
		Name: "prune",
		Note: fmt.Sprintf("%s left %d of %d tokens of what is said in %d chunks", m.Prune.Name(), kept, of, len(all)),
		Data: map[string]any{"use": string(m.Prune.Use), "kept": kept, "of": of},
	}}, nil
}

// shorten shortens chunks, by index. Those that are new go to the classifier at
// once.
func (p *pruner) shorten(ctx context.Context, chunks map[int]chunk) (map[int]shortened, error) {
	all := make(map[int]shortened, len(chunks))
	var fresh []int
	var texts []string
	p.mu.Lock()
	for i := range chunks {
		if s, ok := p.done[i]; ok {
			all[i] = s
		} else {
			fresh = append(fresh, i)
		}
	}
	p.mu.Unlock()
	slices.Sort(fresh)
	for _, i := range fresh {
		for _, l := range chunks[i].lines {
			texts = append(texts, l.Text)
		}
	}
	pruned, err := p.Compress(ctx, texts)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, i := range fresh {
		n := len(chunks[i].lines)
		all[i] = chunks[i].shortened(pruned[:n])
		p.done[i] = all[i]
		pruned = pruned[n:]
	}
	return all, nil
}

// shortened returns the chunk with other texts of its lines, and what stands
// around them as it was.
func (c chunk) shortened(texts []pruning.Compressed) shortened {
	s := shortened{chunk: c}
	s.lines = make([]transcript.Line, len(c.lines))
	var b strings.Builder
	for i, p := range texts {
		s.lines[i] = c.lines[i]
		s.lines[i].Text = p.Text
		b.WriteString(c.around[i])
		b.WriteString(p.Text)
		s.kept, s.of = s.kept+p.Kept, s.of+p.Of
	}
	b.WriteString(c.around[len(texts)])
	s.text = b.String()
	return s
}

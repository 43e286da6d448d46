package flatrag

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/index"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/pruning"
	"recallbench/methods/internal/transcript"
)

// A chunk is a stretch of the conversation.
type chunk struct {
	id      string
	text    string
	sources []string
	said    []span // of text: the words said, without times and names of speakers
}

// A span is a part of a text, by offsets.
type span struct{ from, to int }

// lines returns the words said.
func (c chunk) lines() []string {
	return lists.Map(c.said, func(s span) string { return c.text[s.from:s.to] })
}

// chunks cuts a conversation into chunks, in order.
func (m *method) chunks(s datasets.Sample) (chunks []chunk) {
	all := building.Messages(s, m.Images)
	if m.Chunk.Unit == Tokens {
		chunks = m.tokenWindows(all)
	} else {
		for turns := range slices.Chunk(all, m.Chunk.Size) {
			chunks = append(chunks, join(turns))
		}
	}
	for i := range chunks {
		chunks[i].id = "chunk " + strconv.Itoa(i+1)
	}
	return chunks
}

// join makes whole turns a chunk.
func join(turns []building.Message) chunk {
	var c chunk
	var b strings.Builder
	for i, turn := range turns {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(transcript.Text(turn.Line))
		c.said = append(c.said, span{b.Len() - len(turn.Line.Text), b.Len()})
		c.sources = append(c.sources, turn.ID)
	}
	c.text = b.String()
	return c
}

// tokenWindows cuts the transcript of turns into windows of Chunk.Size tokens, as
// mem0's evaluation does, and behind them to the end of a character. A window may begin
// and end inside a turn. The turn then counts as a source only of the window that has
// most of its tokens, the first of equals, so that recall does not count halves.
func (m *method) tokenWindows(turns []building.Message) []chunk {
	var all strings.Builder // the transcript
	windows := []window{{}}
	var parted []share // of turns that are in several windows
	for _, turn := range turns {
		line := transcript.Text(turn.Line)
		tokens := m.tokens.Split(line + "\n")
		if len(tokens) == 0 {
			continue
		}
		shown := strings.Join(tokens, "")
		at, first := all.Len(), len(windows)-1
		said := span{at, at + len(shown)}
		if head := strings.TrimSuffix(line, turn.Line.Text); strings.HasPrefix(shown, head) {
			said.from += len(head)
		}
		all.WriteString(shown)
		most := share{turn: turn.ID}
		held := 0 // tokens of the turn in the last window
		for _, token := range tokens {
			if windows[len(windows)-1].tokens >= m.Chunk.Size && utf8.RuneStart(all.String()[at]) {
				windows, held = append(windows, window{from: at}), 0
			}
			at += len(token)
			windows[len(windows)-1].tokens++
			if held++; held > most.tokens {
				most.window, most.tokens = len(windows)-1, held
			}
		}
		if most.tokens == len(tokens) {
			windows[most.window].sources = append(windows[most.window].sources, turn.ID)
		} else {
			parted = append(parted, most)
		}
		for i := first; i < len(windows); i++ {
			windows[i].said = append(windows[i].said, said)
		}
	}
	for _, s := range parted {
		windows[s.window].sources = append(windows[s.window].sources, s.turn)
	}
	return cut(all.String(), windows)
}

// A window is a stretch of a transcript, up to the next.
type window struct {
	from    int
	tokens  int
	sources []string
	said    []span // of the transcript: a turn may go on in the next window
}

// A share says which window has most of the tokens of a turn.
type share struct {
	turn           string
	window, tokens int
}

// cut makes chunks of the windows of a transcript.
func cut(all string, windows []window) (chunks []chunk) {
	if all == "" {
		return nil
	}
	for i, w := range windows {
		to := len(all)
		if i+1 < len(windows) {
			to = windows[i+1].from
		}
		c := chunk{text: strings.TrimLeft(all[w.from:to], "\n"), sources: w.sources}
		from := to - len(c.text)
		c.text = strings.TrimRight(c.text, "\n")
		for _, s := range w.said {
			if s = (span{max(s.from, w.from), min(s.to, to)}).trimmed(all); s.from < s.to {
				c.said = append(c.said, span{s.from - from, s.to - from})
			}
		}
		chunks = append(chunks, c)
	}
	return chunks
}

// trimmed returns a span of a text without white space around it.
func (s span) trimmed(text string) span {
	if s.from >= s.to {
		return s
	}
	words := strings.TrimLeftFunc(text[s.from:s.to], unicode.IsSpace)
	from := s.to - len(words)
	return span{from, from + len(strings.TrimSpace(words))}
}

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

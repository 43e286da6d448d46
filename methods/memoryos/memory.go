package memoryos

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/door/embed"
	"recallbench/internal/engine/index"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

// A memory is what a builder made, ready to be searched.
type memory struct {
	*builder
	bySegment, byPage, byUser, byAgent *index.Dense
}

// finish makes the memory ready to be searched.
func (b *builder) finish(ctx context.Context) (*memory, error) {
	m := &memory{builder: b}
	var segments [][]float32
	var pages []string
	rows := make(map[*page]bool)
	for _, s := range b.mid.segments {
		segments = append(segments, s.vector)
		for _, p := range s.pages {
			if !rows[p] {
				rows[p], p.row = true, len(pages)
				pages = append(pages, p.text())
			}
		}
	}
	var err error
	if m.bySegment, err = index.NewDense(segments); err != nil {
		return nil, fmt.Errorf("index of segments: %w", err)
	}
	for _, x := range []struct {
		of    string
		texts []string
		to    **index.Dense
	}{{"pages", pages, &m.byPage}, {"facts of the user", b.long.user, &m.byUser}, {"facts of the assistant", b.long.agent, &m.byAgent}} {
		vectors, err := building.Vectors(ctx, b.space, embed.Document, x.texts...)
		if err == nil {
			*x.to, err = index.NewDense(vectors)
		}
		if err != nil {
			return nil, fmt.Errorf("index of %s: %w", x.of, err)
		}
	}
	return m, nil
}

// Structure implements [methods.Structured]: how many messages and pages there are,
// how many pages are in short-term memory and go on with the one before, how many segments there are, with how many
// pages. Then come facts of each speaker, and how often a segment was analysed.
func (m *memory) Structure() map[string]float64 {
	held := 0
	for _, s := range m.mid.segments {
		held += len(s.pages)
	}
	return map[string]float64{
		"messages": float64(m.messages), "pages": float64(len(m.pages)),
		"stm": float64(len(m.short)), "links": float64(m.links),
		"segments": float64(len(m.mid.segments)), "segment-pages": float64(held),
		"knowledge": float64(len(m.long.user)), "assistant": float64(len(m.long.agent)), "analyses": float64(m.long.analyses),
	}
}

// Close implements [methods.Memory].
func (*memory) Close() error { return nil }

// Answer finds what the reader gets, and asks it. It counts no visits to segments,
// which rank nothing.
func (m *memory) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	found, err := m.search(ctx, r.Text)
	resp := methods.Response{Trace: found.trace()}
	if err != nil {
		return resp, err
	}
	shown := m.shown(found)
	reply, err := m.Method.Reader.Ask(ctx, r, reader.Context{Semantic: shown.text(shown.semantic), Episodic: shown.text(shown.episodic)})
	if err != nil {
		return resp, err
	}
	resp.Evidence, resp.Text = shown.evidence, reply.Text
	return resp, nil
}

// A readerContext is what the reader gets, block by block.
type readerContext struct {
	semantic, episodic []string
	evidence           []methods.Evidence
}

func (*readerContext) text(blocks []string) string { return strings.Join(blocks, "\n") }

func (c *readerContext) heading(kind *[]string, format string, args ...any) {
	if len(*kind) > 0 {
		format = "\n" + format
	}
	*kind = append(*kind, fmt.Sprintf(format, args...))
}

func (c *readerContext) add(kind *[]string, e methods.Evidence) {
	*kind = append(*kind, e.Text)
	c.evidence = append(c.evidence, e)
}

// page adds a page with the overview of its chain. A page stands for its turns.
func (c *readerContext) page(p *page, score float64) {
	lines := p.lines()
	e := methods.Evidence{ID: fmt.Sprintf("page %d", p.id), Score: score, Text: transcript.Texts(lines)}
	for _, m := range p.messages() {
		e.Sources = append(e.Sources, m.ID)
	}
	if p.overview != "" {
		e.Text += "\n(overview: " + p.overview + ")"
	}
	c.add(&c.episodic, e)
}

// facts adds facts, which stand for no turn.
func (c *readerContext) facts(name, id string, texts []string, found []index.Hit) {
	if len(found) == 0 {
		return
	}
	c.heading(&c.semantic, "Facts about %s:", cmp.Or(name, "the other speaker"))
	for _, f := range found {
		text := "- " + strings.TrimPrefix(texts[f.Index], "- ")
		c.add(&c.semantic, methods.Evidence{ID: fmt.Sprintf("%s %d", id, f.Index), Score: f.Score, Text: text})
	}
}

// shown lays out what was found: profile and facts, then the pages of short-term
// memory and those found.
func (m *memory) shown(found *search) *readerContext {
	c := new(readerContext)
	if m.long.profile != "" {
		c.heading(&c.semantic, "Profile of %s:", cmp.Or(m.user, "the user"))
		c.add(&c.semantic, methods.Evidence{ID: "profile", Text: m.long.profile})
	}
	c.facts(m.user, "fact of user", m.long.user, found.userFacts)
	c.facts(m.agent, "fact of assistant", m.long.agent, found.agentFacts)
	if len(found.pages) > 0 {
		c.heading(&c.episodic, "Earlier conversation:")
	}
	for _, p := range found.pages {
		c.page(p.page, p.score)
	}
	if len(m.short) > 0 {
		c.heading(&c.episodic, "Latest conversation:")
	}
	for _, p := range m.short {
		c.page(p, 0)
	}
	return c
}

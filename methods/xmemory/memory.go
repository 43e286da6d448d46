package xmemory

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/index"
	"recallbench/internal/engine/structure"
	"recallbench/internal/engine/themes"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/episodes"
	"recallbench/methods/internal/reader"
)

// A memory is a hierarchy: messages, episodes, semantics, themes.
type memory struct {
	*method
	space     embed.Embedder
	messages  []building.Message
	episodes  []episodes.Episode
	semantics []episodes.Statement
	hierarchy *themes.Hierarchy
	summaries []string // of themes

	bySemantic, byTheme, byContent, byIndex *index.Dense
}

// Items implements [methods.Storing]: the episodes and the statements about them.
func (m *memory) Items() (items []string, known bool) {
	return episodes.Texts(m.episodes, m.semantics), true
}

// Structure implements [methods.Structured]: the number of messages, episodes,
// semantics and themes, the size of the largest theme, and the number of semantics
// that have left their first theme.
func (m *memory) Structure() map[string]float64 {
	largest := 0
	for _, t := range m.hierarchy.Themes {
		largest = max(largest, len(t.Members))
	}
	return map[string]float64{
		"messages": float64(len(m.messages)), "episodes": float64(len(m.episodes)),
		"semantics": float64(len(m.semantics)), "themes": float64(len(m.hierarchy.Themes)),
		"theme-max": float64(largest), "reassigned": float64(m.hierarchy.Reassigned),
	}
}

// Show implements [methods.Shown]: themes, facts, episodes and turns, each above its
// sources.
func (m *memory) Show() structure.Structure {
	s := structure.Structure{Kind: structure.Hierarchy}
	add := func(kind, text string, n int) string {
		id := fmt.Sprintf("%s %d", kind, n)
		s.Nodes = append(s.Nodes, structure.Node{ID: id, Type: kind, Label: id, Text: text})
		return id
	}
	for i, t := range m.hierarchy.Themes {
		id := add("theme", m.summaries[i], i)
		for _, f := range t.Members {
			s.Links = append(s.Links, structure.Link{From: id, To: fmt.Sprintf("fact %d", f)})
		}
	}
	for i, f := range m.semantics {
		s.Links = append(s.Links, structure.Link{From: add("fact", f.Text, i), To: fmt.Sprintf("episode %d", f.Episode)})
	}
	for i, e := range m.episodes {
		id := add("episode", e.Content, i)
		for _, turn := range m.messages[e.First:e.End] {
			s.Links = append(s.Links, structure.Link{From: id, To: "turn " + turn.ID})
		}
	}
	for _, turn := range m.messages {
		s.Nodes = append(s.Nodes, structure.Node{ID: "turn " + turn.ID, Type: "turn", Label: turn.ID})
	}
	return s
}

// Answer chooses what the reader gets, and asks it.
func (m *memory) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	s := &search{memory: m, question: r.Text}
	if err := s.run(ctx); err != nil {
		return methods.Response{Trace: s.trace}, err
	}
	shown := s.shown()
	return m.Method.Reader.Answer(ctx, r, shown.Context(), shown.Evidence, s.trace...)
}

// shown lays out what was chosen: themes, if the profile shows them, facts, and
// episodes. A theme has no turns as sources, nor has a fact.
func (s *search) shown() *reader.Shown {
	c := new(reader.Shown)
	if s.Profile == Paper && len(s.themes) > 0 {
		c.Semantic = append(c.Semantic, "Themes:")
		for _, t := range s.themes {
			c.Add(&c.Semantic, methods.Evidence{ID: fmt.Sprintf("theme %d", t.Index), Score: t.Score, Text: "- " + s.summaries[t.Index]})
		}
		c.Semantic = append(c.Semantic, "")
	}
	if len(s.facts) > 0 {
		c.Semantic = append(c.Semantic, "Facts:")
	}
	for _, f := range s.facts {
		c.Add(&c.Semantic, episodes.FactBlock(fmt.Sprintf("fact %d", f.Index), f.Score, s.semantics[f.Index], s.episodes))
	}
	if len(s.included) > 0 {
		c.Episodic = append(c.Episodic, "Episodes:")
	}
	for _, e := range s.included {
		c.Add(&c.Episodic, s.block(e))
	}
	return c
}

// block is an episode as the reader sees it: its account and, if it is
// expanded, its messages.
func (s *search) block(e inclusion) methods.Evidence {
	ep := s.episodes[e.Index]
	return episodes.Block(fmt.Sprintf("episode %d", e.Index), e.Score, ep, ep.Content, s.messages, e.expanded)
}

type summaryData struct{ Facts []string }

// finish puts the semantics into themes, summarizes these, and makes the memory
// ready to be searched.
//
// The released code summarizes a theme whenever it changes. Only the last
// summary is ever read, so only that one is made here.
func (m *method) finish(ctx context.Context, b *episodes.Builder) (*memory, error) {
	built := &memory{method: m, space: b.Space, messages: b.Messages, episodes: b.Episodes, semantics: b.Statements}
	known := make([][]float32, len(built.semantics))
	batches := make([]int, len(built.episodes)) // how many semantics each episode gave
	for i, s := range built.semantics {
		known[i] = s.Vector
		batches[s.Episode]++
	}
	var contents, indexes [][]float32 // of episodes, see embedded
	for _, v := range b.Vectors {
		contents, indexes = append(contents, v[0]), append(indexes, v[1])
	}
	end := meter.Stage(ctx, "themes")
	o := m.Themes
	o.Profile = themes.Profile(m.Profile)
	var err error
	built.hierarchy, err = themes.Build(known, batches, o)
	end()
	if err != nil {
		return nil, fmt.Errorf("themes: %w", err)
	}
	if err := built.summarise(ctx, b.Model); err != nil {
		return nil, err
	}
	if built.bySemantic, err = index.NewDense(known); err != nil {
		return nil, err
	}
	ofThemes, err := building.Indexes(ctx, b.Space, built.summaries)
	if err != nil {
		return nil, err
	}
	built.byTheme = ofThemes[0]
	if built.byContent, err = index.NewDense(contents); err != nil {
		return nil, err
	}
	built.byIndex, err = index.NewDense(indexes)
	return built, err
}

// summarise asks for a summary of each theme. Without a usable reply, the facts
// themselves are used, as far as there is room.
func (m *memory) summarise(ctx context.Context, model building.Model) (err error) {
	data := lists.Map(m.hierarchy.Themes, func(t themes.Theme) any { return summaryData{m.facts(t)} })
	if m.summaries, err = model.Texts(ctx, summary, data, building.MaxContent); err != nil {
		return err
	}
	for i, text := range m.summaries {
		m.summaries[i] = cmp.Or(text, building.Clean(strings.Join(m.facts(m.hierarchy.Themes[i]), " "), building.MaxFact))
	}
	return nil
}

// facts returns the texts of a theme's semantics.
func (m *memory) facts(t themes.Theme) []string {
	return lists.Map(t.Members, func(s int) string { return m.semantics[s].Text })
}

package xmemory

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/index"
	"recallbench/internal/engine/themes"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/episodes"
)

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
	if built.byTheme, err = building.Index(ctx, b.Space, built.summaries); err != nil {
		return nil, fmt.Errorf("index of themes: %w", err)
	}
	if built.byContent, err = index.NewDense(contents); err != nil {
		return nil, fmt.Errorf("index of episodes: %w", err)
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

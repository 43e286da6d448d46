package xmemory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	concpool "github.com/sourcegraph/conc/pool"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/index"
	"recallbench/internal/engine/themes"
	"recallbench/methods/internal/building"
)

type summaryData struct{ Facts []string }

// abreast is how many themes are summarized at the same time.
const abreast = 16

// finish puts the semantics into themes, summarizes these, and makes the memory
// ready to be searched.
//
// The released code summarizes a theme whenever it changes. Only the last
// summary is ever read, so only that one is made here.
func (b *builder) finish(ctx context.Context) (*memory, error) {
	m := &memory{method: b.method, space: b.Space, messages: b.Messages, episodes: b.Episodes, semantics: b.Statements}
	known := make([][]float32, len(m.semantics))
	batches := make([]int, len(m.episodes)) // how many semantics each episode gave
	for i, s := range m.semantics {
		known[i] = s.Vector
		batches[s.Episode]++
	}
	var contents, indexes [][]float32 // of episodes, see embedded
	for _, v := range b.Vectors {
		contents, indexes = append(contents, v[0]), append(indexes, v[1])
	}
	end := meter.Stage(ctx, "themes")
	o := b.Themes
	o.Profile = themes.Profile(b.Profile)
	var err error
	m.hierarchy, err = themes.Build(known, batches, o)
	end()
	if err != nil {
		return nil, fmt.Errorf("themes: %w", err)
	}
	if err := b.summarise(ctx, m); err != nil {
		return nil, err
	}
	if m.bySemantic, err = index.NewDense(known); err != nil {
		return nil, err
	}
	if m.byTheme, err = building.Index(ctx, b.Space, m.summaries); err != nil {
		return nil, fmt.Errorf("index of themes: %w", err)
	}
	if m.byContent, err = index.NewDense(contents); err != nil {
		return nil, fmt.Errorf("index of episodes: %w", err)
	}
	m.byIndex, err = index.NewDense(indexes)
	return m, err
}

// summarise summarizes each theme, unless an earlier building has.
func (b *builder) summarise(ctx context.Context, m *memory) error {
	m.summaries = make([]string, len(m.hierarchy.Themes))
	var missing []int // themes
	for i, t := range m.hierarchy.Themes {
		if kept, ok := b.summaries[building.Hash(m.facts(t)...)]; ok {
			kept.use()
			m.summaries[i] = kept.Text
			continue
		}
		missing = append(missing, i)
	}
	// Parts are added in order, so that what is kept does not depend on which
	// reply came first.
	for some := range slices.Chunk(missing, abreast) {
		p := concpool.New().WithContext(ctx).WithCancelOnError().WithFirstError()
		for _, i := range some {
			p.Go(func(ctx context.Context) (err error) {
				m.summaries[i], err = b.summary(ctx, m.facts(m.hierarchy.Themes[i]))
				return err
			})
		}
		if err := p.Wait(); err != nil {
			return err
		}
		for _, i := range some {
			kept := &keptSummary{Facts: building.Hash(m.facts(m.hierarchy.Themes[i])...), Text: m.summaries[i]}
			if err := b.keeper.Add(part{Summary: kept}); err != nil {
				return err
			}
		}
	}
	return nil
}

// facts returns the texts of a theme's semantics.
func (m *memory) facts(t themes.Theme) []string {
	return lists.Map(t.Members, func(s int) string { return m.semantics[s].Text })
}

// summary asks for the summary of some facts. Without a usable reply, the facts
// themselves are used, as far as there is room.
func (b *builder) summary(ctx context.Context, texts []string) (string, error) {
	summed, ok, err := b.Text(ctx, summary, summaryData{texts}, building.MaxContent)
	if err != nil || ok {
		return summed, err
	}
	return building.Clean(strings.Join(texts, " "), building.MaxFact), nil
}

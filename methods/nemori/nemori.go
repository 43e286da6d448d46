// Package nemori implements the memory of Nemori's first version: messages become
// episodes where a model sees the topic change, episodes are retold, and statements
// are what a prediction of an episode lacks. An answer is read from the nearest
// episodes and statements.
//
// Construction is package episodes, which xMemory shares. docs/methods.md lists
// what differs from the authors' code.
package nemori

import (
	"context"
	"embed"
	"errors"
	"fmt"

	"recallbench/datasets"
	embeds "recallbench/internal/door/embed"
	"recallbench/internal/door/prompt"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/episodes"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

//go:embed prompts
var files embed.FS

// Spec describes the method.
var Spec = &methods.Spec{
	Name:    "nemori",
	Doc:     "retell episodes, keep what a prediction of them lacks, and retrieve from both",
	Source:  "Nemori, github.com/nemori-ai/nemori at ec47152 (v1) with its settings for LoCoMo",
	Options: Defaults(),
	Prompts: prompt.Join(prompt.Embedded(files), episodes.Prompts(), reader.Prompts()),
	Kept:    kept,
	Switches: func(options any) string {
		o := options.(Options)
		if o.Batch.Messages == 0 {
			return fmt.Sprintf("v1, score %s", o.Score)
		}
		return fmt.Sprintf("batches of %d, merge %d, score %s", o.Batch.Messages, o.Batch.Merge, o.Score)
	},
	New: newMethod,
}

// kept leaves out what only retrieval depends on.
func kept(_ methods.Env, options any) *methods.Kept {
	o := options.(Options)
	type depends struct {
		Construction episodes.Options  `yaml:"construction"`
		Batch        episodes.Batch    `yaml:"batch,omitempty"`
		Score        Score             `yaml:"score"`
		Images       transcript.Images `yaml:"images"`
	}
	templates := episodes.Templates()
	if o.Batch.Messages > 0 {
		templates = append(templates, episodes.Segments)
	}
	if o.Batch.Merge > 0 {
		templates = append(templates, episodes.Same, episodes.Merged)
	}
	return &methods.Kept{
		Options: depends{o.Construction, o.Batch, o.Score, o.Images},
		Prompts: templates,
		Roles:   episodes.Roles(),
	}
}

func newMethod(env methods.Env, options any) (methods.Method, error) {
	o := options.(Options)
	if env.LLM == nil || env.Embed == nil {
		return nil, errors.New("the model entry brings no language model or no embedder, and nemori needs both")
	}
	r, err := reader.New(env, o.Reader)
	if err != nil {
		return nil, err
	}
	m := &method{Options: o, model: building.Model{LLM: env.LLM, Prompts: env.Prompts}, embed: env.Embed, reader: r}
	if env.Offline {
		m.Batch.Merge = 0 // rules have no say in it
	}
	return m, errors.Join(episodes.Check(m.model), m.model.Check(map[string]any{
		episodes.Segments: episodes.SegmentsData{}, episodes.Same: episodes.SameData{}, episodes.Merged: episodes.MergedData{},
	}))
}

type method struct {
	Options
	model  building.Model
	embed  embeds.Model
	reader reader.Reader
}

// Build makes the memory of a conversation.
func (m *method) Build(ctx context.Context, s datasets.Sample) (methods.Memory, error) {
	o := m.Construction
	o.Closest = m.Score.cosine(o.Closest)
	b, err := episodes.New(ctx, m.model, o, m.embed, building.Messages(s, m.Images), func(e episodes.Episode) []string {
		return []string{e.Index()}
	})
	if err != nil {
		return nil, err
	}
	b.Batch = m.Batch
	if err := b.Read(ctx); err != nil {
		return nil, err
	}
	return m.newMemory(b)
}

// A memory holds episodes and statements, each with its index.
type memory struct {
	*method
	space      embeds.Embedder
	messages   []building.Message
	episodes   []episodes.Episode
	live       []int // the episodes that can be found: those that are in no other
	statements []episodes.Statement

	byEpisode, byStatement finder
}

func (m *method) newMemory(b *episodes.Builder) (*memory, error) {
	mem := &memory{method: m, space: b.Space, messages: b.Messages, episodes: b.Episodes, live: episodes.Live(b.Episodes), statements: b.Statements}
	var accounts, facts []string
	var of, known [][]float32
	for _, i := range mem.live {
		e := b.Episodes[i]
		accounts, of = append(accounts, e.Title+" "+e.Content), append(of, b.Vectors[i][0])
	}
	for _, s := range b.Statements {
		facts, known = append(facts, s.Text), append(known, s.Vector)
	}
	var err error
	if mem.byEpisode, err = m.Search.Ranking.newFinder(accounts, of); err != nil {
		return nil, err
	}
	mem.byStatement, err = m.Search.Ranking.newFinder(facts, known)
	return mem, err
}

// Structure implements [methods.Structured]: how many messages, episodes and
// statements there are, and how many messages the longest episode has. Every
// message is in an episode.
func (m *memory) Structure() map[string]float64 {
	longest := 0
	for _, i := range m.live {
		longest = max(longest, len(m.episodes[i].Said(m.messages)))
	}
	return map[string]float64{
		"messages": float64(len(m.messages)), "episodes": float64(len(m.live)),
		"statements": float64(len(m.statements)), "episode-max": float64(longest),
	}
}

// Close implements [methods.Memory].
func (*memory) Close() error { return nil }

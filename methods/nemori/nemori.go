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

	"recallbench/datasets"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/prompt"
	"recallbench/internal/engine/index"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/episodes"
	"recallbench/methods/internal/reader"
)

// Spec describes the method.
var Spec = &methods.Spec{
	Name:    "nemori",
	Doc:     "retell episodes, keep what a prediction of them lacks, and retrieve from both",
	Source:  "Nemori, github.com/nemori-ai/nemori at ec47152 (v1) with its settings for LoCoMo",
	Options: Defaults(),
	Prompts: prompt.Join(episodes.Prompts(), reader.Prompts()),
	Kept:    kept,
	New:     newMethod,
}

// kept leaves out what only retrieval depends on.
func kept(_ methods.Env, options any) *methods.Kept {
	type depends struct {
		Construction episodes.Options `yaml:"construction"`
	}
	return &methods.Kept{
		Options: depends{options.(Options).Construction},
		Prompts: episodes.Templates(),
		Roles:   episodes.Roles(),
	}
}

func newMethod(env methods.Env, options any) (methods.Method, error) {
	o := options.(Options)
	common, err := building.New("nemori", env, o.Reader)
	if err != nil {
		return nil, err
	}
	m := &method{Options: o, Method: common}
	return m, episodes.Check(m.Model)
}

type method struct {
	Options
	building.Method
}

// Build makes the memory of a conversation.
func (m *method) Build(ctx context.Context, s datasets.Sample) (methods.Memory, error) {
	b, err := episodes.New(ctx, m.Model, m.Construction, m.Embed, building.Messages(s, images), func(e episodes.Episode) []string {
		return []string{e.Index()}
	})
	if err != nil {
		return nil, err
	}
	if err := b.Read(ctx); err != nil {
		return nil, err
	}
	return m.newMemory(b)
}

// A memory holds episodes and statements, each with its index.
type memory struct {
	*method
	space      embed.Embedder
	messages   []building.Message
	episodes   []episodes.Episode
	statements []episodes.Statement

	byEpisode, byStatement *index.Dense
}

func (m *method) newMemory(b *episodes.Builder) (*memory, error) {
	mem := &memory{method: m, space: b.Space, messages: b.Messages, episodes: b.Episodes, statements: b.Statements}
	var accounts, facts [][]float32
	for _, v := range b.Vectors {
		accounts = append(accounts, v[0])
	}
	for _, s := range b.Statements {
		facts = append(facts, s.Vector)
	}
	var err error
	if mem.byEpisode, err = index.NewDense(accounts); err != nil {
		return nil, err
	}
	mem.byStatement, err = index.NewDense(facts)
	return mem, err
}

// Structure implements [methods.Structured]: how many messages, episodes and
// statements there are, and how many messages the longest episode has. Every
// message is in an episode.
func (m *memory) Structure() map[string]float64 {
	longest := 0
	for _, e := range m.episodes {
		longest = max(longest, e.End-e.First)
	}
	return map[string]float64{
		"messages": float64(len(m.messages)), "episodes": float64(len(m.episodes)),
		"statements": float64(len(m.statements)), "episode-max": float64(longest),
	}
}

// Close implements [methods.Memory].
func (*memory) Close() error { return nil }

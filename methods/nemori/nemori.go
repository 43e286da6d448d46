// Package nemori implements the memory of Nemori's first version: messages become
// episodes that end where a model sees the topic change, episodes are retold, and
// statements are what a prediction of an episode lacks. An answer is read from the
// nearest episodes and statements.
//
// Construction is package episodes, which xMemory shares. docs/methods.md lists
// the differences from the authors' code.
package nemori

import (
	"context"
	"fmt"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/prompt"
	"recallbench/internal/engine/index"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/episodes"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

// Spec describes the method. Its options are those of the authors' script for LoCoMo,
// with the two slots of the xMemory paper's prompt.
var Spec = &methods.Spec{
	Name:    "nemori",
	Doc:     "retell episodes, keep the facts that a prediction lacks, and retrieve from both",
	Source:  "Nemori, github.com/nemori-ai/nemori at ec47152 (v1) with its settings for LoCoMo",
	Options: building.Options{Construction: episodes.Defaults(), Reader: reader.InSlots()},
	Prompts: prompt.Join(episodes.Prompts(), reader.Prompts()),
	Kept: func(_ methods.Env, options any) *methods.Kept {
		return building.KeptOf(options.(building.Options).Construction, episodes.Calls()...)
	},
	New: newMethod,
}

// Parameters of the authors' script.
const (
	images         = transcript.CaptionsAndQuery
	mostEpisodes   = 10 // that the reader gets
	mostStatements = 20
	originals      = 2 // first episodes that are shown with their messages
)

func newMethod(env methods.Env, options any) (methods.Method, error) {
	o := options.(building.Options)
	common, err := building.New("nemori", env, o.Reader, o.Construction, episodes.Calls()...)
	return &method{common}, err
}

type method struct{ building.Method }

// Build makes the memory of a conversation.
func (m *method) Build(ctx context.Context, s datasets.Sample) (methods.Memory, error) {
	b, err := episodes.Read(ctx, m.Method, building.Messages(s, images), func(e episodes.Episode) []string { return []string{e.Index()} })
	if err != nil {
		return nil, err
	}
	mem := &memory{method: m, space: b.Space, messages: b.Messages, episodes: b.Episodes, statements: b.Statements}
	if mem.byEpisode, err = index.NewDense(lists.Map(b.Vectors, func(v [][]float32) []float32 { return v[0] })); err != nil {
		return nil, err
	}
	mem.byStatement, err = index.NewDense(lists.Map(b.Statements, func(s episodes.Statement) []float32 { return s.Vector }))
	return mem, err
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

// Items implements [methods.Storing]: the episodes and the statements about them.
func (m *memory) Items() (items []string, known bool) {
	return episodes.Texts(m.episodes, m.statements), true
}

// Structure implements [methods.Structured]: the number of messages, episodes
// and statements, and the messages of the longest episode. Every message is in
// an episode.
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

// Answer retrieves episodes and statements, and asks the reader.
func (m *memory) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	accounts, facts, err := m.find(ctx, r.Text)
	if err != nil {
		return methods.Response{}, err
	}
	trace := methods.Step{
		Name: "retrieve",
		Note: fmt.Sprintf("%d of %d episodes, %d of %d statements", len(accounts), len(m.episodes), len(facts), len(m.statements)),
	}
	shown := m.shown(accounts, facts)
	return m.Reader.Answer(ctx, r, shown.Context(), shown.Evidence, trace)
}

// find ranks episodes and statements for a question.
func (m *memory) find(ctx context.Context, question string) (accounts, facts []index.Hit, err error) {
	if len(m.episodes) == 0 {
		return nil, nil, nil
	}
	v, err := building.Query(ctx, m.space, question)
	if err != nil {
		return nil, nil, err
	}
	defer meter.Stage(ctx, "retrieve")()
	if accounts, err = m.byEpisode.Search(v, mostEpisodes); err != nil {
		return nil, nil, err
	}
	facts, err = m.byStatement.Search(v, mostStatements)
	return accounts, facts, err
}

// shown lays out what was found.
func (m *memory) shown(accounts, facts []index.Hit) *reader.Shown {
	c := new(reader.Shown)
	for rank, h := range accounts {
		e := m.episodes[h.Index]
		c.Add(&c.Episodic, episodes.Block(fmt.Sprintf("episode %d", h.Index), h.Score, e, e.Index(), m.messages, rank < originals))
	}
	for _, h := range facts {
		c.Add(&c.Semantic, episodes.FactBlock(fmt.Sprintf("statement %d", h.Index), h.Score, m.statements[h.Index], m.episodes))
	}
	return c
}

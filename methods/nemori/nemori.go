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

// Spec describes the method.
var Spec = &methods.Spec{
	Name:    "nemori",
	Doc:     "retell episodes, keep the facts that a prediction lacks, and retrieve from both",
	Source:  "Nemori, github.com/nemori-ai/nemori at ec47152 (v1) with its settings for LoCoMo",
	Options: Defaults(),
	Prompts: prompt.Join(episodes.Prompts(), reader.Prompts()),
	Kept:    kept,
	New:     newMethod,
}

// Options are the method's options. Defaults are those of the authors' script for
// LoCoMo, with the two slots of the xMemory paper's prompt.
type Options struct {
	// Construction says how messages become episodes and statements.
	Construction episodes.Options `yaml:"construction"`
	// Reader has the reader's options.
	Reader reader.Options `yaml:"reader"`
}

// Parameters of the authors' script.
const (
	images         = transcript.CaptionsAndQuery
	mostEpisodes   = 10 // that the reader gets
	mostStatements = 20
	originals      = 2 // first episodes that are shown with their messages
)

// Defaults are those of the authors' script.
func Defaults() Options {
	return Options{Construction: episodes.Defaults(), Reader: reader.InSlots()}
}

// kept leaves out what only retrieval depends on.
func kept(_ methods.Env, options any) *methods.Kept {
	type depends struct {
		Construction episodes.Options `yaml:"construction"`
	}
	return building.Kept(depends{options.(Options).Construction}, episodes.Calls()...)
}

func newMethod(env methods.Env, options any) (methods.Method, error) {
	o := options.(Options)
	common, err := building.New("nemori", env, o.Reader, o.Construction.MaxTokens, episodes.Calls()...)
	return &method{common}, err
}

type method struct{ building.Method }

// Build makes the memory of a conversation.
func (m *method) Build(ctx context.Context, s datasets.Sample) (methods.Memory, error) {
	b, err := episodes.New(ctx, m.Method, building.Messages(s, images), func(e episodes.Episode) []string { return []string{e.Index()} })
	if err != nil {
		return nil, err
	}
	if err := b.Read(ctx); err != nil {
		return nil, err
	}
	mem := &memory{method: m, space: b.Space, messages: b.Messages, episodes: b.Episodes, statements: b.Statements}
	var accounts, facts [][]float32
	for _, v := range b.Vectors {
		accounts = append(accounts, v[0])
	}
	for _, s := range b.Statements {
		facts = append(facts, s.Vector)
	}
	if mem.byEpisode, err = index.NewDense(accounts); err != nil {
		return nil, err
	}
	mem.byStatement, err = index.NewDense(facts)
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

// shown lays out what was found. A statement has the time of its episode and no
// turns as sources: only episodes count as evidence of their turns.
func (m *memory) shown(accounts, facts []index.Hit) *reader.Shown {
	c := new(reader.Shown)
	for rank, h := range accounts {
		e := m.episodes[h.Index]
		c.Add(&c.Episodic, episodes.Block(fmt.Sprintf("episode %d", h.Index), h.Score, e, e.Index(), m.messages, rank < originals))
	}
	for _, h := range facts {
		s := m.statements[h.Index]
		line := transcript.Line{Time: m.episodes[s.Episode].Time, Text: s.Text}
		c.Add(&c.Semantic, methods.Evidence{ID: fmt.Sprintf("statement %d", h.Index), Score: h.Score, Text: "- " + transcript.Text(line)})
	}
	return c
}

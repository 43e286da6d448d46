// Package entityrag implements Entity-RAG, the baseline of the Semantic
// Anchoring paper that finds utterances by the named entities that they share
// with the question, without syntax, coreference or discourse.
package entityrag

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/index"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/linguistic"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

// Spec describes the method.
var Spec = &methods.Spec{
	Name:    "entity-rag",
	Doc:     "retrieve the utterances that share named entities with the question",
	Source:  "Entity-RAG of the Semantic Anchoring paper, section 4.2",
	Options: reader.Alone{Reader: reader.Defaults()},
	Prompts: reader.Prompts(),
	New:     newMethod,
}

// most is the number of utterances that the reader gets. The paper gives neither
// this number nor the ranking.
const most = 10

func newMethod(env methods.Env, options any) (methods.Method, error) {
	common, err := linguistic.NewMethod("entity-rag", env, linguistic.Layers{}, options.(reader.Alone).Reader)
	return &method{common}, err
}

type method struct{ linguistic.Method }

// Build finds the named entities of the conversation.
func (m *method) Build(ctx context.Context, s datasets.Sample) (methods.Memory, error) {
	history, vectors, err := m.Read(ctx, s)
	if err != nil {
		return nil, err
	}
	dense, err := index.NewDense(vectors)
	return &memory{m, history, dense}, err
}

type memory struct {
	*method
	history *linguistic.History
	dense   *index.Dense
}

// Items implements [methods.Storing]: the utterances.
func (m *memory) Items() (items []string, known bool) { return m.history.Lines(), true }

// Answer retrieves the best utterances and asks the reader.
func (m *memory) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	question, err := m.history.Question(ctx, r.Text)
	if err != nil {
		return methods.Response{}, err
	}
	hits, err := m.search(ctx, r.Text, question)
	if err != nil {
		return methods.Response{}, err
	}
	blocks := lists.Map(hits, func(h index.Hit) methods.Evidence {
		e := m.history.Entries[h.Index]
		return methods.Evidence{ID: e.ID(), Sources: []string{e.Turn}, Score: h.Score, Text: transcript.Text(e.Line)}
	})
	names := lists.Map(question.Entities, func(e linguistic.Entity) string { return e.Name })
	trace := methods.Step{Name: "entities", Note: strings.Join(names, ", ")}
	return m.Reader.Answer(ctx, r, reader.Blocks(blocks, "\n\n"), blocks, trace)
}

// search returns the utterances that share the largest part of the question's
// entities; of equal ones, those with the higher cosine come first. A score
// combines the share and the cosine, so that it falls with the rank.
func (m *memory) search(ctx context.Context, text string, question linguistic.Features) ([]index.Hit, error) {
	if len(m.history.Entries) == 0 {
		return nil, nil
	}
	vector, err := building.Query(ctx, m.history.Space, text)
	if err != nil {
		return nil, err
	}
	defer meter.Stage(ctx, "retrieve")()
	cosines, err := m.dense.Cosines(vector)
	if err != nil {
		return nil, err
	}
	shared := m.shares(question)
	var hits []index.Hit
	for i, cosine := range cosines {
		// A cosine is at most 1, so that it only orders equal shares.
		hits = append(hits, index.Hit{Index: i, Score: cosine + 2*float64(shared[i])})
	}
	slices.SortStableFunc(hits, func(a, b index.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits[:min(most, len(hits))], nil
}

// shares counts the entities of a question that each utterance names.
func (m *memory) shares(question linguistic.Features) map[int]int {
	shared := make(map[int]int)
	for _, e := range question.Entities {
		for _, i := range m.history.With(e) {
			shared[i]++
		}
	}
	return shared
}

package xmemory

import (
	"context"

	"recallbench/datasets"
	"recallbench/internal/engine/checkpoint"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/episodes"
)

// A builder reads a conversation.
type builder struct {
	*method
	*episodes.Builder

	keeper    checkpoint.Keeper
	summaries map[string]keptSummary // by the hash of their facts
}

// newBuilder gathers the messages of a sample, makes the embedding space and
// takes up what was kept of an earlier building.
func (m *method) newBuilder(ctx context.Context, s datasets.Sample) (*builder, error) {
	read, err := episodes.New(ctx, m.Model, m.Construction, m.Embed, building.Messages(s, images), embedded)
	if err != nil {
		return nil, err
	}
	b := &builder{method: m, Builder: read, keeper: checkpoint.From(ctx), summaries: make(map[string]keptSummary)}
	return b, b.takeSummaries()
}

// embedded returns the texts by which an episode is looked up: its account in
// stage II, its title and account without.
func embedded(e episodes.Episode) []string { return []string{e.Content, e.Index()} }

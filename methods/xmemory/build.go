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

// A part is a kept piece of a building: an episode with its statements, or the
// summary of a theme. One of the two is set.
type part struct {
	episodes.Part
	Summary *keptSummary `json:"summary,omitempty"`
}

// A keptSummary is the summary of some facts, identified by a hash: with other
// options themes have other facts.
type keptSummary struct {
	Facts string `json:"facts_sha256"`
	Text  string `json:"text"`

	use func()
}

// newBuilder gathers the messages of a conversation, makes the embedding space
// and takes over the parts of an earlier building.
func (m *method) newBuilder(ctx context.Context, s datasets.Sample) (*builder, error) {
	read, err := episodes.New(ctx, m.Method, building.Messages(s, images), embedded)
	if err != nil {
		return nil, err
	}
	b := &builder{method: m, Builder: read, keeper: checkpoint.From(ctx), summaries: make(map[string]keptSummary)}
	return b, building.Parts(b.keeper, func(p part, use func()) error {
		if p.Summary != nil {
			p.Summary.use = use
			b.summaries[p.Summary.Facts] = *p.Summary
		}
		return nil
	})
}

// embedded returns the texts by which an episode is looked up: its account with
// stage II, its title and account without.
func embedded(e episodes.Episode) []string { return []string{e.Content, e.Index()} }

package nemori

import (
	"context"
	"fmt"

	"recallbench/datasets"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/index"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/episodes"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

// Answer retrieves episodes and statements, and asks the reader.
func (m *memory) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	accounts, facts, err := m.find(ctx, r.Text)
	if err != nil {
		return methods.Response{}, err
	}
	shown := m.shown(accounts, facts)
	resp := methods.Response{Evidence: shown.Evidence}
	reply, err := m.Method.Reader.Ask(ctx, r, shown.Context())
	if err != nil {
		return methods.Response{}, err
	}
	resp.Text = reply.Text
	resp.Trace = []methods.Step{{
		Name: "retrieve",
		Note: fmt.Sprintf("%d of %d episodes, %d of %d statements", len(accounts), len(m.episodes), len(facts), len(m.statements)),
	}}
	return resp, nil
}

// find ranks episodes and statements for a question.
func (m *memory) find(ctx context.Context, question string) (accounts, facts []index.Hit, err error) {
	if len(m.episodes) == 0 {
		return nil, nil, nil
	}
	v, err := building.Vectors(ctx, m.space, embed.Query, question)
	if err != nil {
		return nil, nil, err
	}
	defer meter.Stage(ctx, "retrieve")()
	if accounts, err = m.byEpisode.Search(v[0], mostEpisodes); err != nil {
		return nil, nil, err
	}
	facts, err = m.byStatement.Search(v[0], mostStatements)
	return accounts, facts, err
}

// shown lays out what was found. A statement has the time of its episode and
// stands for no turn: only episodes count as evidence of their turns.
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

package lightmem

import (
	"context"
	"fmt"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/index"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/pruning"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

// A memory is a list of facts.
type memory struct {
	*method
	counts
	space    embed.Embedder
	messages []message
	facts    []fact
	index    *index.Dense
}

// Items implements [methods.Storing]: the facts.
func (m *memory) Items() (items []string, known bool) {
	return lists.Map(m.facts, func(f fact) string { return f.text }), true
}

// Structure implements [methods.Structured]: the number of messages, topics,
// calls for facts and facts, the outcomes of revisions, and repairs on the way.
func (m *memory) Structure() map[string]float64 {
	share := 1.0
	if m.tokensSaid > 0 {
		share = float64(m.tokensLeft) / float64(m.tokensSaid)
	}
	return map[string]float64{
		"messages": float64(len(m.messages)), "silent-turns": float64(m.turns - len(m.messages)), "tokens-share": share,
		"segments": float64(m.segments), "batches": float64(m.batches), "facts": float64(len(m.facts)),
		"updated": float64(m.updated), "deleted": float64(m.deleted), "ignored": float64(m.ignored),
		"misplaced": float64(m.misplaced), "unread": float64(m.unread),
	}
}

// Answer finds the facts nearest to the question, and asks the reader.
//
// The source of a fact is its message. Facts of one message are blocks of their
// own with the same source: a message counts as found if any of its facts is
// shown.
func (m *memory) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	hits, err := m.nearest(ctx, r.Text)
	if err != nil {
		return methods.Response{}, err
	}
	told := make(map[string][]string) // by speaker
	var speakers []string             // in the order of their first fact
	var evidence []methods.Evidence
	for _, h := range hits {
		f := m.facts[h.Index]
		from := m.messages[f.message]
		line := transcript.Line{Time: f.time, Text: f.text}
		e := methods.Evidence{ID: fmt.Sprintf("fact %d", h.Index), Sources: []string{from.ID}, Score: h.Score, Text: "- " + transcript.Text(line)}
		evidence = append(evidence, e)
		speakers = lists.AddNew(speakers, from.Line.Speaker)
		told[from.Line.Speaker] = append(told[from.Line.Speaker], e.Text)
	}
	blocks := make([]string, len(speakers))
	for i, s := range speakers {
		if blocks[i] = strings.Join(told[s], "\n"); s != "" {
			blocks[i] = "From what " + s + " said:\n" + blocks[i]
		}
	}
	trace := methods.Step{Name: "facts", Note: m.note(len(hits))}
	return m.Reader.Answer(ctx, r, reader.Context{Semantic: strings.Join(blocks, "\n\n")}, evidence, trace)
}

// note says how many facts are shown, and what replaces the models of the
// authors' code.
func (m *memory) note(shown int) string {
	short := "messages as they were said"
	if m.prune.Use != pruning.None {
		short = "messages shortened by " + m.prune.Name()
	}
	return fmt.Sprintf("%d of %d; %s, topics cut by similarity without attention", shown, len(m.facts), short)
}

// nearest returns the facts nearest to a question.
func (m *memory) nearest(ctx context.Context, question string) ([]index.Hit, error) {
	if len(m.facts) == 0 {
		return nil, ctx.Err()
	}
	v, err := building.Query(ctx, m.space, question)
	if err != nil {
		return nil, err
	}
	defer meter.Stage(ctx, "retrieve")()
	return m.index.Search(v, mostFacts)
}

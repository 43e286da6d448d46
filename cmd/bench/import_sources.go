package main

import (
	"context"
	"slices"

	"recallbench/internal/external/wire"
	"recallbench/internal/result/record"
	"recallbench/methods"
	"recallbench/metrics"
	"recallbench/runners"
)

// An evidenceIndex finds the turns of a conversation.
type evidenceIndex struct {
	ids   map[string][]string // turns by their ids and those of sessions
	texts *wire.Sources
	seen  map[string][]string // turns by texts that were looked up
}

// of returns the turns that a text refers to, and whether it names them by id.
func (x *evidenceIndex) of(text string) (turns []string, exact bool) {
	if turns, exact = x.ids[text]; exact {
		return turns, true
	}
	if _, ok := x.seen[text]; !ok {
		x.seen[text] = x.texts.Of(text)
	}
	return x.seen[text], false
}

// findSources finds the turns that the evidence of imported answers comes from: those that a
// block names by their ids or their session's, else those whose texts are part of its text.
// If most blocks have none, as with memories that rewrite turns, it finds nothing.
func findSources(ctx context.Context, into *runners.Import, golds []record.Gold, c *runners.ImportedCell) error {
	all, given := 0, false
	for _, a := range c.Answers {
		if a != nil {
			all += len(a.Evidence)
			given = given || slices.ContainsFunc(a.Evidence, func(e methods.Evidence) bool { return len(e.Sources) > 0 })
		}
	}
	if all == 0 || given || !slices.Contains(c.From.Without, metrics.Evidence) {
		return nil
	}
	indexes := make(map[string]*evidenceIndex)
	for s, err := range into.Samples(ctx) {
		if err != nil {
			return err
		}
		x := &evidenceIndex{ids: make(map[string][]string), seen: make(map[string][]string)}
		var turns []wire.Turn
		for _, session := range s.Sessions {
			for _, t := range session.Turns {
				turns = append(turns, wire.Turn{ID: t.ID, Text: t.Text})
				x.ids[t.ID] = []string{t.ID}
				x.ids[session.ID] = append(x.ids[session.ID], t.ID)
			}
		}
		x.texts = wire.NewSources(turns)
		indexes[s.ID] = x
	}
	known := 0
	for n, a := range c.Answers {
		for i := 0; a != nil && i < len(a.Evidence); i++ {
			e := &a.Evidence[i]
			turns, exact := indexes[golds[n].Sample].of(e.Text)
			if e.Sources, e.Estimated = turns, !exact; len(turns) > 0 {
				known++
			}
		}
	}
	if 2*known >= all {
		c.From.Without = slices.DeleteFunc(c.From.Without, func(p metrics.Part) bool { return p == metrics.Evidence })
		return nil
	}
	for _, a := range c.Answers {
		for i := 0; a != nil && i < len(a.Evidence); i++ {
			a.Evidence[i].Sources, a.Evidence[i].Estimated = nil, false
		}
	}
	return nil
}

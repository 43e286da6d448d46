package main

import (
	"context"
	"slices"

	"recallbench/internal/external/wire"
	"recallbench/internal/result/record"
	"recallbench/metrics"
	"recallbench/runners"
)

// findSources finds the turns that the evidence of imported answers stands for: those that a
// block names by their ids or their session's, else those whose texts stand in its text. Where
// most blocks have none, as memories that rewrite what they hear have it, it finds nothing.
func findSources(ctx context.Context, into *runners.Import, golds []record.Gold, c *runners.ImportedCell) error {
	blocks := func(yield func(n, block int) bool) {
		for n, a := range c.Answers {
			for block := 0; a != nil && block < len(a.Evidence); block++ {
				if !yield(n, block) {
					return
				}
			}
		}
	}
	all, known := 0, 0
	for n, block := range blocks {
		if all++; len(c.Answers[n].Evidence[block].Sources) > 0 {
			known++
		}
	}
	if all == 0 || known > 0 || !slices.Contains(c.From.Without, metrics.Evidence) {
		return nil
	}
	found := make([][]string, 0, all)
	ids := make(map[string]map[string][]string) // turns by their ids and those of sessions, by sample
	texts := make(map[string]*wire.Sources)
	for s, err := range into.Samples(ctx) {
		if err != nil {
			return err
		}
		ids[s.ID] = make(map[string][]string)
		var turns []wire.Turn
		for _, session := range s.Sessions {
			for _, t := range session.Turns {
				turns = append(turns, wire.Turn{ID: t.ID, Text: t.Text})
				ids[s.ID][t.ID] = []string{t.ID}
				ids[s.ID][session.ID] = append(ids[s.ID][session.ID], t.ID)
			}
		}
		texts[s.ID] = wire.NewSources(turns)
	}
	estimated := make([]bool, 0, all)
	seen := make(map[[2]string][]string)
	for n, block := range blocks {
		sample, text := golds[n].Sample, c.Answers[n].Evidence[block].Text
		turns, exact := ids[sample][text]
		if key := [2]string{sample, text}; !exact {
			if _, ok := seen[key]; !ok {
				seen[key] = texts[sample].Of(text)
			}
			turns = seen[key]
		}
		if found, estimated = append(found, turns), append(estimated, !exact); len(turns) > 0 {
			known++
		}
	}
	if 2*known < all {
		return nil
	}
	i := 0
	for n, block := range blocks {
		e := &c.Answers[n].Evidence[block]
		e.Sources, e.Estimated = found[i], estimated[i]
		i++
	}
	c.From.Without = slices.DeleteFunc(c.From.Without, func(p metrics.Part) bool { return p == metrics.Evidence })
	return nil
}

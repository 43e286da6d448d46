package multiwozlong

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	"recallbench/datasets"
	"recallbench/datasets/internal/multiwoz"
	"recallbench/datasets/jsonl"
)

// gaps are the hours that may lie between two sessions.
var gaps = []int{1, 2, 4, 8, 12, 24, 36, 48, 72, 96, 168}

// read reads the stories out of dialogues.
func read(ctx context.Context, dialogues []multiwoz.Dialogue) ([]*story, error) {
	names := newGazetteer(dialogues)
	stories := make([]*story, len(dialogues))
	for i := range dialogues {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		stories[i] = tell(&dialogues[i], names)
	}
	return stories, nil
}

// build makes the split that the options name of the stories of that split.
func build(ctx context.Context, corpus *multiwoz.Corpus, stories []*story, o Options) (*datasets.Split, error) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(o.Split)) // so that dev and test draw apart
	random := rand.New(rand.NewPCG(o.Seed, h.Sum64()))
	all := chains(stories, o.Sessions, random)
	split := &datasets.Split{
		Name:   string(o.Split),
		Set:    &datasets.Set{Name: dataset, Caveat: corpus.Release.Caveat(), Settings: o.settings(), Categories: Categories(), Warnings: corpus.Warnings},
		Counts: map[string]int{"dialogues": len(stories)},
	}
	p := picker{random: random, count: make(map[string]int)}
	for _, c := range all {
		v := converse(fmt.Sprintf("%s-%03d", o.Split, len(split.Set.Entries)+1), c)
		chosen := p.pick(v, o.Questions)
		if len(chosen) == 0 {
			continue
		}
		sample := v.sample()
		for i, c := range chosen {
			r, g := v.ask("q"+strconv.Itoa(i+1), c, random)
			sample.Requests = append(sample.Requests, r)
			split.Set.SetGold(sample.ID, r.ID, g)
		}
		split.Set.Fill(sample)
		split.Sessions = append(split.Sessions, v.built(random)...)
	}
	if len(split.Set.Entries) == 0 {
		return nil, fmt.Errorf("%s: split %s has %d dialogues, of which no conversation of %d sessions can be made that has a question", corpus.Dir, o.Split, len(stories), o.Sessions)
	}
	tally(split)
	return split, jsonl.Fingerprint(ctx, split.Set)
}

// built says how the sessions came about.
func (v *conversation) built(random *rand.Rand) []datasets.BuiltSession {
	all := make([]datasets.BuiltSession, len(v.chain))
	for i, p := range v.chain {
		all[i] = datasets.BuiltSession{
			Sample: v.id, Session: sessionID(i), Origin: p.ID, Turns: p.to - p.from, End: p.end, Gap: gaps[random.IntN(len(gaps))],
		}
	}
	all[len(all)-1].Gap = 0
	return all
}

// tally counts what is in a split.
func tally(s *datasets.Split) {
	used := make(map[string]bool)
	for _, b := range s.Sessions {
		used[b.Origin] = true
		s.Counts["turns"] += b.Turns
		s.Counts["sessions ended by "+b.End]++
	}
	s.Counts["dialogues used"] = len(used)
	s.Counts["samples"], s.Counts["sessions"] = len(s.Set.Entries), len(s.Sessions)
	for _, sample := range s.Set.Entries {
		for _, r := range sample.Requests {
			g, _ := s.Set.Gold(sample.ID, r.ID)
			s.Counts["questions"]++
			s.Counts["questions of category "+g.Category]++
			for _, label := range slices.Sorted(maps.Keys(g.Labels)) {
				s.Counts["questions of "+label+" "+g.Labels[label]]++
			}
		}
	}
}

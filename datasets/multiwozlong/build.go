package multiwozlong

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"

	"recallbench/datasets"
	"recallbench/datasets/internal/multiwoz"
	"recallbench/datasets/jsonl"
)

// gaps is how many lengths the time between two sessions may have. Nobody is shown it, but
// it is drawn: without, the data would be another.
const gaps = 11

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

// build makes the split that the options name of the stories of that split, and returns
// the conversations behind its samples.
func build(ctx context.Context, corpus *multiwoz.Corpus, stories []*story, o Options) (*datasets.Set, []*conversation, error) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(o.Split)) // so that dev and test draw apart
	random := rand.New(rand.NewPCG(o.Seed, h.Sum64()))
	set := &datasets.Set{Name: dataset, Caveat: corpus.Release.Caveat(), Settings: o.settings(), Categories: Categories(), Warnings: corpus.Warnings}
	var conversations []*conversation
	p := picker{random: random, count: make(map[string]int)}
	for _, c := range chains(stories, o.Sessions, random) {
		v := converse(fmt.Sprintf("%s-%03d", o.Split, len(set.Entries)+1), c)
		chosen := p.pick(v, o.Questions)
		if len(chosen) == 0 {
			continue
		}
		sample := v.sample()
		for i, c := range chosen {
			r, g := v.ask("q"+strconv.Itoa(i+1), c, random)
			sample.Requests = append(sample.Requests, r)
			set.SetGold(sample.ID, r.ID, g)
		}
		set.Fill(sample)
		for range v.chain {
			random.IntN(gaps)
		}
		conversations = append(conversations, v)
	}
	if len(set.Entries) == 0 {
		return nil, nil, fmt.Errorf("%s: split %s has %d dialogues, of which no conversation of %d sessions can be made that has a question", corpus.Dir, o.Split, len(stories), o.Sessions)
	}
	return set, conversations, jsonl.Fingerprint(ctx, set)
}

// Package multiwozlong builds MultiWOZ-Long and opens it: long conversations of
// several sessions made of the dialogues of MultiWOZ 2.2, with questions whose
// answers lie up to ten sessions back.
//
// The dataset was never released. It is built by appendix A.2 of Chatterjee and Agarwal,
// "Semantic Anchoring in Agentic Memory", and where that is silent, as docs/data.md says.
// What a dialogue mentions and states is read from its text, states and acts (story.go).
// Dialogues are divided into sessions and joined into the conversation of one simulated
// user (conversation.go), who asks about the facts in it after the last session
// (question.go). The same seed gives the same bytes.
package multiwozlong

import (
	"context"
	_ "embed"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"

	"recallbench/datasets"
	"recallbench/datasets/internal/wording"
	"recallbench/datasets/jsonl"
)

// dataset is the name of the dataset.
const dataset = "multiwoz-long"

// A Part is a split of the dataset.
type Part string

// The splits, named as MultiWOZ's are.
const (
	Test Part = "test" // for scores
	Dev  Part = "dev"  // for tuning
)

// Values returns the splits, for messages and editors.
func (Part) Values() []string { return []string{string(Test), string(Dev)} }

// Options choose the split and how it is built.
type Options struct {
	// Split is test for scores, or dev for tuning.
	Split Part `yaml:"split"`
	// Seed is that of the build; that of a run does not change the data.
	Seed uint64 `yaml:"seed"`
	// Sessions is the least number of sessions of a conversation.
	Sessions int `yaml:"sessions"`
	// Questions is the largest number of questions of a conversation.
	Questions int `yaml:"questions"`
}

// defaults are the options of a build.
var defaults = Options{Split: Test, Seed: 1, Sessions: maxDistance + 1, Questions: 12}

// Validate returns a fault of the options.
func (o Options) Validate() error {
	switch {
	case o.Sessions < 2 || o.Sessions > 100:
		return fmt.Errorf("sessions is %d, want 2 to 100", o.Sessions)
	case o.Questions < 1 || o.Questions > 1000:
		return fmt.Errorf("questions is %d, want 1 to 1000", o.Questions)
	}
	return nil
}

// Spec describes MultiWOZ-Long.
var Spec = &datasets.Spec{
	Name:       dataset,
	Doc:        "conversations of 11 sessions built from MultiWOZ 2.2, questions up to ten sessions back; the source is fetched by hand",
	Source:     "built after Chatterjee and Agarwal, Semantic Anchoring in Agentic Memory, appendix A.2, of Zang et al., MultiWOZ 2.2, 2020; github.com/budzianowski/multiwoz",
	License:    "MIT",
	Options:    defaults,
	Categories: Categories(),
	Metrics:    []string{"f1@span", "words", "fr", "dc@b3", "evidence-recall", "tokens"},
	Open:       datasets.Opener(dataset, open),
}

// Categories returns the kinds of questions.
func Categories() []datasets.Category {
	return []datasets.Category{
		{ID: catSettled, Name: "settled value"},
		{ID: catUpdated, Name: "updated value"},
		{ID: catEllipsis, Name: "same as last time"},
		{ID: catReference, Name: "pronoun or description"},
	}
}

func open(ctx context.Context, env datasets.Env, o Options) (set *datasets.Set, err error) {
	dir, err := env.Find("", "put MultiWOZ 2.2 into the folder multiwoz of the data folder", "multiwoz")
	if err != nil {
		return nil, err
	}
	src, err := readSource(ctx, dir, string(o.Split))
	if err == nil {
		set, _, err = build(ctx, src, o)
	}
	if err != nil {
		return nil, fmt.Errorf("multiwoz-long: %w", err)
	}
	return set, nil
}

// build makes the split that the options name from its source, and returns the
// conversations.
func build(ctx context.Context, src *source, o Options) (*datasets.Set, []*conversation, error) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(o.Split)) // so that dev and test draw apart
	random := rand.New(rand.NewPCG(o.Seed, h.Sum64()))
	set := &datasets.Set{Name: dataset, Caveat: src.caveat, Categories: Categories(), Warnings: src.warnings.Warnings, Settings: map[string]string{
		"seed": strconv.FormatUint(o.Seed, 10), "sessions": strconv.Itoa(o.Sessions),
		"questions": strconv.Itoa(o.Questions), "split": string(o.Split),
	}}
	names := newGazetteer(src.dialogues)
	var stories []*story
	for i := range src.dialogues {
		stories = append(stories, tell(&src.dialogues[i], names))
	}
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
		for range v.sessions {
			random.IntN(11) // the time until the next one; not shown, but drawing it keeps the data the same
		}
		conversations = append(conversations, v)
	}
	if len(set.Entries) == 0 {
		return nil, nil, fmt.Errorf("%s: split %s has %d dialogues, which yield no conversation of %d sessions with a question", src.dir, o.Split, len(src.dialogues), o.Sessions)
	}
	return set, conversations, jsonl.Fingerprint(ctx, set)
}

//go:embed wording.txt
var wordingText string

// The tables of wording.txt, which says what they are for: sentences by slot, or
// by the kind of an entity and the slot.
var (
	tables       = wording.Parse(wordingText)
	phrases      = tables["phrases"]
	updated      = tables["updated"]["any"]
	settled      = tables["settled"]
	pronouns     = tables["pronouns"]
	omitted      = tables["omitted"]
	descriptions = tables["descriptions"]
)

// sentences returns those of a table for a slot of a kind of entity.
func sentences(table map[string][]string, kind, slot string) []string {
	if list := table[kind+" "+slot]; list != nil {
		return list
	}
	return table[slot]
}

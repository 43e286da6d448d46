// Package multiwozlong builds MultiWOZ-Long and opens it: long conversations of
// several sessions made of the dialogues of MultiWOZ 2.2, with questions whose
// answers lie up to ten sessions back.
//
// The dataset was never released. It is made by appendix A.2 of Chatterjee and
// Agarwal, "Semantic Anchoring in Agentic Memory", and where that is silent, as
// docs/data.md says. What a dialogue mentions and tells is read out of its text,
// states and acts (entity.go, story.go, booking.go, journey.go). Dialogues are parted
// into sessions and joined to the conversation of one simulated user (chain.go), and
// what is told of each thing in it is put together (sample.go, record.go). After the
// last session the user asks about it (question.go, reservation.go, worded
// by templates.go), each question with its gold answer and evidence (gold.go). The
// same seed gives the same bytes.
package multiwozlong

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"recallbench/datasets"
	"recallbench/datasets/internal/multiwoz"
	"recallbench/datasets/jsonl"
	"recallbench/internal/text/suggest"
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
	// Path is a folder that bench data build wrote, relative to the config's
	// folder; seed, sessions and questions are then those of the build. Without
	// one, it is built in memory from the folder multiwoz of the data folder.
	Path string `yaml:"path,omitempty"`
	// Split is test for scores, or dev for tuning.
	Split Part `yaml:"split"`
	// Seed is that of the build; that of a run does not change the data.
	Seed uint64 `yaml:"seed"`
	// Sessions is how many a conversation has at the least.
	Sessions int `yaml:"sessions"`
	// Questions is how many a conversation has at the most.
	Questions int `yaml:"questions"`
}

// defaults are the options of a build.
var defaults = Options{Split: Test, Seed: 1, Sessions: maxDistance + 1, Questions: 12}

// Validate returns all faults of the options.
func (o Options) Validate() error {
	var errs []error
	if o.Split != Test && o.Split != Dev {
		errs = append(errs, errors.New(suggest.Unknown("split", string(o.Split), o.Split.Values())))
	}
	if o.Sessions < 2 || o.Sessions > 100 {
		errs = append(errs, fmt.Errorf("sessions is %d, want 2 to 100", o.Sessions))
	}
	if o.Questions < 1 || o.Questions > 1000 {
		errs = append(errs, fmt.Errorf("questions is %d, want 1 to 1000", o.Questions))
	}
	built := defaults
	built.Path, built.Split = o.Path, o.Split
	if o.Path != "" && o != built {
		errs = append(errs, errors.New("path names what was built, so that seed, sessions and questions do not go with it"))
	}
	return errors.Join(errs...)
}

// settings are what a result depends on beside the data.
func (o Options) settings() map[string]string {
	return map[string]string{
		"seed":      strconv.FormatUint(o.Seed, 10),
		"sessions":  strconv.Itoa(o.Sessions),
		"questions": strconv.Itoa(o.Questions),
		"split":     string(o.Split),
	}
}

// Spec describes MultiWOZ-Long.
var Spec = &datasets.Spec{
	Name:       dataset,
	Doc:        "conversations of 11 sessions built of MultiWOZ 2.2, questions up to ten sessions back; the source is fetched by hand",
	Source:     "built after Chatterjee and Agarwal, Semantic Anchoring in Agentic Memory, appendix A.2, of Zang et al., MultiWOZ 2.2, 2020; github.com/budzianowski/multiwoz",
	License:    "MIT",
	Options:    defaults,
	Categories: Categories(),
	Metrics:    []string{"f1@span", "words", "fr", "dc@b3", "evidence-recall", "tokens"},
	Open:       datasets.Opener(dataset, open),
	Build:      buildAll,
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

func open(ctx context.Context, env datasets.Env, o Options) (*datasets.Set, error) {
	if o.Path != "" {
		return jsonl.LoadBuild(ctx, env.Resolve(o.Path), dataset, string(o.Split), Categories())
	}
	dir, err := sourceDir(env)
	if err != nil {
		return nil, err
	}
	_, built, err := buildSplit(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	return built.Set, nil
}

// sourceDir is the folder of MultiWOZ in the data folder.
func sourceDir(env datasets.Env) (string, error) {
	if env.Dir == "" {
		return "", datasets.NoFolder("--data or BENCH_DATA names one, with MultiWOZ 2.2 in its folder multiwoz")
	}
	return filepath.Join(env.Dir, "multiwoz"), nil
}

// buildSplit reads a split of a folder and builds of it.
func buildSplit(ctx context.Context, dir string, o Options) (*multiwoz.Corpus, *datasets.Split, error) {
	corpus, err := multiwoz.Load(ctx, dir, string(o.Split))
	if err != nil {
		return nil, nil, fmt.Errorf("multiwoz-long: %w", err)
	}
	stories, err := read(ctx, corpus.Splits[0].Dialogues)
	if err != nil {
		return nil, nil, err
	}
	built, err := build(ctx, corpus, stories, o)
	if err != nil {
		return nil, nil, fmt.Errorf("multiwoz-long: %w", err)
	}
	return corpus, built, nil
}

// buildAll makes the dev and the test split.
func buildAll(ctx context.Context, env datasets.Env, from string, seed uint64) (*datasets.Build, error) {
	if from == "" {
		var err error
		if from, err = sourceDir(env); err != nil {
			return nil, err
		}
	}
	b := &datasets.Build{}
	sums := sha256.New()
	for _, part := range []Part{Dev, Test} {
		o := defaults
		o.Seed, o.Split = seed, part
		corpus, s, err := buildSplit(ctx, from, o)
		if err != nil {
			return nil, err
		}
		fmt.Fprintln(sums, corpus.SHA256)
		b.Source = corpus.Release.Name()
		b.Splits = append(b.Splits, *s)
	}
	b.SHA256 = hex.EncodeToString(sums.Sum(nil))
	return b, nil
}

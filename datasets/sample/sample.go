// Package sample is a small conversation in LoCoMo's format, written for this
// project, so that a first run and the tests need no download.
//
// Nadia and Owen talk eight times between January and August 2024: 171 turns,
// some of them with pictures, and 61 questions of LoCoMo's five categories with
// the turns that answer them. Many dates are relative, as people say them
// ("last Saturday", "a fortnight ago"); the gold answers have the day itself,
// and a test works each of them out again.
package sample

import (
	"context"
	_ "embed" // for the conversation

	"recallbench/datasets"
	"recallbench/datasets/locomo"
)

//go:embed sample.json
var data []byte

// version changes with every change of the conversation.
const version = "1"

// Options select what is asked, as those of the same name do for LoCoMo.
type Options struct {
	// Categories are the ids of the questions to ask, 1 to 5: multi-hop,
	// temporal, open-domain, single-hop, adversarial.
	Categories []int `yaml:"categories"`
	// Category5 says how to treat adversarial questions: drop leaves them out,
	// abstain asks them and expects an abstention.
	Category5 locomo.Policy `yaml:"category5"`
}

// Validate returns all faults of the options.
func (o Options) Validate() error { return o.locomo().Validate() }

func (o Options) locomo() locomo.Options {
	return locomo.Options{Categories: o.Categories, Category5: o.Category5}
}

// Spec describes the sample.
var Spec = &datasets.Spec{
	Name:       "sample",
	Doc:        "one conversation in eight sessions, in LoCoMo's format; embedded, needs no download",
	Source:     "written for this project",
	License:    "Apache-2.0",
	Options:    Options{Categories: []int{1, 2, 3, 4}, Category5: locomo.Drop},
	All:        Options{Categories: []int{1, 2, 3, 4, 5}, Category5: locomo.Abstain},
	Embedded:   true,
	Categories: locomo.Categories(),
	Metrics:    []string{"f1@span", "f1@mem0", "words", "evidence-recall", "tokens"},
	Open:       datasets.Opener("sample", open),
}

func open(_ context.Context, _ datasets.Env, o Options) (*datasets.Set, error) {
	set, err := locomo.Parse("sample.json", data, o.locomo())
	if err != nil {
		return nil, err
	}
	set.Name, set.Version = "sample", version
	return set, nil
}

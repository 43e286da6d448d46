// Package personamem loads PersonaMem, multiple choice questions about what an
// assistant should by then know about a user, as published in the Agent Memory
// Benchmark.
//
// documents.json.gz has the sessions of users, each a text in which marks say who
// speaks, and queries.json.gz the questions with the sessions that each sees. Questions
// that see the same sessions are asked about one conversation; load.go makes them.
//
// Jiang et al., "Know Me, Respond to Me: Benchmarking LLMs for Dynamic User Profiling
// and Personalized Responses at Scale", 2025, arXiv:2504.14225. The layout is that of
// vectorize-io/agent-memory-benchmark at de83fa7, which drops the positions of
// messages: the release asks before the end of the last session.
package personamem

import (
	"context"

	"recallbench/datasets"
)

const (
	name          = "personamem"
	documentsFile = "documents.json.gz"
	queriesFile   = "queries.json.gz"
	home          = "https://raw.githubusercontent.com/vectorize-io/agent-memory-benchmark/de83fa7816ab6bbb8a0ed63916f49f65300fb74b/data/personamem/32k/"
)

// Spec describes the first version with contexts of 32k tokens.
var Spec = &datasets.Spec{
	Name:    name,
	Doc:     "589 multiple choice questions about what 37 users like, over 32k tokens each",
	Source:  "Jiang et al., Know Me, Respond to Me, 2025; as published in vectorize-io/agent-memory-benchmark",
	License: "MIT",
	Options: Options{},
	Metrics: []string{"accuracy@mcq", "words", "tokens"},
	Files: []datasets.File{
		{Name: documentsFile, URL: home + documentsFile, Size: 1658862, SHA256: "26b7eaa63a55c8957f411360b2dcd1e898a9dcdd14885c43bf063a4e431262b5"},
		{Name: queriesFile, URL: home + queriesFile, Size: 352804, SHA256: "a5207c2c29a5b60cf2311c2413b14dcc67e8f889a75f1e3760dc931ee09f866a"},
	},
	Open: datasets.Opener(name, open),
}

// Options select what is loaded.
type Options struct {
	// Path names the folder of the files, relative to the run file's folder; by
	// default personamem in the data folder.
	Path string `yaml:"path,omitempty"`
}

// Validate returns all faults of the options.
func (Options) Validate() error { return nil }

func open(ctx context.Context, env datasets.Env, o Options) (*datasets.Set, error) {
	dir, err := env.Find(o.Path, datasets.Fetch(name), name)
	if err != nil {
		return nil, err
	}
	return load(ctx, dir)
}

// Package jsonl loads a user's own questions about a user's own conversations.
//
// The data is one or several files with one JSON object per line, which is a
// turn of a conversation or a question about one:
//
//	{"type": "turn", "sample": "support", "session": "1", "time": "2024-03-04 09:30", "id": "a1", "speaker": "Ann", "text": "My router died on Sunday."}
//	{"type": "question", "sample": "support", "question": "When did Ann's router die?", "answer": "3 March 2024", "category": "temporal", "evidence": ["a1"]}
//
// docs/data.md says what each field means, and which may be left out. The turns of a
// conversation are in order of time and those of a session are consecutive; questions may
// be anywhere. Empty lines are skipped. Unknown fields, and evidence that names no turn,
// are faults. A time's offset from UTC is ignored, because "yesterday" goes by the
// speaker's clock.
//
// [Write] writes a set in this format and [Load] reads it back.
package jsonl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/files/category"
)

// MaxLine is the length in bytes above which a line is refused, 1 MiB.
const MaxLine = 1 << 20

// Options name the data.
type Options struct {
	// Files are the files to read, relative to the run file's folder; their
	// contents are combined.
	Files []string `yaml:"files"`
	// Categories says what the names of categories stand for, for metrics with
	// rules for LoCoMo's: locomo, mem0, or a YAML file with lines such as
	// multi-hop: 1. By default they stand for themselves.
	Categories string `yaml:"categories,omitempty"`
}

// Validate returns all faults of the options.
func (o Options) Validate() error {
	if len(o.Files) == 0 {
		return errors.New("files is empty, want the files with the turns and the questions")
	}
	errs := []error{datasets.CheckList("files", o.Files, nil)}
	if slices.Contains(o.Files, "") {
		errs = append(errs, errors.New("files has an empty name"))
	}
	return errors.Join(errs...)
}

// Spec describes data in this format.
var Spec = &datasets.Spec{
	Name:    "jsonl",
	Doc:     "your own questions about your own conversations, from JSONL files",
	Source:  "files that the options name; the format is in docs/data.md",
	License: "the user's own",
	Options: Options{},
	Metrics: []string{"f1@span", "f1@mem0", "words", "accuracy@mcq", "evidence-recall", "tokens"},
	Open:    datasets.Opener("jsonl", open),
}

// categoriesFile reports whether the categories are those of a file.
func (o Options) categoriesFile() bool {
	return o.Categories != "" && !slices.Contains(category.Names(), strings.ToLower(o.Categories))
}

func open(ctx context.Context, env datasets.Env, o Options) (*datasets.Set, error) {
	paths := make([]string, len(o.Files))
	for i, f := range o.Files {
		paths[i] = env.Resolve(f)
	}
	if o.Categories == "" {
		return Load(ctx, paths...)
	}
	name := o.Categories
	if o.categoriesFile() {
		name = env.Resolve(name)
	}
	v, err := category.Open(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("jsonl: categories: %w", err)
	}
	set, err := load(ctx, v, paths...)
	if err == nil {
		set.Settings = map[string]string{"categories": v.String()}
	}
	return set, err
}

// Package personamem loads PersonaMem, multiple choice questions about what an
// assistant should know of a user by then.
//
// A context is a long conversation, and a question sees the messages before it: a
// sample is a context up to a message, with the questions asked there. load.go reads
// the contexts, questions.go the questions.
//
// Jiang et al., "Know Me, Respond to Me: Benchmarking LLMs for Dynamic User Profiling
// and Personalized Responses at Scale", 2025, arXiv:2504.14225. The layout follows the
// README of bowen-upenn/PersonaMem at 004df11. The release was never read here.
package personamem

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"recallbench/datasets"
	"recallbench/internal/text/suggest"
)

const name = "personamem"

// Spec describes the first version. It lists no files: their hashes are not known.
var Spec = &datasets.Spec{
	Name:    name,
	Doc:     "multiple choice about what a user likes, over 32k to 1M tokens; to be fetched by hand",
	Source:  "Jiang et al., Know Me, Respond to Me, 2025; github.com/bowen-upenn/PersonaMem",
	License: "MIT",
	Options: Options{Size: "32k", Persona: Keep},
	Metrics: []string{"accuracy@mcq", "words", "tokens"},
	Open:    datasets.Opener(name, open),
}

// A Persona says what becomes of system messages, which describe the user.
type Persona string

// What becomes of system messages: each opens a session in any case.
const (
	Keep Persona = "keep" // they are turns
	Drop Persona = "drop" // they are left out
)

// Values returns the choices, for messages and editors.
func (Persona) Values() []string { return []string{string(Keep), string(Drop)} }

var sizes = []string{"32k", "128k", "1M"}

// Options select what is loaded.
type Options struct {
	// Size is the length of the contexts in tokens: 32k, 128k or 1M.
	Size string `yaml:"size"`
	// Path names the folder of the files, relative to the config's folder; by default
	// personamem in the data folder.
	Path string `yaml:"path,omitempty"`
	// Persona says what becomes of system messages: keep makes them turns, drop leaves
	// them out.
	Persona Persona `yaml:"persona"`
}

// Validate returns all faults of the options.
func (o Options) Validate() error {
	var errs []error
	if !slices.Contains(sizes, o.Size) {
		errs = append(errs, errors.New(suggest.Unknown("size", o.Size, sizes)))
	}
	if !slices.Contains(o.Persona.Values(), string(o.Persona)) {
		errs = append(errs, errors.New(suggest.Unknown("persona", string(o.Persona), o.Persona.Values())))
	}
	return errors.Join(errs...)
}

func open(ctx context.Context, env datasets.Env, o Options) (*datasets.Set, error) {
	asked, contexts := "questions_"+o.Size+".csv", "shared_contexts_"+o.Size+".jsonl"
	dir := env.Resolve(o.Path)
	if o.Path == "" {
		if env.Dir == "" {
			return nil, datasets.NoFolder("--data or BENCH_DATA names one, with " + asked + " and " + contexts + " in its folder " + name)
		}
		dir = filepath.Join(env.Dir, name)
	}
	set, err := load(ctx, filepath.Join(dir, asked), filepath.Join(dir, contexts), o)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; put %s and %s there, from huggingface.co/datasets/bowen-upenn/PersonaMem, or name their folder by path", err, asked, contexts)
	}
	return set, err
}

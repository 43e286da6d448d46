package semanticxpath

import (
	"context"
	"errors"
	"iter"
	"slices"

	"recallbench/internal/engine/relevance"
	"recallbench/internal/engine/semxpath"
	"recallbench/methods"
	"recallbench/methods/internal/handler"
)

// Options are the method's options. The paper does not give all of them:
// docs/methods.md says where each value comes from.
type Options struct {
	// Scorer says how conditions are scored.
	Scorer Scorer `yaml:"scorer"`
	// Ask configures the model calls, in all stages.
	Ask handler.Options `yaml:"ask"`
}

// A Scorer says how conditions are scored.
type Scorer struct {
	// Kind is the way of scoring.
	Kind Kind `yaml:"kind"`
}

// Kind is a way of scoring.
type Kind string

// The ways of scoring.
const (
	Sem    Kind = "sem"    // cosine of embeddings
	Entail Kind = "entail" // probability of entailment
	Model  Kind = "llm"    // a language model's score
)

// Values lists the ways of scoring.
func (Kind) Values() []string { return []string{string(Sem), string(Entail), string(Model)} }

// Defaults are the paper's, which has no threshold, and if it is silent those of
// the authors' released code.
func Defaults() Options { return Options{Scorer: Scorer{Kind: Entail}, Ask: handler.Defaults()} }

const (
	mostNodes = 20 // that a query with conditions retrieves
	attempts  = 3  // to get a query that parses
	atOnce    = 20 // texts that the llm scorer scores in one call
)

// A scorerOf returns the scorer of a memory, whose nodes have texts.
type scorerOf func(ctx context.Context, texts iter.Seq[string]) (semxpath.Scorer, error)

// scorerOf opens the scorer over the models of env.
func (o Options) scorerOf(env methods.Env) (scorerOf, error) {
	var one semxpath.Scorer
	var err error
	switch o.Scorer.Kind {
	case Sem:
		if env.Embed == nil {
			return nil, errors.New("the model entry has no embedder, which the scorer sem needs; use another scorer.kind")
		}
		return func(ctx context.Context, texts iter.Seq[string]) (semxpath.Scorer, error) {
			return relevance.NewSimilarity(ctx, env.Embed, slices.Collect(texts))
		}, nil
	case Entail:
		if env.NLI == nil {
			return nil, errors.New("the model entry has no entailment model, which the scorer entail needs; use another scorer.kind")
		}
		one = relevance.Entailment(env.NLI)
	case Model:
		one, err = relevance.Model(env.LLM, env.Prompts, atOnce)
	}
	return func(context.Context, iter.Seq[string]) (semxpath.Scorer, error) { return one, nil }, err
}

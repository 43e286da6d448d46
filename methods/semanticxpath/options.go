package semanticxpath

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"recallbench/internal/engine/relevance"
	"recallbench/internal/engine/semxpath"
	"recallbench/methods"
	"recallbench/methods/internal/handler"
)

// Options are the method's options. The paper does not print all of them:
// docs/methods.md says which value comes from where.
type Options struct {
	// Profile says which semantics queries have.
	Profile semxpath.Profile `yaml:"profile"`
	// Scorer says how conditions are scored.
	Scorer Scorer `yaml:"scorer"`
	// Threshold is the least weight of a node that a query with conditions
	// retrieves; 0 is no bound.
	Threshold float64 `yaml:"threshold"`
	// K is the largest number of nodes that a query with conditions retrieves; 0
	// is no bound.
	K int `yaml:"k"`
	// Text says what conditions on a whole node are scored against.
	Text semxpath.TextForm `yaml:"text"`
	// Attempts is how often a query may be asked for until it parses.
	Attempts int `yaml:"attempts"`
	// Explain puts the steps of queries with their scores into the trace.
	Explain bool `yaml:"explain"`
	// Ask says how the model is asked, in all stages.
	Ask handler.Options `yaml:"ask"`
}

// A Scorer says how conditions are scored.
type Scorer struct {
	// Kind is the way of scoring.
	Kind Kind `yaml:"kind"`
	// Mapping turns cosines into relevance, for sem.
	Mapping relevance.Mapping `yaml:"mapping"`
	// Template makes a hypothesis of a condition, which takes the place of {},
	// for entail.
	Template string `yaml:"template"`
	// Batch is how many texts are scored in one call, for llm.
	Batch int `yaml:"batch"`
	// File holds recorded scores, for recorded.
	File string `yaml:"file"`
}

// Kind is a way of scoring.
type Kind string

// The ways of scoring.
const (
	Sem      Kind = "sem"      // cosine of embeddings
	Entail   Kind = "entail"   // probability of entailment
	Model    Kind = "llm"      // a language model's judgement
	Recorded Kind = "recorded" // scores of an earlier run, from a file
)

// Values lists the ways of scoring.
func (Kind) Values() []string {
	return []string{string(Sem), string(Entail), string(Model), string(Recorded)}
}

// Defaults are the paper's, which has no threshold, and where it is silent those
// of the code that its authors released.
func Defaults() Options {
	return Options{
		Profile:  semxpath.Paper,
		Scorer:   Scorer{Kind: Entail, Mapping: relevance.Clip, Template: relevance.DefaultTemplate, Batch: 20},
		K:        20,
		Text:     semxpath.Fields,
		Attempts: 3,
		Explain:  true,
		Ask:      handler.Defaults(),
	}
}

// Validate reports values out of range.
func (o Options) Validate() error {
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	fault(!(o.Threshold >= 0 && o.Threshold <= 1), "threshold is %v, want 0 to 1", o.Threshold)
	fault(o.K < 0, "k is %d, want at least 1, or 0 for no bound", o.K)
	fault(o.Attempts < 1 || o.Attempts > 10, "attempts is %d, want 1 to 10", o.Attempts)
	fault(o.Scorer.Kind == Entail && !strings.Contains(o.Scorer.Template, "{}"), "scorer.template is %q, which has no {} for the condition", o.Scorer.Template)
	fault(o.Scorer.Batch < 1, "scorer.batch is %d, want at least 1", o.Scorer.Batch)
	fault(o.Scorer.Kind == Recorded && o.Scorer.File == "", "scorer.file is missing: where the recorded scores are")
	return errors.Join(faults...)
}

// A scoring gives the scorer of a memory, whose nodes have texts, and how nodes
// are written for it.
type scoring struct {
	text   semxpath.TextOf
	scorer func(ctx context.Context, texts iter.Seq[string]) (semxpath.Scorer, error)
}

// scoring opens the scorer over the doors of env.
func (o Options) scoring(env methods.Env) (scoring, error) {
	text, err := o.Text.TextOf(nil)
	if err != nil {
		return scoring{}, err
	}
	var one semxpath.Scorer
	switch o.Scorer.Kind {
	case Sem:
		if env.Embed == nil {
			return scoring{}, errors.New("the model entry brings no embedder, which the scorer sem needs; use another scorer.kind")
		}
		return scoring{text, func(ctx context.Context, texts iter.Seq[string]) (semxpath.Scorer, error) {
			return relevance.NewSimilarity(ctx, env.Embed, slices.Collect(texts), o.Scorer.Mapping)
		}}, nil
	case Entail:
		if env.NLI == nil {
			return scoring{}, errors.New("the model entry brings no entailment, which the scorer entail needs; use another scorer.kind")
		}
		one = relevance.Entailment(env.NLI, o.Scorer.Template)
	case Model:
		if one, err = relevance.Model(env.LLM, env.Prompts, o.Scorer.Batch); err != nil {
			return scoring{}, err
		}
	case Recorded:
		recorded, err := relevance.Recorded(o.Scorer.File)
		if err != nil {
			return scoring{}, err
		}
		if one = recorded; recorded.Named() {
			text = relevance.NameText
		}
	}
	return scoring{text, func(context.Context, iter.Seq[string]) (semxpath.Scorer, error) { return one, nil }}, nil
}

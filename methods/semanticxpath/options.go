package semanticxpath

import (
	"errors"
	"fmt"
	"strings"

	"recallbench/internal/relevance"
	"recallbench/internal/semxpath"
	"recallbench/methods"
	"recallbench/methods/handler"
)

// Options are the method's options. The paper does not print all of them:
// docs/methods.md says which value comes from where.
type Options struct {
	// Profile says which semantics queries have.
	Profile semxpath.Profile `yaml:"profile"`
	// Scorer says how conditions are scored.
	Scorer Scorer `yaml:"scorer"`
	// Threshold is the least weight of a node that is retrieved, and K the
	// largest number of them; 0 is no bound. They apply to queries with
	// conditions.
	Threshold float64 `yaml:"threshold"`
	K         int     `yaml:"k"`
	// Text says what conditions on a whole node are scored against.
	Text Text `yaml:"text"`
	// Attempts is how often a query may be asked for until it parses.
	Attempts int `yaml:"attempts"`
	// Explain puts every step of a query with its scores into the trace.
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

// Defaults are those of the authors' experiments where the paper is silent.
func Defaults() Options {
	return Options{
		Profile:   semxpath.Paper,
		Scorer:    Scorer{Kind: Entail, Mapping: relevance.Clip, Template: relevance.DefaultTemplate, Batch: 20},
		Threshold: 0.05,
		K:         10,
		Text:      Fields,
		Attempts:  3,
		Ask:       handler.Defaults(),
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

// open returns the scorer over the doors of env.
func (s Scorer) open(env methods.Env) (semxpath.Scorer, error) {
	switch s.Kind {
	case Sem:
		if env.Embed == nil {
			return nil, errors.New("the model entry brings no embedder, which the scorer sem needs; use another scorer.kind")
		}
		return relevance.Similarity(env.Embed, s.Mapping), nil
	case Entail:
		if env.NLI == nil {
			return nil, errors.New("the model entry brings no entailment, which the scorer entail needs; use another scorer.kind")
		}
		return relevance.Entailment(env.NLI, s.Template), nil
	case Model:
		return relevance.Model(env.LLM, env.Prompts, s.Batch)
	default:
		return relevance.Recorded(s.File)
	}
}

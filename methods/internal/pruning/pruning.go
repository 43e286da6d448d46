// Package pruning holds the options by which methods leave words out of texts,
// and makes the compressor that they describe.
package pruning

import (
	"errors"

	"recallbench/internal/door/compress"
	"recallbench/internal/door/token"
	"recallbench/methods"
)

// Options say how texts are shortened.
type Options struct {
	// Use is the classifier that says which words go.
	Use Use `yaml:"use"`
	// Rate is the share of each line's tokens that is kept.
	Rate float64 `yaml:"rate"`
	// ForceTokens are words and marks that are always kept, such as ".".
	ForceTokens []string `yaml:"force_tokens"`
	// ReserveDigits keeps all words with a digit.
	ReserveDigits bool `yaml:"reserve_digits"`
	// DropConsecutive leaves out one of force_tokens that would follow itself.
	DropConsecutive bool `yaml:"drop_consecutive"`
}

// Use is a classifier of words.
type Use string

// The classifiers.
const (
	None       Use = "none"
	IDF        Use = "idf"        // idf-prune: the words that most of the memory's lines have go first
	LLMLingua2 Use = "llmlingua2" // the model entry's classifier of tokens
)

// Values lists the classifiers.
func (Use) Values() []string {
	return []string{string(None), string(IDF), string(LLMLingua2)}
}

func (o Options) options() compress.Options {
	return compress.Options{Rate: o.Rate, ForceTokens: o.ForceTokens, ReserveDigits: o.ReserveDigits, DropConsecutive: o.DropConsecutive}
}

// Validate reports values out of range.
func (o Options) Validate() error { return o.options().Validate() }

// Needs reports a classifier that the model entry does not bring.
func (o Options) Needs(env methods.Env) error {
	if o.Use == LLMLingua2 && env.Prune == nil {
		return errors.New("prune.use is llmlingua2, and the model entry brings no classifier of tokens; name its server in the live entry's options.prune, or use idf, which needs none")
	}
	return nil
}

// Name names the classifier in traces: what stands in for LLMLingua-2 is not
// called so.
func (o Options) Name() string {
	if o.Use == IDF {
		return "idf-prune"
	}
	return string(o.Use)
}

// Compressor returns what shortens texts of a memory that holds the lines; nil
// for [None]. The classifier is the model entry's, which [Options.Needs] has
// checked.
func (o Options) Compressor(classifier compress.Classifier, counter token.Counter, lines []string) *compress.Compressor {
	switch o.Use {
	case LLMLingua2:
		return compress.New(classifier, o.options(), counter.Count)
	case IDF:
		return compress.New(compress.NewIDF(lines), o.options(), counter.Count)
	case None:
	}
	return nil
}

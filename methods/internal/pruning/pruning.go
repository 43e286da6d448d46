// Package pruning shortens texts by leaving words out, as LLMLingua-2 does (Pan et
// al., Findings of ACL 2024; package llmlingua 0.2.2).
//
// A classifier gives each word the probability that it is kept. The most probable
// words stay in their order, as many as the requested rate allows of the text's
// tokens. The question is ignored: a text is shortened once, whatever is asked
// later.
//
// There are two classifiers. That of LLMLingua-2 is a model, which a model entry
// may have. [Frequencies] is not: it ranks words by how few of a memory's texts
// have them, stop words last, and stands in if there is no model. Its results are
// labelled idf-prune, not LLMLingua-2.
//
// # Departures
//
// LLMLingua-2 writes the kept tokens with the tokenizer's spaces, so that "It's"
// becomes "It ' s"; here words that touched still touch. It drops all words at the
// threshold; here the first of them stay while the rate allows, because a ranking
// without a model has many ties. A text in several chunks has one threshold here and
// one per chunk there. A text that would lose everything stays as it is, as in
// LightMem's use of it.
package pruning

import (
	"errors"
	"fmt"

	"recallbench/internal/door/compress"
	"recallbench/internal/door/token"
	"recallbench/methods"
)

// Options say how texts are shortened.
type Options struct {
	// Use is the classifier that decides which words go.
	Use Use `yaml:"use"`
	// Rate is the share of each line's tokens that is kept.
	Rate float64 `yaml:"rate"`
	// ForceTokens are words and marks that are always kept, such as ".".
	ForceTokens []string `yaml:"force_tokens"`
}

// Use is a classifier of words.
type Use string

// The classifiers.
const (
	None       Use = "none"
	IDF        Use = "idf"        // idf-prune: words that occur in most of the memory's lines go first
	LLMLingua2 Use = "llmlingua2" // the model entry's classifier of tokens
)

// Values lists the classifiers.
func (Use) Values() []string {
	return []string{string(None), string(IDF), string(LLMLingua2)}
}

// Validate reports values out of range.
func (o Options) Validate() error {
	var faults []error
	if !(o.Rate > 0 && o.Rate <= 1) {
		faults = append(faults, fmt.Errorf("rate is %v, want above 0 and at most 1", o.Rate))
	}
	for i, t := range o.ForceTokens {
		if words := compress.Words(t); len(words) != 1 || words[0] != [2]int{0, len(t)} {
			faults = append(faults, fmt.Errorf("force_tokens[%d] is %q, want one word or one mark", i, t))
		}
	}
	return errors.Join(faults...)
}

// Needs reports a classifier that the model entry lacks.
func (o Options) Needs(env methods.Env) error {
	if o.Use == LLMLingua2 && env.Prune == nil {
		return errors.New("prune.use is llmlingua2, but the model entry has no token classifier; set options.prune.dir of the live entry to its folder, or use idf, which needs none")
	}
	return nil
}

// Name names the classifier in traces; the stand-in for LLMLingua-2 is not
// called by that name.
func (o Options) Name() string {
	if o.Use == IDF {
		return "idf-prune"
	}
	return string(o.Use)
}

// Compressor returns the compressor for the texts of a memory with these lines;
// nil for [None]. The classifier is the model entry's, which [Options.Needs]
// has checked. The rate is one of tokens as the counter counts them, word by
// word.
func (o Options) Compressor(classifier compress.Classifier, counter token.Counter, lines []string) *Compressor {
	switch o.Use {
	case LLMLingua2:
		return &Compressor{o, classifier, counter.Count}
	case IDF:
		return &Compressor{o, NewFrequencies(lines), counter.Count}
	case None:
	}
	return nil
}

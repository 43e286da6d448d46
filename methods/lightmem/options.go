package lightmem

import (
	"fmt"

	"recallbench/methods/internal/pruning"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

// Options are the method's options. Defaults are those with which the authors ran
// LoCoMo, with idf-prune in the place of LLMLingua-2.
type Options struct {
	// Prune says how each message is shortened before anything is done with it.
	Prune pruning.Options `yaml:"prune"`
	// MaxTokens is the largest number of tokens of a reply.
	MaxTokens int `yaml:"max_tokens"`
	// Reader says how the model is asked.
	Reader reader.Options `yaml:"reader"`
}

// Parameters of the authors' LoCoMo run.
const (
	images = transcript.Captions
	// The cosine of neighbouring messages below which a topic ends, how far it
	// rises where none is, and by how much at a time.
	leastCosine, mostCosine, cosineStep = 0.2, 0.5, 0.05
	// A later fact as close as sayScore has a say about at most mostSays of the
	// nearFacts nearest to it, itself among them.
	sayScore, nearFacts, mostSays = 0.9, 20, 10
	mostFacts                     = 60 // that the reader gets
)

// sizes are the room of the buffers, in tokens.
type sizes struct {
	buffer    int // messages that are held until they are cut
	shortTerm int // topics that one call finds the facts of; a longer topic has a call of its own
}

// Defaults are those of the authors' LoCoMo run.
func Defaults() Options {
	o := Options{Prune: pruning.Options{Use: pruning.IDF, Rate: 0.6}, MaxTokens: 8192, Reader: reader.Defaults()}
	o.Reader.Slots = true
	return o
}

// Validate reports values out of range.
func (o Options) Validate() error {
	if o.MaxTokens < 1 {
		return fmt.Errorf("max_tokens is %d, want at least 1", o.MaxTokens)
	}
	return nil
}

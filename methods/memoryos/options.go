package memoryos

import (
	"fmt"

	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

// Options are the method's options.
type Options struct {
	// MaxTokens is the largest number of tokens of a reply while building.
	MaxTokens int `yaml:"max_tokens"`
	// Reader says how the model is asked.
	Reader reader.Options `yaml:"reader"`
}

// parameters are those of the paper that tests change.
type parameters struct {
	short    int     // pages of short-term memory
	segments int     // of mid-term memory
	joins    float64 // similarity of a theme and a segment from which a page joins it
}

// Other parameters of the paper.
const (
	images        = transcript.CaptionsAndQuery
	hot           = 5   // heat from which a segment is analysed
	cools         = 1e7 // seconds in which recency falls to 1/e
	mostKnown     = 100 // facts of each speaker
	foundSegments = 5
	foundPages    = 10
	foundFacts    = 10 // of each speaker
)

// Defaults are those of the paper.
func Defaults() Options {
	r := reader.Defaults()
	r.Slots = true
	return Options{MaxTokens: 2000, Reader: r}
}

// Validate reports values out of range.
func (o Options) Validate() error {
	if o.MaxTokens < 1 {
		return fmt.Errorf("max_tokens is %d, want at least 1", o.MaxTokens)
	}
	return nil
}

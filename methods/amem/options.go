package amem

import (
	"errors"
	"fmt"

	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

// Options are the method's options. The defaults are those of the authors' code
// at commit d81fb22, but for the reader, which is that of all methods.
type Options struct {
	// Construction says how turns become notes.
	Construction Construction `yaml:"construction"`
	// Reader says how the model is asked.
	Reader reader.Options `yaml:"reader"`
}

// Construction holds the options that notes depend on. Memories that agree in them
// share their notes, whatever else differs.
type Construction struct {
	// MaxTokens is the largest number of tokens of a reply.
	MaxTokens int `yaml:"max_tokens"`
}

// Parameters of the authors' code.
const (
	images      = transcript.Captions
	neighbours  = 5   // most similar notes that a new one is shown with
	evolutions  = 100 // after which all notes are embedded again
	most        = 10  // notes that are found; linked ones come on top
	temperature = 0.7 // of all calls
)

// Defaults are those of the authors' code at commit d81fb22.
func Defaults() Options {
	r := reader.Defaults()
	r.Slots = true
	return Options{Construction: Construction{MaxTokens: 1000}, Reader: r}
}

// Validate reports values out of range.
func (o Options) Validate() error {
	var faults []error
	if n := o.Construction.MaxTokens; n < 1 {
		faults = append(faults, fmt.Errorf("construction.max_tokens is %d, want at least 1", n))
	}
	return errors.Join(faults...)
}

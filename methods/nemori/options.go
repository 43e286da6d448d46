package nemori

import (
	"recallbench/methods/internal/episodes"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

// Options are the method's options. Defaults are those of the authors' script for
// LoCoMo, with the two slots of the xMemory paper's prompt.
type Options struct {
	// Construction says how messages become episodes and statements.
	Construction episodes.Options `yaml:"construction"`
	// Reader says how the model is asked.
	Reader reader.Options `yaml:"reader"`
}

// Parameters of the authors' script.
const (
	images         = transcript.CaptionsAndQuery
	mostEpisodes   = 10 // that the reader gets
	mostStatements = 20
	originals      = 2 // first episodes that are shown with their messages
)

// Defaults are those of the authors' script.
func Defaults() Options {
	o := Options{Construction: episodes.Defaults(), Reader: reader.Defaults()}
	o.Reader.Slots = true
	return o
}

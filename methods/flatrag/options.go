package flatrag

import (
	"errors"
	"fmt"

	"recallbench/methods/internal/handler"
	"recallbench/methods/internal/pruning"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

// Options are the method's options. The papers do not give all of them:
// docs/methods.md says where each value comes from.
type Options struct {
	// K is the number of chunks that the reader gets.
	K int `yaml:"k"`
	// Chunk says how the conversation is cut.
	Chunk Chunk `yaml:"chunk"`
	// Ranking says how chunks are ranked for a question.
	Ranking Ranking `yaml:"ranking"`
	// Prune says how retrieved chunks are shortened before the reader sees them:
	// the words said are reduced line by line; times and names of speakers stay.
	Prune pruning.Options `yaml:"prune"`
	// Images says what of a shared image becomes text, which the method fixes.
	Images transcript.Images `yaml:"-"`
	// Reader has the reader's options.
	Reader reader.Options `yaml:"reader"`
	// Tree configures tasks about a tree; K, Chunk, Prune, Images and Reader do
	// not apply to them.
	Tree TreeOptions `yaml:"tree"`
}

// TreeOptions are the options for conversations with a tree.
type TreeOptions struct {
	// K is the number of nodes that the model gets, which is fixed.
	K int `yaml:"-"`
	// Ask configures the model calls.
	Ask handler.Options `yaml:"ask"`
}

// Chunk says how the conversation is cut into chunks.
type Chunk struct {
	// Unit is what a chunk is made of.
	Unit Unit `yaml:"unit"`
	// Size is the number of tokens or turns of a chunk.
	Size int `yaml:"size"`
}

// Unit is what a chunk is made of.
type Unit string

// The units of chunks.
const (
	Tokens Unit = "tokens" // windows of tokens over the whole transcript, which may split a turn
	Turns  Unit = "turns"  // windows of whole turns
)

// Values lists the units.
func (Unit) Values() []string { return []string{string(Tokens), string(Turns)} }

// Ranking says how chunks are ranked.
type Ranking string

// The rankings.
const (
	Dense Ranking = "dense" // cosine of embeddings
	BM25  Ranking = "bm25"  // shared words
	RRF   Ranking = "rrf"   // both, joined by reciprocal rank fusion
)

// The parameters of BM25 are the defaults of rank_bm25; those of fusion are of
// Cormack et al. (2009).
const (
	saturation     = 1.5  // of a term's count
	lengthWeight   = 0.75 // of the text's length
	fusionConstant = 60.0 // added to each rank
	fusionDepth    = 40   // chunks of each ranking that take part; k if that is more
)

// Values lists the rankings.
func (Ranking) Values() []string { return []string{string(Dense), string(BM25), string(RRF)} }

// Defaults are 20 chunks of 256 tokens by dense rank.
func Defaults() Options {
	return Options{
		K:       20,
		Chunk:   Chunk{Unit: Tokens, Size: 256},
		Ranking: Dense,
		Prune:   pruning.Options{Use: pruning.None, Rate: 0.6},
		Images:  transcript.CaptionsAndQuery,
		Reader:  reader.Defaults(),
		Tree:    TreeOptions{K: 30, Ask: handler.Defaults()},
	}
}

// vectorDefaults are ten utterances by dense rank.
func vectorDefaults() Options {
	o := Defaults()
	o.K, o.Chunk, o.Images = 10, Chunk{Unit: Turns, Size: 1}, transcript.Captions
	return o
}

// grepDefaults are 20 utterances by the words that they share with the question.
func grepDefaults() Options {
	o := Defaults()
	o.Chunk, o.Ranking = Chunk{Unit: Turns, Size: 1}, BM25
	return o
}

// Validate reports values out of range.
func (o Options) Validate() error {
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	fault(o.K < 1, "k is %d, want at least 1", o.K)
	fault(o.Chunk.Size < 1, "chunk.size is %d, want at least 1", o.Chunk.Size)
	return errors.Join(faults...)
}

package flatrag

import (
	"errors"
	"fmt"
	"slices"

	"recallbench/internal/engine/index"
	"recallbench/methods/internal/handler"
	"recallbench/methods/internal/pruning"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

// Options are the method's options. The papers do not print all of them:
// docs/methods.md says which value comes from where.
type Options struct {
	// K is the number of chunks that the reader gets.
	K int `yaml:"k"`
	// Chunk says how the history is cut.
	Chunk Chunk `yaml:"chunk"`
	// Ranking says how chunks are ranked for a question.
	Ranking Ranking `yaml:"ranking"`
	// BM25 holds the parameters of the rankings bm25 and rrf.
	BM25 BM25Options `yaml:"bm25"`
	// Fusion holds the parameters of the ranking rrf.
	Fusion Fusion `yaml:"fusion"`
	// Order says in which order the reader sees the chunks.
	Order Order `yaml:"order"`
	// Prune says how retrieved chunks are shortened before the reader sees them:
	// what was said loses words, line by line; times and names of speakers stay.
	Prune pruning.Options `yaml:"prune"`
	// Images says what of a shared image becomes text.
	Images transcript.Images `yaml:"images"`
	// Reader says how the model is asked.
	Reader reader.Options `yaml:"reader"`
	// Tree says how requests about a tree are answered; K, Chunk, Prune, Images
	// and Reader are not for these.
	Tree TreeOptions `yaml:"tree"`
}

// TreeOptions are the options for samples with a tree.
type TreeOptions struct {
	// K is the number of nodes that the model gets.
	K int `yaml:"k"`
	// Ask says how the model is asked.
	Ask handler.Options `yaml:"ask"`
}

// Chunk says how the history is cut into chunks.
type Chunk struct {
	// Unit is what a chunk is made of.
	Unit Unit `yaml:"unit"`
	// Size is the number of tokens or turns of a chunk, and the largest number
	// of turns of an episode. A session has no size.
	Size int `yaml:"size"`
	// Overlap is how many tokens or turns a chunk shares with the one before.
	Overlap int `yaml:"overlap"`
	// WithinSession keeps chunks of tokens or turns from reaching over the
	// end of a session.
	WithinSession bool `yaml:"within_session"`
}

// BM25Options are the parameters of BM25.
type BM25Options struct {
	K1 float64 `yaml:"k1"` // saturation of a term's count, at least 0
	B  float64 `yaml:"b"`  // weight of the text's length, 0 to 1
}

// Fusion holds the parameters of reciprocal rank fusion.
type Fusion struct {
	Constant float64 `yaml:"constant"` // added to each rank, above -1
	Depth    int     `yaml:"depth"`    // how many chunks of each ranking take part; k where that is more
}

// Unit is what a chunk is made of.
type Unit string

// The units of chunks.
const (
	Tokens  Unit = "tokens"  // windows of tokens over the whole transcript, which may cut a turn
	Turns   Unit = "turns"   // windows of whole turns
	Session Unit = "session" // a chunk is a session
	Episode Unit = "episode" // a chunk is a stretch of a session about one thing
)

// Values lists the units.
func (Unit) Values() []string {
	return []string{string(Tokens), string(Turns), string(Session), string(Episode)}
}

// Ranking says how chunks are ranked.
type Ranking string

// The rankings.
const (
	Dense Ranking = "dense" // cosine of embeddings
	BM25  Ranking = "bm25"  // shared words
	RRF   Ranking = "rrf"   // both, joined by reciprocal rank fusion
)

// Values lists the rankings.
func (Ranking) Values() []string { return []string{string(Dense), string(BM25), string(RRF)} }

// Order says in which order the reader sees the chunks.
type Order string

// The orders.
const (
	ByRank Order = "rank" // best first
	ByTime Order = "time" // oldest first
)

// Values lists the orders.
func (Order) Values() []string { return []string{string(ByRank), string(ByTime)} }

// Defaults are 20 chunks of 256 tokens by dense rank.
func Defaults() Options {
	return Options{
		K:       20,
		Chunk:   Chunk{Unit: Tokens, Size: 256},
		Ranking: Dense,
		BM25:    BM25Options{K1: 1.5, B: 0.75},
		Fusion:  Fusion{Constant: 60, Depth: 40},
		Order:   ByRank,
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

// Validate reports values out of range.
func (o Options) Validate() error {
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	fault(o.K < 1, "k is %d, want at least 1", o.K)
	fault(o.Chunk.Unit != Session && o.Chunk.Size < 1, "chunk.size is %d, want at least 1", o.Chunk.Size)
	fault(o.Chunk.Overlap < 0 || o.Chunk.Overlap >= max(1, o.Chunk.Size),
		"chunk.overlap is %d, want 0 to %d, less than chunk.size", o.Chunk.Overlap, o.Chunk.Size-1)
	fault(o.Chunk.Overlap > 0 && (o.Chunk.Unit == Session || o.Chunk.Unit == Episode),
		"chunk.overlap is %d, but chunks of unit %s do not overlap", o.Chunk.Overlap, o.Chunk.Unit)
	fault(!(o.BM25.K1 >= 0), "bm25.k1 is %v, want at least 0", o.BM25.K1)
	fault(!(o.BM25.B >= 0 && o.BM25.B <= 1), "bm25.b is %v, want 0 to 1", o.BM25.B)
	fault(!(o.Fusion.Constant > -1), "fusion.constant is %v, want above -1", o.Fusion.Constant)
	fault(o.Fusion.Depth < 1, "fusion.depth is %d, want at least 1", o.Fusion.Depth)
	fault(o.Tree.K < 1, "tree.k is %d, want at least 1", o.Tree.K)
	return errors.Join(faults...)
}

// shown returns hits in the order in which the reader sees them.
func (o Options) shown(hits []index.Hit) []index.Hit {
	if o.Order == ByRank {
		return hits
	}
	hits = slices.Clone(hits)
	slices.SortFunc(hits, func(a, b index.Hit) int { return a.Index - b.Index })
	return hits
}

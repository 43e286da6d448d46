package nemori

import (
	"errors"
	"fmt"

	"recallbench/methods/internal/episodes"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

// Options are the method's options. Defaults are those of the authors' script for
// LoCoMo.
type Options struct {
	// Construction says how messages become episodes and statements.
	Construction episodes.Options `yaml:"construction"`
	// Batch says whether messages become episodes in batches, as in the authors' later
	// versions.
	Batch episodes.Batch `yaml:"batch"`
	// Score is what construction.closest is compared with.
	Score Score `yaml:"score"`
	// Search says what of the memory reaches the reader.
	Search Search `yaml:"search"`
	// Images says what of a shared image becomes text.
	Images transcript.Images `yaml:"images"`
	// Reader says how the model is asked.
	Reader reader.Options `yaml:"reader"`
}

// Score is a similarity of vectors.
type Score string

// The scores.
const (
	// ChromaL2 is 1 less the squared distance of vectors of length 1, which is
	// 2·cosine - 1: what the authors' code gets from a Chroma collection that was
	// made without another distance.
	ChromaL2 Score = "chroma_l2"
	Cosine   Score = "cosine"
)

// Values lists the scores.
func (Score) Values() []string { return []string{string(ChromaL2), string(Cosine)} }

// cosine returns the cosine at which the score has a value.
func (s Score) cosine(score float64) float64 {
	if s == ChromaL2 {
		return (1 + score) / 2
	}
	return score
}

// Search holds the options of retrieval.
type Search struct {
	// Ranking says how episodes and statements are ranked for a question.
	Ranking Ranking `yaml:"ranking"`
	// Episodes is how many episodes the reader gets.
	Episodes int `yaml:"episodes"`
	// Statements is how many statements the reader gets.
	Statements int `yaml:"statements"`
	// Originals is how many of the first episodes are shown with their messages.
	Originals int `yaml:"originals"`
}

// Ranking says how texts are ranked. The names are those of the authors' script.
type Ranking string

// The rankings.
const (
	Vector Ranking = "vector" // cosine of embeddings
	BM25   Ranking = "bm25"   // shared words
	Hybrid Ranking = "hybrid" // both, joined by reciprocal rank fusion
)

// Values lists the rankings.
func (Ranking) Values() []string { return []string{string(Vector), string(BM25), string(Hybrid)} }

// Defaults are those of the authors' script for LoCoMo, with the two slots of the
// xMemory paper's prompt.
func Defaults() Options {
	o := Options{
		Construction: episodes.Defaults(),
		Score:        ChromaL2,
		Search:       Search{Ranking: Vector, Episodes: 10, Statements: 20, Originals: 2},
		Images:       transcript.CaptionsAndQuery,
		Reader:       reader.Defaults(),
	}
	o.Construction.Closest = 0.7
	o.Reader.Slots = true
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
	s := o.Search
	fault(s.Episodes < 0, "search.episodes is %d, want at least 0", s.Episodes)
	fault(s.Statements < 0, "search.statements is %d, want at least 0", s.Statements)
	fault(s.Episodes+s.Statements == 0, "search.episodes and search.statements are 0, want one above 0")
	fault(s.Originals < 0, "search.originals is %d, want at least 0", s.Originals)
	return errors.Join(faults...)
}

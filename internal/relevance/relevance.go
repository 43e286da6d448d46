// Package relevance scores how far texts meet conditions: the scorers of
// semantic queries over the doors to models.
package relevance

import (
	"errors"
	"io/fs"

	"recallbench/internal/embed"
	"recallbench/internal/llm"
	"recallbench/internal/nli"
	"recallbench/internal/prompt"
	"recallbench/internal/semxpath"
)

var errNotYet = errors.New("relevance: not yet written")

// A Mapping turns a cosine into a relevance.
type Mapping string

// The mappings.
const (
	Clip   Mapping = "clip"   // negative cosines become 0
	Affine Mapping = "affine" // (cosine + 1) / 2
)

// Values lists the mappings.
func (Mapping) Values() []string { return []string{string(Clip), string(Affine)} }

// Similarity scores by the cosine of embeddings: the paper's Sem.
func Similarity(model embed.Model, mapping Mapping) semxpath.Scorer { return nil }

// DefaultTemplate is the hypothesis of the authors' released code.
const DefaultTemplate = "This is related to {}."

// Entailment scores by the probability that a text entails the condition, put
// into the template in place of {}: the paper's Entail.
func Entailment(scorer nli.Scorer, template string) semxpath.Scorer { return nil }

// Prompts returns the template "score" of [Model]. A method that offers that
// scorer has it among its prompts.
func Prompts() fs.FS { return nil }

// Model scores by asking a language model with an [llm.ScoreTask], up to batch
// texts at a time for each condition.
func Model(g llm.Generator, prompts *prompt.Set, batch int) (semxpath.Scorer, error) {
	return nil, errNotYet
}

// Recorded scores from a file of recorded scores, one JSON object a line.
func Recorded(path string) (semxpath.Scorer, error) { return nil, errNotYet }

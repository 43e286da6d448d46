// Package linguistic holds what memories share that look at language: a history
// of annotated utterances and an inverted index of their features.
//
// It follows sections 3.2 and 3.3 of the Semantic Anchoring paper: an entry is an
// utterance with the entities that it mentions, its dependencies as triples, and
// the discourse relations to what was said before.
package linguistic

import (
	"errors"
	"fmt"

	"recallbench/internal/door/annotate"
	"recallbench/methods"
)

// Options say how utterances are annotated.
type Options struct {
	// Coreference finds what pronouns and descriptions stand for, across
	// sessions. Without it an entity is the name that it is called.
	Coreference bool
	// Dependencies keeps the triples of a parse.
	Dependencies bool
	// Discourse keeps the relations to earlier turns.
	Discourse bool
}

// layers are those that the options ask for.
func (o Options) layers() []annotate.Layer {
	layers := []annotate.Layer{annotate.Tokens, annotate.Entities}
	if o.Dependencies {
		layers = append(layers, annotate.Dependencies)
	}
	if o.Coreference {
		layers = append(layers, annotate.Coreference)
	}
	if o.Discourse {
		layers = append(layers, annotate.Discourse)
	}
	return layers
}

// An Annotator makes histories with one set of options.
type Annotator struct {
	Options
	door annotate.Annotator
}

// New returns an annotator over the door of env. It is an error where the model
// entry brings none.
func New(env methods.Env, o Options) (*Annotator, error) {
	if env.Annotate == nil {
		return nil, errors.New("the model entry brings no annotator, which the memory needs")
	}
	return &Annotator{Options: o, door: env.Annotate}, nil
}

func (a *Annotator) fault(what string, err error) error {
	return fmt.Errorf("annotate %s: %w", what, err)
}

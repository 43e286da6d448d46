// Package linguistic has what linguistic memories share: a conversation of
// annotated utterances and an inverted index of their features.
//
// It follows sections 3.2 and 3.3 of the Semantic Anchoring paper: an entry is an
// utterance with the entities that it mentions, its dependencies as triples, and
// its discourse relations to earlier utterances.
package linguistic

import (
	"errors"

	"recallbench/internal/door/annotate"
	"recallbench/methods"
)

// Layers are the kinds of annotation that are used. Each is a row of the paper's
// ablation.
type Layers struct {
	// Coreference finds what pronouns and descriptions refer to. Without it an
	// entity is the name in the text.
	Coreference bool `yaml:"coreference"`
	// Dependencies lets entries be found by triples of the parse.
	Dependencies bool `yaml:"dependencies"`
	// Discourse tags relations to earlier turns.
	Discourse bool `yaml:"discourse"`
}

// asked are the layers requested from an annotator.
func (l Layers) asked() []annotate.Layer {
	layers := []annotate.Layer{annotate.Tokens, annotate.Entities}
	if l.Dependencies {
		layers = append(layers, annotate.Dependencies)
	}
	if l.Coreference {
		layers = append(layers, annotate.Coreference)
	}
	if l.Discourse {
		layers = append(layers, annotate.Discourse)
	}
	return layers
}

// An Annotator makes histories with some layers.
type Annotator struct {
	Layers
	door annotate.Annotator
}

// New returns an annotator over the model of env. It fails if the model entry
// has none.
func New(env methods.Env, l Layers) (*Annotator, error) {
	if env.Annotate == nil {
		return nil, errors.New("the model entry has no annotator, which the memory needs")
	}
	return &Annotator{l, env.Annotate}, nil
}

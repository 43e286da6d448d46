// Package annotate is the one door to linguistic annotation: tokens, entities,
// dependencies, coreference and discourse.
package annotate

import "context"

// A Layer is one kind of annotation.
type Layer string

// The layers of annotation.
const (
	Tokens       Layer = "tokens" // with lemma and part of speech
	Entities     Layer = "entities"
	Dependencies Layer = "dependencies"
	Coreference  Layer = "coreference"
	Discourse    Layer = "discourse"
)

// An Utterance is one turn of a dialogue.
type Utterance struct {
	ID      string
	Speaker string
	Text    string
}

// A Request asks for layers over the utterances of one dialogue, in order.
type Request struct {
	Layers     []Layer
	Utterances []Utterance
}

// An Annotator annotates dialogues. It is safe for concurrent use. A layer
// that it cannot give is an error, never an empty layer.
type Annotator interface {
	Annotate(ctx context.Context, r Request) (Document, error)
}

// A Document holds the annotation of a dialogue, one Sentence after another.
type Document struct {
	Sentences []Sentence
	Clusters  []Cluster
	Relations []Relation
}

// A Sentence is a sentence of one utterance.
type Sentence struct {
	Utterance    int // index into the request's utterances
	Tokens       []Token
	Entities     []Entity
	Dependencies []Dependency
}

// A Token is a word or a punctuation mark. Start and End are byte offsets
// into the utterance's text.
type Token struct {
	Text, Lemma, POS string
	Start, End       int
}

// A Span is a range of a sentence's tokens, End excluded.
type Span struct{ Start, End int }

// An Entity is a named mention with its type, such as PERSON.
type Entity struct {
	Span
	Type string
}

// A Dependency links a dependent to its head by universal dependency label;
// Head is -1 for the root. Both are token indexes.
type Dependency struct {
	Head, Dependent int
	Label           string
}

// A Mention is a span of a sentence of the document.
type Mention struct {
	Sentence int
	Span
}

// A Cluster is a set of mentions of one entity, with an id that is kept over
// the sessions of a memory.
type Cluster struct {
	ID       string
	Mentions []Mention
}

// A Relation is a discourse relation between two sentences, with its PDTB
// sense, such as Contingency.Cause.
type Relation struct {
	From, To int
	Sense    string
}

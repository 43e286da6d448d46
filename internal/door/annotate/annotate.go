// Package annotate is the one door to linguistic annotation: tokens, entities,
// dependencies, coreference and discourse.
//
// A memory is annotated session by session: each [Request] has the utterances of
// one session and the entities of earlier ones ([Known]). So a pronoun is resolved
// across sessions, and an entity keeps its id. A question is a request with one
// utterance and all entities of the memory.
package annotate

import "context"

// A Layer is one kind of annotation.
type Layer string

// The layers of annotation.
const (
	Tokens       Layer = "tokens" // sentences, tokens, lemmas and parts of speech
	Entities     Layer = "entities"
	Dependencies Layer = "dependencies"
	Coreference  Layer = "coreference"
	Discourse    Layer = "discourse"
)

// Layers lists the layers, each after those that it rests on.
func Layers() []Layer { return []Layer{Tokens, Entities, Dependencies, Coreference, Discourse} }

// An Utterance is one turn of a dialogue.
type Utterance struct {
	ID      string
	Speaker string
	Text    string
}

// A Request asks for layers over the utterances of one session, in order.
// [Tokens] is always returned, requested or not.
type Request struct {
	Layers     []Layer
	Utterances []Utterance
	// Known are the entities of earlier annotations, the most recently mentioned last. A
	// cluster about one of them takes its ID.
	Known []Known
	// Names is a gazetteer: known names of entities, such as the speakers'.
	Names []Name
}

// A Name is an entry of a gazetteer.
type Name struct {
	Text string `json:"text"` // as written; matched ignoring case
	Type string `json:"type"` // such as PERSON
}

// A Known is an entity from earlier sessions of a memory. The JSON names of its
// fields are part of the keys of recordings.
type Known struct {
	ID     string `json:"id"`
	Name   string `json:"name"`             // canonical
	Type   string `json:"type,omitempty"`   // as in Entity; empty if unknown
	Gender Gender `json:"gender,omitempty"` // empty if unknown
	Plural bool   `json:"plural,omitempty"`
	// Speaker is set for a participant of the dialogue: "I" and "you" refer to
	// participants.
	Speaker  bool     `json:"speaker,omitempty"`
	Aliases  []string `json:"aliases,omitempty"` // other names in its mentions
	Heads    []string `json:"heads,omitempty"`   // lemmas of the heads of its nominal mentions, such as "hotel"
	Mentions int      `json:"mentions,omitempty"`
}

// An Annotator annotates dialogues. It is safe for concurrent use. A layer that
// it cannot give is an error, never an empty layer; a sentence that cannot be
// parsed is marked, see [Sentence.Unparsed].
type Annotator interface {
	Annotate(ctx context.Context, r Request) (Document, error)
}

// An AnnotatorFunc is a function that serves as an [Annotator].
type AnnotatorFunc func(ctx context.Context, r Request) (Document, error)

// Annotate calls f.
func (f AnnotatorFunc) Annotate(ctx context.Context, r Request) (Document, error) { return f(ctx, r) }

// A Document holds the annotation of a session, one Sentence after another in
// the order of the utterances.
type Document struct {
	Sentences []Sentence `json:"sentences,omitempty"`
	Clusters  []Cluster  `json:"clusters,omitempty"`
	Relations []Relation `json:"relations,omitempty"`
}

// A Sentence is a sentence of one utterance.
type Sentence struct {
	Utterance    int          `json:"utterance"` // index into the request's utterances
	Tokens       []Token      `json:"tokens"`
	Entities     []Entity     `json:"entities,omitempty"`     // in order, without overlap
	Dependencies []Dependency `json:"dependencies,omitempty"` // in the order of Dependent
	// Unparsed is set if dependencies were requested and the parser had none.
	Unparsed bool `json:"unparsed,omitempty"`
}

// A Token is a word or a punctuation mark. Start and End are byte offsets
// into the utterance's text.
type Token struct {
	Text  string `json:"text"`
	Lemma string `json:"lemma"` // lowercase except for names
	POS   string `json:"pos"`   // of the Penn Treebank
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// A Span is a range of a sentence's tokens, End excluded; never empty.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// An Entity is a named mention with its OntoNotes type: PERSON, ORG, GPE, LOC,
// FAC, DATE, TIME, CARDINAL, MONEY ...
type Entity struct {
	Span
	Type string `json:"type"`
}

// A Dependency links a dependent to its head by universal dependency label;
// Head is -1 for the root. Both are token indexes.
type Dependency struct {
	Head      int    `json:"head"`
	Dependent int    `json:"dependent"`
	Label     string `json:"label"` // such as nsubj, obj, obl, amod
}

// A Mention is a span of a sentence of the document.
type Mention struct {
	Sentence int `json:"sentence"`
	Span
	Kind MentionKind `json:"kind"`
}

// A MentionKind says how an entity is mentioned.
type MentionKind string

// The kinds of mentions.
const (
	Named      MentionKind = "named"      // "the Gandhi", "Rachel"
	Nominal    MentionKind = "nominal"    // "the restaurant"
	Pronominal MentionKind = "pronominal" // "it", "her"
)

// A Gender of an entity; empty if unknown.
type Gender string

// The genders that pronouns tell apart.
const (
	Feminine  Gender = "f"
	Masculine Gender = "m"
	Neuter    Gender = "n"
)

// A Cluster is a set of mentions of one entity, in order, with an id that stays
// the same over the sessions of a memory.
type Cluster struct {
	ID       string    `json:"id"`   // "E1", "E2", ...
	Name     string    `json:"name"` // canonical: the longest name, or the first nominal
	Type     string    `json:"type,omitempty"`
	Gender   Gender    `json:"gender,omitempty"`
	Plural   bool      `json:"plural,omitempty"`
	Speaker  bool      `json:"speaker,omitempty"`
	Mentions []Mention `json:"mentions"`
}

// A Relation is a discourse relation between two sentences, with its coarse PDTB
// sense, such as Contingency.Cause. From is the earlier argument, -1 if that
// precedes the utterances of the request.
type Relation struct {
	From  int    `json:"from"`
	To    int    `json:"to"`
	Sense string `json:"sense"`
	// Cue is the connective that signals it; empty for none.
	Cue string `json:"cue,omitempty"`
}

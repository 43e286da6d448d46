// Package linguistic holds what memories share that look at language: a history
// of annotated utterances and an inverted index of their features.
//
// It follows sections 3.2 and 3.3 of the Semantic Anchoring paper: an entry is an
// utterance with the entities that it mentions, its dependencies as triples, and
// the discourse relations to what was said before.
package linguistic

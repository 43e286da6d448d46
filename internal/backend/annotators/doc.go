// Package annotators assembles the annotators of a model entry from its options: the
// built-in English rules or a CoreNLP server give sentences, tokens and most layers,
// and a chat model gives the layers assigned to it, on the same tokens.
package annotators
